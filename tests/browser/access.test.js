// Fit for everybody: axe finds nothing, nothing scrolls sideways, what is pressed is big enough, in
// light and dark, on a phone and a desktop, in every state. Pictures go to target/screenshots.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { long, SMALL } from "../contract/books.js";
import { ask, DESKTOP, launch, noteAnswers, objections, open, PHONE, picture, skip, state, tooSmall, tooWide, unfoldAll } from "./browser.js";
import { host } from "./host.js";

const QUESTION = "What did Captain Ødegård want to know from the Commission?";

/** What a reader does to see each state. */
const STATES = {
  ready: (page) => state(page, "ready"),
  answer: (page) => ask(page, QUESTION),
  "how it was found": async (page) => {
    await ask(page, QUESTION);
    await page.locator("plotbridge-ask .how > summary").click();
    await page.locator("plotbridge-ask .timeline > summary").click();
    await page.locator("plotbridge-ask .timeline .drawing").scrollIntoViewIfNeeded();
  },
  "who was matched": async (page) => {
    await ask(page, QUESTION);
    await page.evaluate(unfoldAll);
    await page.locator("plotbridge-ask .ties").scrollIntoViewIfNeeded();
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
  options: async (page) => {
    await state(page, "ready");
    await page.getByText("Options").click();
    await page.getByLabel("How far have you read?").press("Home");
  },
  "own book": (page) => ownBook(page),
  "reading check": async (page) => {
    await ownBook(page, file("ferry.txt", `The Ferry\n\nby Tamsin Reed\n\n\n${SMALL}`));
    await page.locator(".check").waitFor();
    for (const list of await page.locator(".check summary").all()) await list.click();
  },
  indexing: async (page) => {
    await ownBook(page, file("wall.txt", long(3_000_000)));
    await page.getByRole("button", { name: "Index this book" }).click();
    await page.waitForFunction(() => document.querySelector(".busy progress")?.value > 0.1);
  },
  "own book open": async (page) => {
    await ownBook(page, file("ferry.txt", SMALL));
    await page.getByRole("button", { name: "Index this book" }).click();
    await page.locator(".open").waitFor({ state: "attached" });
    await page.getByRole("link", { name: "Your book" }).click();
  },
  "own book kept": async (page) => {
    await STATES["own book open"](page);
    await page.getByRole("button", { name: "Back to the bundled story" }).click();
    await page.locator(".kept").waitFor({ state: "attached" });
    await page.getByRole("link", { name: "Your book" }).click();
  },
  "own book failed": async (page) => {
    await ownBook(page, file("A photograph of a page.txt", "%PDF-1.7 and what follows"));
    await page.locator(".trouble h3").waitFor();
  },
  "no model": async (page) => {
    await state(page, "ready");
    await page.getByRole("link", { name: "Model", exact: true }).click();
  },
  "a model": async (page) => {
    await STATES["no model"](page);
    await page.getByRole("radio", { name: /^A language model/ }).check();
    await page.getByLabel("On the same server").uncheck();
    await page.getByRole("button", { name: "Use it" }).scrollIntoViewIfNeeded();
  },
  "a model to read": async (page) => {
    await STATES["a model"](page);
    await page.getByLabel("Server’s address", { exact: true }).fill("http://localhost:11434/v1");
    await page.getByLabel("Model", { exact: true }).fill("a-model-with-a-name-that-is-as-long-as-such-names-are:8b-instruct-q4_K_M");
    await page.getByLabel("Embedding model", { exact: true }).fill("an-embedding-model");
    await page.getByLabel("On the same server").check();
    await page.getByRole("button", { name: "Use it" }).click();
    await page.waitForFunction(() => document.getElementById("announcer").textContent.startsWith("In use"));
    await ownBook(page, file("ferry.txt", SMALL));
    await page.getByRole("radio", { name: /^a-model/ }).check();
    await page.getByRole("checkbox", { name: /^Compare/ }).check();
    await page.getByRole("button", { name: "Index this book" }).scrollIntoViewIfNeeded();
  },
  dropping: async (page) => {
    await state(page, "ready");
    const dataTransfer = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["One."], "a.txt"));
      return transfer;
    });
    await page.dispatchEvent("body", "dragover", { dataTransfer });
  },
};

const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

/** Goes to the pane for one's own book, and gives it a file. */
async function ownBook(page, ...files) {
  await state(page, "ready");
  await page.getByRole("link", { name: "Your book" }).click();
  if (files.length > 0) await page.locator("input[type=file]").setInputFiles(files);
}

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
