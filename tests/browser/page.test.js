// The page, as a reader meets it: asked by keyboard, its passages opened in the book, nothing against
// the policy in page or worker, nothing asked of anywhere else.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";

import { POLICY } from "../../pkg/cli/commands/serve.js";
import { ask, DESKTOP, launch, noteAnswers, open, PHONE, ROOT, SITE, skip, state, unfoldAll } from "./browser.js";
import { host } from "./host.js";

const QUESTION = "Why was the clerk Lambert Tapp called Comma in the office?";
const ANSWER = /comma/i;

describe("the page", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  /** The page with the bundled story open. */
  async function opened(options, url = site.url) {
    const { page, faults } = await open(browser, url, options);
    await page.evaluate(noteAnswers);
    await state(page, "ready");
    return { page, faults };
  }

  test("is asked by keyboard, and answers with plotline and passages", async () => {
    const { page, faults } = await opened();
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Skip to the question", "the first stop leads past the top");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.match(await focused(page), /^Your question about/, "the next stop is the box");
    await page.keyboard.type(QUESTION);
    await page.keyboard.press("Enter");
    await state(page, "answered");

    const element = page.locator("plotbridge-ask");
    await element.getByRole("heading", { name: "Answer", exact: true }).waitFor();
    assert.match(await element.locator("blockquote").first().textContent(), ANSWER);
    assert.ok(await element.getByRole("listitem").filter({ has: page.locator(".character") }).count() > 0, "a plotline");
    assert.ok(await element.locator(".passage").count() > 1, "passages");
    assert.match(await element.getByRole("status").textContent(), /^Answer found, with \d+ moments? and \d+ passages?\.$/);
    assert.match(await focused(page), /^Your question about/, "the focus stays in the box");

    await tabTo(page, "Open in the book:");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.localName === "mark");
    assert.ok((await marked(page)).includes(await element.locator("blockquote").first().textContent()), "the sentence is marked in the book");
    await tabTo(page, "Back to the answer");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("plotbridge-ask").shadowRoot.activeElement?.classList.contains("place"));
    assert.deepEqual(faults, []);
  });

  test("says first why there is no answer, where none of the question's words stands in the book", async () => {
    const { page } = await opened();
    await ask(page, "Zeppelin platypus volcano gearbox?");
    const said = await page.locator("plotbridge-ask .finding p").allTextContents();
    const [why, what] = [/^None of the question's words stands in this book/, /^(Nothing in this book|No sentence fits)/].map((words) => said.findIndex((text) => words.test(text)));
    assert.ok(why >= 0 && why < what, said.join(" | "));
  });

  test("opens each kind of place in the book, marked exactly", async () => {
    const { page } = await opened();
    await ask(page, QUESTION);
    const answer = await page.evaluate((question) => document.querySelector("plotbridge-ask").ask(question), QUESTION);
    const { citations, trace } = answer;
    const places = [[".finding .place", citations[0]], [".moment .place", trace.pairs[0]], [".passage .place", trace.evidence[0]]];
    for (const [button, { start, end }] of places) {
      await page.locator("plotbridge-ask").locator(button).first().click();
      await page.waitForFunction((hash) => location.hash === hash && document.activeElement.localName === "mark", `#passage-${start}-${end}`);
      const text = await page.evaluate(([from, to]) => document.querySelector("plotbridge-ask").book.text(from, to), [start, end]);
      assert.equal(await marked(page), text, button);
    }
    assert.equal(await page.locator("article").evaluate((article) => article.checkVisibility()), true);
  });

  test("lays the whole book out, chapter by chapter, without losing a character", async () => {
    const { page } = await opened();
    const whole = readFileSync(path.join(SITE, "story.txt"), "utf8").replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    const chooser = page.getByRole("combobox", { name: "Chapter" });
    const options = await chooser.locator("option").allTextContents();
    let text = "";
    for (const [at, title] of options.entries()) {
      await chooser.selectOption({ index: at });
      await page.waitForFunction((chosen) => document.querySelector("article").dataset.title === chosen, title);
      text += await page.locator("article").evaluate((article) => article.textContent);
    }
    assert.equal(text, whole);
  });

  test("shows who is in the book, sorts them, and asks about one", async () => {
    const { page } = await opened();
    await page.getByRole("link", { name: "People" }).click();
    const names = page.locator(".ask-about");
    await names.first().waitFor();
    const byMentions = await names.allTextContents();
    await page.getByRole("button", { name: "Name" }).click();
    await page.getByRole("columnheader", { name: "Name" }).and(page.locator("[aria-sort=ascending]")).waitFor();
    const byName = await names.allTextContents();
    assert.deepEqual(byName, [...byName].sort((a, b) => a.localeCompare(b, "en")));
    assert.notDeepEqual(byName, byMentions);
    await names.first().click();
    await page.waitForFunction((name) => globalThis.answered?.endsWith(` is ${name}?`), byName[0]);
  });

  test("on a phone opens a passage over the answer, and the back button returns", async () => {
    const { page } = await opened({ size: PHONE });
    await ask(page, QUESTION);
    await page.locator("plotbridge-ask .passage .place").first().click();
    await page.waitForFunction(() => document.activeElement.localName === "mark");
    assert.equal(await page.locator("plotbridge-ask").isVisible(), false);
    const seen = await page.locator("mark").first().boundingBox();
    assert.ok(seen.y > 0 && seen.y < PHONE.height, "the passage is in view");
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("plotbridge-ask").shadowRoot.activeElement?.classList.contains("place"));
    assert.equal(await page.locator("plotbridge-ask").isVisible(), true);
  });

  test("a passage's address opens it", async () => {
    const { page } = await opened(undefined, `${site.url}#passage-2000-2100`);
    await page.waitForFunction(() => document.querySelector("mark"));
    assert.equal((await marked(page)).length, 100);
  });

  test("breaks its policy nowhere, in page or worker, and asks only its own folder", async () => {
    site.requests.length = 0;
    site.reports.length = 0;
    const { page, faults } = await opened({ size: DESKTOP });
    const foreign = [];
    page.context().on("request", (request) => request.url().startsWith(site.url) || foreign.push(request.url()));
    await ask(page, QUESTION);
    await page.evaluate(unfoldAll);
    await page.locator("plotbridge-ask .place").first().click();
    await page.getByRole("link", { name: "People" }).click();
    await page.locator(".ask-about").first().waitFor();
    assert.deepEqual(faults, []);
    assert.deepEqual(foreign, []);
    assert.deepEqual(site.requests.filter((request) => !request.startsWith("/shelf/story/")), []);

    // That nothing was reported counts only if a breach would be: commit one in each place, on purpose.
    const [worker] = page.workers();
    assert.ok(worker, "the engine is in a worker");
    await page.evaluate(() => fetch("http://page.invalid/").catch(() => {}));
    await worker.evaluate(() => fetch("http://worker.invalid/").catch(() => {}));
    await site.reported("page.invalid", "worker.invalid");
    assert.deepEqual(site.reports.filter((report) => !report["blocked-uri"].includes(".invalid")), []);
  });

  test("says in its meta tag what the header says", () => {
    for (const name of ["index.html", "embed.html"]) {
      const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(readFileSync(path.join(ROOT, "www", name), "utf8"));
      assert.equal(policy, POLICY, name);
    }
  });

  test("works as `plotbridge serve` serves it", async (t) => {
    const serving = spawn(process.execPath, [path.join(ROOT, "pkg/bin/plotbridge.js"), "serve", "--port", "0", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => serving.kill());
    const lines = createInterface({ input: serving.stdout })[Symbol.asyncIterator]();
    const { url } = JSON.parse((await lines.next()).value);
    const { page, faults } = await opened(undefined, url);
    await ask(page, QUESTION);
    assert.equal(await page.evaluate(() => document.querySelector("plotbridge-ask").book.engine), "worker");
    assert.deepEqual(faults, []);
  });
});

/** The name of what has the focus, through shadow roots. */
const focused = (page) => page.evaluate(() => {
  let active = document.activeElement;
  while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return (active.labels?.[0] ?? active).textContent.trim();
});

/** Presses Tab until something whose name starts so has the focus. */
async function tabTo(page, name) {
  for (let stops = 0; stops < 200; stops++) {
    await page.keyboard.press("Tab");
    if ((await focused(page)).startsWith(name)) return;
  }
  assert.fail(`nothing named ${name} is reached by Tab`);
}

const marked = (page) => page.locator("article mark").evaluateAll((marks) => marks.map((mark) => mark.textContent).join(""));
