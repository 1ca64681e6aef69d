// Fit for everybody: axe finds nothing, nothing scrolls sideways, what is pressed is big enough, in
// light and dark, on a phone and a desktop, in every state. Pictures go to target/screenshots.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ask, DESKTOP, launch, noteAnswers, objections, open, PHONE, picture, skip, state } from "./browser.js";
import { host } from "./host.js";

const QUESTION = "What did Captain Ødegård want to know from the Commission?";

/** What a reader does to see each state. */
const STATES = {
  ready: (page) => state(page, "ready"),
  answer: (page) => ask(page, QUESTION),
  "how it was found": async (page) => {
    await ask(page, QUESTION);
    await page.locator("plotbridge-ask summary").click();
    await page.locator("plotbridge-ask .figures").scrollIntoViewIfNeeded();
  },
  "not found": (page) => ask(page, "Zeppelin platypus volcano gearbox?"),
  reader: async (page) => {
    await ask(page, QUESTION);
    await page.locator("plotbridge-ask .place").first().click();
    await page.locator("article mark").first().waitFor();
  },
  people: async (page) => {
    await state(page, "ready");
    await page.getByRole("link", { name: "People" }).click();
    await page.locator(".ask-about").first().waitFor();
  },
  failed: (page) => state(page, "failed"),
};

describe("the page for everybody", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  for (const [form, size] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
    for (const scheme of ["light", "dark"]) {
      test(`axe finds nothing: ${form}, ${scheme}`, async () => {
        for (const [name, reach] of Object.entries(STATES)) {
          const page = await reached(name, reach, { size, dark: scheme === "dark" });
          assert.equal(await page.evaluate((dark) => matchMedia("(prefers-color-scheme: dark)").matches === dark, scheme === "dark"), true);
          assert.deepEqual(await objections(page), [], name);
          await picture(page, `${form}-${scheme}-${name.replaceAll(" ", "-")}`);
          await page.context().close();
        }
      });
    }
  }

  for (const width of [320, PHONE.width, 768, DESKTOP.width]) {
    test(`at ${width} px nothing scrolls sideways, and every control is 44 px high`, async () => {
      for (const [name, reach] of Object.entries(STATES)) {
        const page = await reached(name, reach, { size: { width, height: 800 } });
        assert.deepEqual(await page.evaluate(tooWide), [], name);
        assert.deepEqual(await page.evaluate(tooSmall), [], name);
        await page.context().close();
      }
    });
  }

  async function reached(name, reach, options) {
    if (name === "failed") site.failing.add("/shelf/story/story.plot.json");
    const { page } = await open(browser, site.url, options);
    await page.evaluate(noteAnswers);
    await reach(page);
    site.failing.clear();
    return page;
  }
});

/** Scrolling boxes that are wider inside than outside; sent to the page. */
function tooWide() {
  const boxes = [document.documentElement, ...document.querySelectorAll(".pane, .page")];
  return boxes.filter((box) => box.clientWidth > 0 && box.scrollWidth > box.clientWidth)
    .map((box) => `${box.className || box.localName}: ${box.scrollWidth} in ${box.clientWidth}`);
}

/** Controls in view that are under 44 px high; links within a sentence are as high as the sentence. */
function tooSmall() {
  const { shadowRoot } = document.querySelector("plotbridge-ask");
  const controls = [document, shadowRoot].flatMap((root) => [...root.querySelectorAll("button, input, select, summary, a")]);
  return controls.filter((control) => control.checkVisibility() && !control.matches(".about a"))
    .map((control) => [control.textContent.trim() || control.id, control.getBoundingClientRect().height])
    .filter(([, height]) => height < 43.99);
}
