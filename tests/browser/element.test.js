// The element in other people's pages: inside another shadow root, with a book of the page's own, with
// failures, with hostile text, and the example that is to be copied.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ask, launch, noteAnswers, objections, open, skip, state, unfoldAll } from "./browser.js";
import { host } from "./host.js";

const QUESTION = "Where did Dr. Pike bury the iron box?";

describe("the element", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
    site.pages.set("/shelf/story/bare.html", "<!doctype html><html lang=en><title>Bare</title><link rel=icon href=favicon.svg><main><h1>Bare</h1></main>");
    site.pages.set("/favicon.ico", ""); // browsers ask for it where a page names no icon
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  /** A page of the same site without anything, for an element of the test's own. */
  async function bare() {
    const opened = await open(browser, `${site.url}bare.html`);
    await opened.page.evaluate(noteAnswers);
    await opened.page.evaluate(async () => {
      const { Book } = await import(new URL("pkg/index.js", location.href));
      await import(new URL("pkg/ask-element.js", location.href));
      Object.assign(globalThis, { Book, books: await import("/contract/books.js") });
    });
    return opened;
  }

  test("works two shadow roots deep, and its events come out", async () => {
    const { page, faults } = await bare();
    const heard = await page.evaluate(async () => {
      const heard = [];
      for (const type of ["ready", "answer", "open"]) addEventListener(`plotbridge-${type}`, () => heard.push(type));
      const outer = document.querySelector("main").attachShadow({ mode: "open" });
      const inner = outer.appendChild(document.createElement("div")).attachShadow({ mode: "closed" });
      const element = document.createElement("plotbridge-ask");
      element.setAttribute("src", "story.plot.json");
      inner.append(element);
      await new Promise((resolve) => addEventListener("plotbridge-ready", resolve, { once: true }));
      await element.ask("Who is the Commissioner?");
      const place = element.shadowRoot.querySelector(".place");
      place.click();
      await new Promise((resolve) => new MutationObserver(resolve).observe(element.shadowRoot.querySelector(".box"), { childList: true }));
      const dialog = element.shadowRoot.querySelector("dialog");
      heard.push(dialog.open, dialog.querySelector("mark").textContent.length > 0);
      heard.push(getComputedStyle(element.shadowRoot.querySelector(".submit")).minHeight);
      return heard;
    });
    assert.deepEqual(heard, ["ready", "answer", "open", true, true, "44px"]);
    assert.deepEqual(faults, []);
  });

  test("has no attribute for a key or a model: what is set so is not read, and nothing is sent", async () => {
    const { page, faults } = await bare();
    const seen = [];
    page.on("request", (request) => seen.push(request.url()));
    const { observed, read, text, properties } = await page.evaluate(async () => {
      const read = new Set();
      const watched = ["getAttribute", "getAttributeNode", "hasAttribute", "getAttributeNames"];
      for (const name of watched) {
        const own = Element.prototype[name];
        Element.prototype[name] = function (...args) {
          if (this.localName === "plotbridge-ask") read.add(args[0] ?? name);
          return own.apply(this, args);
        };
      }
      for (const name of ["attributes", "dataset"]) {
        const { get } = Object.getOwnPropertyDescriptor(name === "dataset" ? HTMLElement.prototype : Element.prototype, name);
        Object.defineProperty(name === "dataset" ? HTMLElement.prototype : Element.prototype, name, {
          get() {
            if (this.localName === "plotbridge-ask") read.add(name);
            return get.call(this);
          },
        });
      }
      const element = document.createElement("plotbridge-ask");
      const names = ["key", "api-key", "apikey", "chat-key", "embed-key", "authorization", "models", "chat-url", "url", "endpoint", "data-key"];
      for (const name of names) element.setAttribute(name, name.includes("url") || name === "endpoint" ? "http://127.0.0.1:9/v1" : "sk-in-the-markup-31");
      element.setAttribute("src", "story.plot.json");
      document.querySelector("main").append(element);
      await new Promise((resolve) => addEventListener("plotbridge-ready", resolve, { once: true }));
      element.setAttribute("key", "sk-in-the-markup-32");
      const { text } = await element.ask("Who is the Commissioner?");
      return { observed: element.constructor.observedAttributes, read: [...read], text, properties: [element.models, element.key, JSON.stringify(element.book.info)] };
    });
    assert.deepEqual(observed, ["src"]);
    assert.deepEqual(read.filter((name) => !["src", "trace"].includes(name)), [], "nothing else of its markup is read");
    assert.ok(read.includes("src"), "what is read is seen");
    assert.ok(text.length > 0);
    assert.deepEqual(properties.slice(0, 2), [undefined, undefined]);
    assert.doesNotMatch(properties[2] + seen.join(), /markup/);
    assert.ok(seen.every((url) => url.startsWith(site.origin) || url.startsWith("blob:")), seen.join());
    assert.deepEqual(faults, []);
  });

  test("a failed load says why, and trying again works", async () => {
    site.failing.add("/shelf/story/story.plot.json");
    const { page } = await open(browser, `${site.url}embed.html`);
    await page.evaluate(noteAnswers);
    await state(page, "failed");
    const said = await page.getByRole("status").textContent();
    assert.match(said, /^The book could not be opened\. .*503/);
    assert.equal(await page.locator("plotbridge-ask .reason").textContent(), said);
    site.failing.clear();
    await page.getByRole("button", { name: "Try again" }).press("Enter");
    await state(page, "ready");
    assert.match(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.labels[0].textContent), /^Your question/);
    await ask(page, "Who is the Commissioner?");
  });

  test("a question asked after a failed load loads again first", async () => {
    site.failing.add("/shelf/story/pkg/wasm/plotbridge_bg.wasm");
    const { page } = await open(browser, `${site.url}embed.html`);
    await page.evaluate(noteAnswers);
    await state(page, "failed");
    site.failing.clear();
    await page.getByLabel(/^Your question/).fill("Who is the Commissioner?");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => globalThis.answered === "Who is the Commissioner?");
  });

  test("the start of a question, and its end or failure, are said once each", async () => {
    const { page } = await bare();
    const said = await page.evaluate(async () => {
      const element = document.createElement("plotbridge-ask");
      document.querySelector("main").append(element);
      element.book = await globalThis.Book.build(globalThis.books.SMALL);
      const status = element.shadowRoot.querySelector("[role=status]");
      const said = [];
      new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true });
      const settled = () => new Promise((resolve) => setTimeout(resolve));
      for (const question of [globalThis.books.QUESTION, globalThis.books.FOREIGN, ""]) {
        await element.ask(question).catch(() => {});
        await settled();
      }
      return said;
    });
    const start = /^Searching the book\.$/;
    const wanted = [start, /^Answer found, with \d+ moments? and \d+ passages?\.$/, start, /^No answer found\.$/, start, /question.*empty/];
    assert.equal(said.length, wanted.length, said.join(" | "));
    wanted.forEach((words, at) => assert.match(said[at], words));
  });

  test("text of book and question stays text", async () => {
    const { page, faults } = await bare();
    await page.evaluate(async () => {
      const markup = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</scr" + "ipt><b>Captain Orrin Vale</b>";
      const text = globalThis.books.SMALL.replaceAll("Captain Orrin Vale", markup).replaceAll("iron box", "iron box <i>locked</i>");
      const element = document.createElement("plotbridge-ask");
      element.book = await globalThis.Book.build(text, { title: "<u>Title</u>" });
      document.querySelector("main").append(element);
    });
    await ask(page, `<b>bold</b> ${QUESTION}`);
    await page.evaluate(unfoldAll);
    const shadow = await page.evaluate(() => {
      const { shadowRoot } = document.querySelector("plotbridge-ask");
      return { text: shadowRoot.textContent, foreign: shadowRoot.querySelectorAll("img, script, i, b, u").length };
    });
    assert.match(shadow.text, /iron box <i>locked<\/i>/);
    assert.match(shadow.text, /<u>Title<\/u>/);
    assert.equal(shadow.foreign, 0);
    assert.notEqual(await page.title(), "run");
    assert.deepEqual(faults, []);
  });

  test("its attribute trace unfolds how an answer was found, or leaves it out", async () => {
    const { page } = await bare();
    const shown = await page.evaluate(async () => {
      const element = document.createElement("plotbridge-ask");
      element.book = await globalThis.Book.build(globalThis.books.SMALL);
      document.querySelector("main").append(element);
      const shown = [];
      for (const trace of [undefined, "open", "none"]) {
        if (trace) element.setAttribute("trace", trace);
        await element.ask(globalThis.books.QUESTION);
        shown.push(element.shadowRoot.querySelector(".how")?.open);
      }
      return shown;
    });
    assert.deepEqual(shown, [false, true, undefined]);
  });

  test("a book of the page's own is shared and never closed; one of src is closed with the element", async () => {
    const { page } = await bare();
    const [length, code] = await page.evaluate(async () => {
      const shared = await globalThis.Book.build(globalThis.books.SMALL);
      const element = document.createElement("plotbridge-ask");
      document.querySelector("main").append(element);
      element.book = shared;
      const same = element.book === shared;
      element.remove();
      await null;
      const { length } = await shared.text();
      const second = document.createElement("plotbridge-ask");
      second.setAttribute("src", "story.plot.json");
      document.querySelector("main").append(second);
      await new Promise((resolve) => second.addEventListener("plotbridge-ready", resolve));
      const own = second.book;
      second.remove();
      await null;
      return [same && length, await own.text().then(() => "open", ({ code }) => code)];
    });
    assert.ok(length > 0);
    assert.equal(code, "not_ready");
  });

  test("cancelling a question says so, and the next one is answered", async () => {
    const { page } = await bare();
    await page.evaluate(async () => {
      const book = await globalThis.Book.build(globalThis.books.SMALL);
      const waiting = Object.create(book, {
        info: { value: book.info },
        ask: { value: (question, { signal }) => (question === "wait"
          ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
          : book.ask(question)) },
      });
      const element = document.createElement("plotbridge-ask");
      document.querySelector("main").append(element);
      element.book = waiting;
    });
    await state(page, "ready");
    await page.getByLabel(/^Your question/).fill("wait");
    await page.keyboard.press("Enter");
    await state(page, "asking");
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await state(page, "ready");
    assert.equal(await page.getByRole("status").textContent(), "Cancelled.");
    await ask(page, QUESTION);
  });

  test("the example to copy works, answers in a dialog, and axe finds nothing", async () => {
    const { page, faults } = await open(browser, `${site.origin}/example/`);
    await page.evaluate(noteAnswers);
    await state(page, "ready");
    await page.getByRole("button", { name: "Who is the narrator?" }).click();
    await page.waitForFunction(() => globalThis.answered === "Who is the narrator?");
    await page.locator("plotbridge-ask .place").first().click();
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await objections(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.deepEqual(faults, []);
  });
});
