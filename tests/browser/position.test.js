// A reading position on the page: no title, name or text from later stands anywhere in the document until
// the reader asks for the whole book.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ask, launch, noteAnswers, open, skip, state, unfoldAll } from "./browser.js";
import { host } from "./host.js";

const READ = 2; // chapters

describe("a reading position", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  /** The page with the story open. */
  async function opened(address = "") {
    const { page, faults } = await open(browser, site.url + address, { scripts: [noteAnswers] });
    await state(page, "ready");
    await page.locator("article").waitFor({ state: "attached" });
    return { page, faults };
  }

  /** The story, read to the end of some chapters; the whole book is asked about and looked at first. */
  async function readTo() {
    const { page, faults } = await opened();
    await ask(page, "Who is Sergeant Pym?");
    const later = await page.evaluate(laterThan, READ);
    assert.ok(later.titles.length > 10 && later.names.length > 10, JSON.stringify(later));
    const before = await page.evaluate(wholeText);
    for (const list of [later.titles, later.names]) assert.ok(list.some((words) => before.includes(words)), "the whole book is told of before");
    await page.getByRole("combobox", { name: "Chapter" }).selectOption({ label: later.titles[3] });
    await page.waitForFunction((title) => document.querySelector("article").dataset.title === title, later.titles[3]);
    const slider = page.getByLabel("How far have you read?");
    await slider.press("Home");
    for (let chapter = 1; chapter < READ; chapter++) await slider.press("ArrowRight");
    await page.waitForFunction((title) => document.querySelector("article").dataset.title === title, later.read.at(-1));
    return { page, faults, later };
  }

  /** Fails for a title or a name from later, wherever it stands. */
  async function silent(page, { titles, names }, where) {
    const text = await page.evaluate(wholeText);
    assert.deepEqual([...titles, ...names].filter((words) => text.includes(words)), [], where);
  }

  test("hides what comes later in every view, and from an answer given before", async () => {
    const { page, faults, later } = await readTo();
    await silent(page, later, "when the place was set");
    for (const view of ["Read", "People", "Your book"]) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await silent(page, later, view);
    }
    await ask(page, "Who kept the inn?");
    await page.evaluate(unfoldAll);
    await silent(page, later, "an answer");
    await page.getByRole("link", { name: "Read", exact: true }).click();
    const chapter = page.getByRole("combobox", { name: "Chapter" });
    await chapter.waitFor();
    const last = await chapter.locator("option").count();
    await chapter.selectOption({ index: last - 1 });
    assert.equal(await page.getByRole("button", { name: "Next chapter" }).isDisabled(), true);
    const passage = await page.evaluate((read) => document.querySelector("plotbridge-ask").book.info.chapters[read + 2].start, READ);
    await page.evaluate((start) => { location.hash = `#passage-${start}-${start + 50}`; }, passage);
    await page.waitForFunction(() => document.body.dataset.view === "read");
    await silent(page, later, "the address of a later passage");
    assert.deepEqual(faults, []);
  });

  test("hides it from the first sight on at the next visit", async () => {
    const { page, later } = await readTo();
    await page.reload();
    await state(page, "ready");
    await page.waitForFunction((title) => document.querySelector("article")?.dataset.title === title, later.read.at(-1));
    await silent(page, later, "the next visit");
  });

  test("shows the whole book when asked to, until another place is set", async () => {
    const { page, later } = await readTo();
    const whole = page.getByRole("switch", { name: "Show the whole book" });
    const options = page.getByRole("combobox", { name: "Chapter" }).locator("option");
    const read = await options.count();
    assert.equal(await whole.getAttribute("aria-checked"), "false");
    await whole.click();
    assert.equal(await whole.getAttribute("aria-checked"), "true");
    assert.ok((await options.allTextContents()).includes(later.titles.at(-1)));
    await page.getByLabel("How far have you read?").press("ArrowLeft");
    assert.equal(await whole.getAttribute("aria-checked"), "false");
    assert.ok(await options.count() < read);
    await page.getByLabel("How far have you read?").press("End");
    assert.equal(await whole.isVisible(), false);
    assert.ok((await options.allTextContents()).includes(later.titles.at(-1)));
  });
});

/** The titles of the chapters read, of the later ones, and the names that first stand in them; sent to the page. */
async function laterThan(read) {
  const { book } = document.querySelector("plotbridge-ask");
  const { chapters } = book.info;
  const before = await book.text(0, chapters[read - 1].end);
  const { entities } = await book.inspect();
  const names = entities.map(({ name }) => name).filter((name) => /^\p{Lu}/u.test(name) && !before.includes(name));
  const [told, titles] = [chapters.slice(0, read), chapters.slice(read)].map((part) => part.map(({ title }) => title));
  return { read: told, titles, names };
}

/** Every text of the document, its shadow tree, its lists and its labels, a line each; sent to the page. */
function wholeText() {
  const { shadowRoot } = document.querySelector("plotbridge-ask");
  const texts = [document.body, shadowRoot].flatMap((root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const blocks = new Map(); // a name may be marked in parts; two items of a list are two texts
    while (walker.nextNode()) {
      const block = walker.currentNode.parentElement?.closest(":not(mark, b, strong, em, i, q, a, small)") ?? root;
      blocks.set(block, (blocks.get(block) ?? "") + walker.currentNode.data);
    }
    return [...blocks.values()];
  });
  const labels = [document, shadowRoot].flatMap((root) => [...root.querySelectorAll("[aria-label], [aria-valuetext], [title], [data-title]")]);
  const said = labels.flatMap((each) => [each.ariaLabel, each.ariaValueText, each.title, each.dataset.title]);
  // What the reader has typed is their own.
  return [document.title, ...texts, ...said].join("\n").replace(shadowRoot.querySelector("input").value, "");
}
