// A reader's own book in the page: dropped or chosen, checked, indexed, asked, saved, opened again and
// kept; what fails or is cancelled takes nothing away that was open.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { long, QUESTION, SMALL } from "../contract/books.js";
import { ask, launch, noteAnswers, open, skip, state } from "./browser.js";
import { host } from "./host.js";

/** The ferry as people have it: a byte order mark, a title page, other line ends. */
const FERRY = `\uFEFFThe Ferry\r\n\r\nby Tamsin Reed\r\n\r\n\r\n${SMALL.replaceAll("\n", "\r\n")}\r\n`;
const TEXT = FERRY.slice(1).replaceAll("\r\n", "\n");
const ferry = { name: "ferry.txt", mimeType: "text/plain", buffer: Buffer.from(FERRY) };
const file = (name, content) => ({ name, mimeType: "", buffer: Buffer.from(content) });

describe("one's own book", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  /** The page with the story open; `said` is what its announcer said, in order. */
  async function opened(...scripts) {
    const { page, faults } = await open(browser, site.url, { scripts: [noteAnswers, noteVoice, ...scripts] });
    await state(page, "ready");
    const said = () => page.evaluate(() => globalThis.said);
    return { page, faults, said };
  }

  async function choose(page, ...files) {
    await page.getByRole("link", { name: "Your book" }).click();
    await page.locator("input[type=file]").setInputFiles(files);
  }
  const checked = (page) => page.getByRole("heading", { name: "Is this your book?" }).waitFor();
  const indexed = (page, title) => page.locator(".open h3", { hasText: title }).waitFor();

  async function withFerry(page) {
    await choose(page, ferry);
    await checked(page);
    await page.getByRole("button", { name: "Index this book" }).click();
    await indexed(page, "The Ferry");
  }

  const titles = (check) => check.locator(".chapter-list li input").evaluateAll((list) => list.map(({ value }) => value));

  test("has its chapters corrected before it is indexed: called otherwise, joined, begun elsewhere, as found again", async () => {
    const { page, faults } = await opened();
    await choose(page, ferry);
    await checked(page);
    const check = page.locator(".check");
    await check.getByText("3 chapters").click();
    const found = await titles(check);
    await check.getByLabel("Title of chapter 1", { exact: true }).fill("The river");
    await check.getByRole("button", { name: "Join chapter 2 to the one before" }).press("Enter");
    await check.getByText("2 chapters").waitFor();
    assert.deepEqual(await titles(check), ["The river", found[2]]);
    assert.equal(await page.evaluate(() => document.activeElement.id), "chapter-0");
    const words = check.getByLabel("A chapter begins with the words");
    await words.fill("no such words");
    await words.press("Enter");
    assert.equal(await words.evaluate((input) => input.validationMessage), "These words are not in the text.");
    const last = TEXT.trimEnd().split("\n\n").at(-1).split(/\s+/).slice(0, 4).join(" ");
    await words.fill(last);
    await words.press("Enter");
    await check.getByText("3 chapters").waitFor();
    assert.deepEqual(await titles(check), ["The river", found[2], last]);
    await check.getByRole("button", { name: "As they were found" }).click();
    await check.locator(".chapter-list summary", { hasText: "3 chapters" }).waitFor();
    assert.deepEqual(await titles(check), found);
    await check.locator(".chapter-list summary").click();
    await check.getByRole("button", { name: "Join chapter 3 to the one before" }).click();
    await check.getByText("2 chapters").waitFor();
    await check.getByLabel("Title of chapter 2", { exact: true }).fill("The end of it");
    await page.getByRole("button", { name: "Index this book" }).click();
    await indexed(page, "The Ferry");
    assert.deepEqual(await page.evaluate(() => document.querySelector("plotbridge-ask").book.info.chapters.map(({ title }) => title)), [found[0], "The end of it"]);
    assert.deepEqual(faults, []);
  });

  test("is dropped on the window, checked, indexed and asked, each said once", async () => {
    site.reports.length = 0;
    const { page, faults, said } = await opened();
    const drag = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "ferry.txt", { type: "text/plain" }));
      return transfer;
    }, FERRY);
    await page.dispatchEvent("body", "dragover", { dataTransfer: drag });
    assert.equal(await page.getByText("Drop the book here").isVisible(), true);
    await page.dispatchEvent("body", "drop", { dataTransfer: drag });
    await checked(page);
    assert.equal(await page.getByText("Drop the book here").isVisible(), false);
    assert.equal(await page.evaluate(() => location.hash), "#own");

    const check = page.locator(".check");
    assert.equal(await check.getByLabel("Title", { exact: true }).inputValue(), "The Ferry");
    assert.deepEqual(await check.locator("dd").allTextContents(), ["Tamsin Reed", "English", `${TEXT.length.toLocaleString("en")} characters`]);
    assert.equal(await check.getByLabel("Encoding").inputValue(), "utf-8");
    await check.getByText("3 chapters").click();
    assert.deepEqual((await titles(check)).map((title) => title.slice(0, 11)), ["CHAPTER I. ", "CHAPTER II.", "CHAPTER III"]);

    await check.getByLabel("Title", { exact: true }).fill("My Ferry");
    await check.getByLabel("Title", { exact: true }).press("Enter");
    await indexed(page, "My Ferry");
    await page.waitForFunction(() => document.activeElement.localName === "plotbridge-ask");
    await ask(page, QUESTION);
    assert.match(await page.locator("plotbridge-ask blockquote").first().textContent(), /chapel/);
    await page.locator("plotbridge-ask .place").first().click();
    await page.locator("article mark").first().waitFor();
    assert.match(await page.locator("#read-title").textContent(), /^My FerryTamsin Reed$/);
    await page.getByRole("link", { name: "People" }).click();
    await page.locator(".ask-about", { hasText: "Ines" }).first().waitFor();
    assert.deepEqual(await said(), [
      "Reading ferry.txt.",
      "ferry.txt is read. Check it, then index it.",
      "Indexing My Ferry.",
      "My Ferry is open. Ask about it.",
    ]);
    assert.deepEqual(faults, []);
    assert.deepEqual(site.reports, []);
  });

  test("what is searched and what is left out add up to the text, each skip with its first words", async () => {
    const { page } = await opened();
    await choose(page, ferry);
    await checked(page);
    const [indexedUnits, skipped] = (await page.locator(".coverage strong").allTextContents()).map(units);
    assert.equal(indexedUnits + skipped, TEXT.length);
    assert.match(await page.locator(".coverage").textContent(), /Together they are the whole text\.$/);
    await page.locator(".skips summary").click();
    const skips = await page.locator(".skips li").evaluateAll((items) => items.map((item) => [...item.children].map((part) => part.textContent)));
    assert.equal(skips.reduce((sum, [, size]) => sum + units(size), 0), skipped);
    assert.ok(skips.length >= 4, "a title page and three headings");
    let at = 0;
    for (const [reason, , words] of skips) {
      assert.match(reason, /^(Before the story begins|Chapter heading)$/);
      const found = TEXT.replace(/\s+/g, " ").indexOf(words.replace(/ …$/, ""), at);
      assert.ok(words.length > 5 && found >= at, `${words} stands in the text, after the one before`);
      at = found;
    }
  });

  test("is chosen by keyboard; its encoding is recognised, shown and can be overridden", async () => {
    const { page } = await opened();
    const western = `CHAPTER I\n\nInes Vale went to the caf\xe9 with Captain Vale. She drank \x93tea\x94 there.\n\nCHAPTER II\n\nInes came home.\n`;
    const chooser = page.waitForEvent("filechooser"); // begun early: the browser must know of it before the key
    await page.getByRole("link", { name: "Your book" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "own-title");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await (await chooser).setFiles([{ name: "cafe.txt", mimeType: "text/plain", buffer: Buffer.from(western, "latin1") }]);
    await page.waitForFunction(() => document.activeElement.id === "check-title");
    const encoding = page.getByLabel("Encoding");
    assert.equal(await encoding.inputValue(), "windows-1252");
    assert.match(await page.locator(".check .issue").first().textContent(), /windows-1252/);
    await page.getByLabel("Title", { exact: true }).fill("A Café");
    await encoding.selectOption("utf-8");
    await page.locator(".trouble h3").waitFor();
    assert.match(await page.locator(".trouble").textContent(), /not utf-8/);
    assert.equal(await page.getByLabel("Encoding").inputValue(), "windows-1252", "what was read before is still there");
    assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "A Café");
    await page.getByRole("button", { name: "Index this book" }).press("Enter");
    await indexed(page, "A Café");
    const starts = (words) => page.waitForFunction((start) => document.querySelector("article")?.textContent.includes(start), words);
    await starts("café with Captain Vale. She drank “tea”");

    await choose(page, file("utf8.txt", "CHAPTER I\n\nInes Vale went to the café.\n"));
    await checked(page);
    await encoding.focus();
    await encoding.selectOption("windows-1252");
    await page.waitForFunction(() => document.activeElement.id === "check-title" && document.querySelector("[name=encoding]").value === "windows-1252");
    await page.getByRole("button", { name: "Index this book" }).click();
    await starts("to the cafÃ©.");
  });

  test("indexing shows its stages, is cancelled in the middle, and done the second time", async () => {
    const { page, said } = await opened();
    await choose(page, file("wall.txt", long(700_000)));
    await checked(page);
    await page.evaluate(() => {
      globalThis.shown = [];
      const look = () => {
        const [bar, words] = [document.querySelector(".busy progress"), document.querySelector(".busy .stage")];
        if (bar?.hasAttribute("value")) globalThis.shown.push([bar.value, words.textContent]);
      };
      new MutationObserver(look).observe(document.querySelector(".panel"), { childList: true, subtree: true, attributes: true });
    });
    const index = page.getByRole("button", { name: "Index this book" });
    await index.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".busy progress")?.value > 0.3);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "check-title");
    assert.match(await page.getByLabel(/^Your question/).evaluate((box) => box.labels[0].textContent), /Below the White Line/);
    await ask(page, "Who is the Commissioner?");

    await page.evaluate(() => globalThis.shown.splice(0));
    await index.click();
    await indexed(page, "Wall");
    const shown = await page.evaluate(() => globalThis.shown);
    const shares = shown.map(([share]) => share);
    assert.deepEqual(shares, [...shares].sort((a, b) => a - b), "it never goes back");
    assert.ok(shares.at(-1) > 0.5, `it goes far: ${shares.at(-1)}`);
    assert.ok(new Set(shown.map(([, words]) => words.replace(/ \d+%$/, ""))).size >= 3, "by stages");
    for (const [, words] of shown) assert.match(words, /^[A-Z][a-z ]+ \d+%$/, "in plain words");
    assert.deepEqual((await said()).slice(2), ["Indexing Wall.", "Cancelled.", "Indexing Wall.", "Wall is open. Ask about it."]);
  });

  test("every stage of the engine has a share of the bar, in the engine's order", async () => {
    const { page } = await opened();
    const reached = await page.evaluate(async (text) => {
      const [{ Book }, { wholeProgress }] = await Promise.all(["pkg/index.js", "stages.js"].map((name) => import(new URL(name, location.href))));
      const stages = new Set();
      (await Book.build(text, { onProgress: ({ stage }) => stages.add(stage) })).close();
      return [...stages].map((stage) => {
        let reached;
        wholeProgress((share, words) => { reached = [stage, share, words]; })({ stage, done: 1, total: 1 });
        return reached;
      });
    }, long(700_000));
    const shares = reached.map(([, share]) => share);
    assert.ok(shares.length > 5);
    assert.deepEqual(reached.filter(([, share]) => share === 0), [], "stages without a share");
    assert.deepEqual(shares, [...shares].sort((a, b) => a - b), `in the engine's order: ${reached}`);
  });

  test("is saved, and the saved file answers the same in another browser, without its text", async () => {
    const { page, faults, said } = await opened();
    await withFerry(page);
    await ask(page, QUESTION);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the index" }).click()]);
    assert.equal(download.suggestedFilename(), "The Ferry.plot.json");
    const saved = readFileSync(await download.path());
    assert.equal((await said()).at(-1), "Saved as The Ferry.plot.json.");
    const answer = await page.locator("plotbridge-ask").locator(".finding, .plotline, .evidence").allTextContents();

    const other = await opened();
    await choose(other.page, file("The Ferry.plot.json", saved));
    await indexed(other.page, "The Ferry");
    await ask(other.page, QUESTION);
    assert.deepEqual(await other.page.locator("plotbridge-ask").locator(".finding, .plotline, .evidence").allTextContents(), answer);
    assert.deepEqual(await other.said(), ["Reading The Ferry.plot.json.", "The Ferry is open. Ask about it."]);
    assert.deepEqual([...faults, ...other.faults], []);
  });

  test("the way back to the story, with its examples, and from there to the book again", async () => {
    const { page, faults } = await opened();
    const examples = await page.locator("plotbridge-ask .example").allTextContents();
    await withFerry(page);
    const own = await page.locator("plotbridge-ask .example").allTextContents();
    assert.ok(own.length > 0 && own.every((question) => /^Who is .*\?$/.test(question)));
    await page.getByRole("button", { name: "Back to the bundled story" }).click();
    await page.getByRole("button", { name: "Forget it" }).waitFor();
    assert.deepEqual(await page.locator("plotbridge-ask .example").allTextContents(), examples);
    await ask(page, "Who is the Commissioner?");
    await page.getByRole("button", { name: "Open it" }).click();
    await indexed(page, "The Ferry");
    await ask(page, QUESTION);
    assert.deepEqual(faults, []);
  });

  test("is open at the next visit, until it is forgotten or not to be kept", async () => {
    const { page, said } = await opened();
    await withFerry(page);
    const again = async () => {
      await page.reload();
      await state(page, "ready");
      return page.locator("plotbridge-ask cite").textContent();
    };
    site.requests.length = 0;
    assert.equal(await again(), "The Ferry");
    assert.equal(site.requests.includes("/shelf/story/story.plot.json"), false, "the story is not fetched first");
    assert.equal((await said()).at(-1), "The Ferry is open. Ask about it.");
    assert.equal(await page.evaluate(() => document.activeElement.localName), "body", "the focus is not taken");
    await page.getByRole("link", { name: "Your book" }).click();
    await page.getByRole("switch", { name: "Keep this book" }).click();
    await page.locator("#keep-note", { hasText: "until you close this tab" }).waitFor();
    assert.equal(await again(), "Below the White Line");

    await withFerry(page);
    assert.equal(await page.getByRole("switch").getAttribute("aria-checked"), "false", "the switch is kept");
    await page.getByRole("switch").click();
    await page.locator("#keep-note", { hasText: "at your next visit" }).waitFor();
    await page.getByRole("button", { name: "Back to the bundled story" }).click();
    await page.getByRole("button", { name: "Forget it" }).click();
    await page.getByText("The Ferry is forgotten.").first().waitFor();
    assert.equal(await again(), "Below the White Line");
    assert.equal(await page.getByRole("button", { name: "Forget it" }).count(), 0);
  });

  test("opening the kept book writes nothing, so a visit that ends just then loses nothing", async () => {
    const { page } = await opened();
    await withFerry(page);
    // A page that is left in the middle of a write sees it fail.
    await page.addInitScript(() => { IDBObjectStore.prototype.put = () => { throw new DOMException("the page is left", "AbortError"); }; });
    for (const visit of ["the next", "the one after"]) {
      await page.reload();
      await state(page, "ready");
      assert.equal(await page.locator("plotbridge-ask cite").textContent(), "The Ferry", visit);
    }
    await page.getByRole("link", { name: "Your book" }).click();
    await page.locator("#keep-note", { hasText: "at your next visit" }).waitFor();
  });

  test("where the browser stores nothing, that is said, and everything else works", async () => {
    const { page, faults } = await opened(() => {
      for (const name of ["localStorage", "indexedDB"]) Object.defineProperty(globalThis, name, { get() { throw new DOMException("denied", "SecurityError"); } });
    });
    await page.getByText("Options").click();
    await page.getByLabel("Colours").selectOption("dark");
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "dark");
    await withFerry(page);
    await page.getByText("This browser keeps nothing for this page").waitFor();
    await page.getByRole("button", { name: "Back to the bundled story" }).click();
    await page.getByRole("button", { name: "Open it" }).click();
    await indexed(page, "The Ferry");
    assert.deepEqual(faults, []);
  });

  test("a storage that never answers is waited for once, and everything else works", async () => {
    const { page, faults } = await opened(() => {
      globalThis.opens = 0;
      globalThis.waits = 0;
      indexedDB.constructor.prototype.open = () => {
        globalThis.opens += 1;
        return {};
      };
      // The long wait is over at once; no other timer is touched.
      const own = globalThis.setTimeout;
      globalThis.setTimeout = (then, ms, ...more) => {
        if (ms === 10_000) globalThis.waits += 1;
        return own(then, ms === 10_000 ? 0 : ms, ...more);
      };
    });
    await withFerry(page);
    await page.getByText("This browser keeps nothing for this page").waitFor();
    await page.getByRole("button", { name: "Back to the bundled story" }).click();
    await page.getByRole("button", { name: "Open it" }).click();
    await indexed(page, "The Ferry");
    assert.deepEqual(await page.evaluate(() => [globalThis.opens, globalThis.waits]), [1, 1], "of the kept book alone");
    assert.deepEqual(faults, []);
  });

  test("settings hold over a reload, and questions are asked so", async () => {
    const { page } = await opened();
    await page.getByText("Options").click();
    await page.getByLabel("Find").selectOption("bm25");
    await page.getByLabel("Gather at most").selectOption("1500");
    await page.getByLabel("Colours").selectOption("dark");
    await page.reload();
    await state(page, "ready");
    await page.getByText("Options").click();
    assert.deepEqual(await page.locator(".choices select").evaluateAll((selects) => selects.map(({ value }) => value)), ["bm25", "1500", "dark"]);
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "dark");
    const { method, context_tokens: tokens } = await page.evaluate(async (question) => (await document.querySelector("plotbridge-ask").ask(question)).trace, QUESTION);
    assert.equal(method, "bm25");
    assert.ok(tokens > 0 && tokens <= 1500, `${tokens} tokens`);

    await page.evaluate(() => localStorage.setItem("plotbridge", '{"method":"none","contextTokens":-1,"theme":7,"places":[["x"]],"keep":null}'));
    await page.reload();
    await state(page, "ready");
    assert.deepEqual(await page.evaluate(() => document.querySelector("plotbridge-ask").options), { method: "pons", contextTokens: 6000 });
  });

  test("how far one has read limits the answers, is said, and is kept for each book", async () => {
    const { page, said } = await opened();
    const slider = page.getByLabel("How far have you read?");
    assert.equal(await slider.getAttribute("aria-valuetext"), "The whole book");
    assert.equal(await page.evaluate(() => "upTo" in document.querySelector("plotbridge-ask").options), false);
    const { title, end } = await page.evaluate(() => document.querySelector("plotbridge-ask").book.info.chapters[1]);
    await slider.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.equal(await slider.getAttribute("aria-valuetext"), `To the end of ${title}`);
    assert.equal((await said()).at(-1), `Answers now tell nothing from after ${title}.`);
    const { evidence, pairs } = await page.evaluate(async () => (await document.querySelector("plotbridge-ask").ask("What does the Commissioner want?")).trace);
    assert.ok(evidence.length > 0);
    for (const place of [...evidence, ...pairs]) assert.ok(place.end <= end, `${place.end} is read`);

    await page.getByRole("link", { name: "People" }).click();
    await page.getByText("it may tell what comes later").waitFor();
    assert.equal(await page.locator(".ask-about").count(), 0);
    await page.getByRole("button", { name: "Show it all the same" }).click();
    await page.locator(".ask-about").first().waitFor();

    await withFerry(page);
    assert.equal(await slider.getAttribute("aria-valuetext"), "The whole book", "another book has a place of its own");
    await slider.press("Home");
    await page.getByRole("button", { name: "Back to the bundled story" }).click();
    await page.waitForFunction((words) => document.querySelector("#position").getAttribute("aria-valuetext") === words, `To the end of ${title}`);
    await page.reload();
    await state(page, "ready");
    assert.deepEqual(await page.evaluate(() => document.querySelector("plotbridge-ask").options.upTo), { chapter: 2 });
    await slider.press("End");
    assert.equal(await page.evaluate(() => "upTo" in document.querySelector("plotbridge-ask").options), false);
  });

  test("what cannot be read says what to do, once, and what was open stays open", async () => {
    const index = readFileSync(new URL("../../target/site/story.plot.json", import.meta.url), "utf8");
    const wrong = {
      "a program": [[file("a.txt", Buffer.concat([Buffer.from("\x7fELF"), Buffer.alloc(5000)]))], /^This is not a plain-text file\./],
      "a book in EPUB": [[file("a.epub", "PK\x03\x04 and so on")], /^This is not a plain-text file\./],
      "an empty file": [[file("a.txt", "")], /^Nothing could be read from this file\./],
      "white space": [[file("a.txt", " \n\n")], /^Nothing could be read from this file\./],
      "another encoding": [[file("a.txt", Buffer.from("b5dad2bbbbd8d5aacab6d2c0", "hex"))], /^The letters of this file could not be read\./],
      "half an index": [[file("a.plot.json", index.slice(0, index.length / 2))], /^This saved book is damaged/],
      "other JSON": [[file("a.json", '{"a": 1}')], /^This saved book is damaged/],
      "an index of the future": [[file("a.plot.json", index.replace('"version":1', '"version":999'))], /^This book was saved by another version/],
      "two files": [[file("a.txt", "One."), file("b.txt", "Two.")], /^That was more than one file\./],
    };
    const { page, faults, said } = await opened();
    await page.evaluate(() => document.querySelector("input[type=file]").toggleAttribute("multiple", true)); // as a drop may have
    await withFerry(page);
    await ask(page, QUESTION);
    const answer = await page.locator("plotbridge-ask blockquote").first().textContent();
    for (const [name, [files, words]] of Object.entries(wrong)) {
      const before = (await said()).length;
      await choose(page, ...files);
      await page.waitForFunction((count) => globalThis.said.length === count + 2 && document.querySelector(".trouble h3"), before);
      const trouble = await page.locator(".trouble > *").allTextContents();
      assert.match(trouble[0], words, name);
      assert.equal((await said()).at(-1), `${trouble[0]} ${trouble[1]}`, name);
      assert.equal(await page.locator(".open h3").textContent(), "The Ferry", name);
    }
    await ask(page, "Who is Ines Vale?");
    await ask(page, QUESTION);
    assert.equal(await page.locator("plotbridge-ask blockquote").first().textContent(), answer);
    await choose(page, ferry);
    await checked(page);
    assert.equal(await page.locator(".trouble > *").count(), 0, "the next try clears it");
    assert.deepEqual(faults, []);
  });
});

/** Notes what the page's announcer says in `globalThis.said`. */
const noteVoice = () => addEventListener("DOMContentLoaded", () => {
  globalThis.said = [];
  const voice = document.getElementById("announcer");
  new MutationObserver(() => globalThis.said.push(voice.textContent)).observe(voice, { childList: true });
});

/** `1,204 characters` as a number. */
const units = (words) => Number(words.replace(/\D/g, ""));
