// Language models in the page: set up by keyboard, tried, asked, left again; reading a book of one's own;
// failing in plain words. The server is the scripted one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { QUESTION, SMALL } from "../contract/books.js";
import { fits, LEDGER } from "../contract/shapes.js";
import { modelServer } from "../node/model-server.js";
import { ask, launch, noteAnswers, objections, open, PHONE, picture, skip, state, tooWide, unfoldAll } from "./browser.js";
import { host } from "./host.js";

const KEY = "sk-of-nobody-5fd2";
const ferry = { name: "ferry.txt", mimeType: "text/plain", buffer: Buffer.from(SMALL) };

/** An answer in a model's words, with a quotation that stands in the book and one that does not. */
const WRITTEN = `### Key Facts
- It was seen.
> Nobody in Stonemouth believed the widow
> He buried it at sea.

### Final Answer
**Under the chapel floor**, said *the widow*:

- <img src=x onerror="document.title='run'">
- [press](javascript:alert(1))`;

describe("language models in the page", { skip }, () => {
  let browser;
  let site;
  let server;
  before(async () => {
    [browser, site, server] = await Promise.all([launch(), host(), modelServer()]);
  });
  after(() => Promise.all([browser?.close(), site?.close(), server?.close()]));

  async function opened({ scripts = [], ...options } = {}) {
    await server.script([]);
    await server.forget();
    site.reports.length = 0;
    const { page, faults } = await open(browser, site.url, { ...options, scripts: [noteAnswers, ...scripts] });
    await state(page, "ready");
    return { page, faults };
  }

  const asked = async () => (await server.log()).requests.filter(({ method }) => method === "POST");
  const inUse = (page, words) => page.waitForFunction((start) => document.getElementById("announcer").textContent.startsWith(start), words);

  async function fill(page, { key = "", embed = "", url = server.url, model = "scripted-chat" } = {}) {
    await page.getByRole("link", { name: "Model", exact: true }).click();
    await page.getByRole("radio", { name: /^A language model/ }).check();
    await page.getByLabel("Server’s address", { exact: true }).fill(url);
    await page.getByLabel("Model", { exact: true }).fill(model);
    await page.getByLabel("Key, if the server wants one", { exact: true }).fill(key);
    await page.getByLabel("Embedding model", { exact: true }).fill(embed);
  }

  async function use(page, fields) {
    await fill(page, fields);
    await page.getByRole("button", { name: "Use it" }).click();
    await inUse(page, "In use");
  }

  async function read(page) {
    await page.getByRole("link", { name: "Your book" }).click();
    await page.locator("input[type=file]").setInputFiles([ferry]);
    await page.locator(".check").waitFor();
  }

  async function readByModel(page) {
    await read(page);
    await page.getByRole("radio", { name: /^scripted-chat/ }).check();
    await page.getByRole("button", { name: "Index this book" }).click();
  }

  const built = (page) => page.locator(".open h3", { hasText: "Ferry" }).waitFor({ state: "attached" });

  /** Everywhere that a page could leave a key. */
  const left = (page) => page.evaluate(() => JSON.stringify([
    location.href, { ...localStorage }, document.documentElement.outerHTML, document.querySelector("plotbridge-ask").shadowRoot.innerHTML,
  ]));

  test("one is set up by keyboard and answers, in its words, at its cost, with quotations that are checked", async () => {
    const { page, faults } = await opened();
    await page.getByRole("link", { name: "Model", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "models-title");
    await page.keyboard.press("Tab"); // who answers
    await page.keyboard.press("ArrowDown");
    for (const words of [server.url, "scripted-chat", KEY]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(words);
    }
    await page.keyboard.press("Enter");
    await inUse(page, `In use: scripted-chat at ${new URL(server.url).host}.`);
    await server.script([{ reply: WRITTEN, task: "answer" }]);
    await page.getByRole("link", { name: "Your book" }).click();
    await read(page);
    await page.getByRole("button", { name: "Index this book" }).click();
    await built(page);
    await ask(page, QUESTION);

    const element = page.locator("plotbridge-ask");
    assert.equal(await element.locator(".statement strong").textContent(), "Under the chapel floor");
    assert.equal(await element.locator(".statement em").textContent(), "the widow");
    assert.deepEqual(await element.locator(".statement li").allTextContents(), [`<img src=x onerror="document.title='run'">`, "[press](javascript:alert(1))"]);
    assert.equal(await element.locator("img, a").count(), 0);
    assert.match(await element.locator(".unverified").textContent(), /He buried it at sea\.$/);
    assert.match(await element.locator(".usage").textContent(), /^1 request, [\d,]+ tokens\.$/);
    assert.match(await element.locator(".finding").textContent(), /Written by a language model from the passages below/);
    await element.locator(".finding .place").click();
    await page.locator("article mark").first().waitFor();
    assert.equal(await page.locator("article mark").first().textContent(), "Nobody in Stonemouth believed the widow");
    const requests = await asked();
    assert.deepEqual(requests.map(({ task }) => task), ["answer"], "a book that rules read costs its answers only");
    assert.ok(requests[0].headers.includes("authorization"));
    assert.notEqual(await page.title(), "run");
    assert.deepEqual(faults, []);
    assert.deepEqual(site.reports, []);
  });

  test("a key is in memory only, and in session storage where that is asked for", async () => {
    const { page } = await opened();
    await use(page, { key: KEY });
    assert.doesNotMatch(await left(page), new RegExp(KEY));
    assert.deepEqual(await page.evaluate(() => ({ ...sessionStorage })), {});
    await page.reload();
    await state(page, "ready");
    const field = page.getByLabel("Key, if the server wants one", { exact: true });
    assert.equal(await field.inputValue(), "", "a reload forgets it");
    assert.match(await page.locator(".in-use").textContent(), /scripted-chat/, "and not the model");

    await field.fill(KEY);
    const keep = page.getByLabel("Keep the keys until this tab is closed");
    assert.equal(await keep.isChecked(), false, "it is the reader who chooses to");
    const note = page.locator("#keys-note");
    assert.equal(await keep.getAttribute("aria-describedby"), "keys-note");
    assert.ok(await note.isVisible());
    assert.match(await note.textContent(), /written into this tab’s session storage, where every script of this page’s origin can read it.*spending limit/);
    const [below, above] = [await keep.boundingBox(), await note.boundingBox()];
    assert.ok(below.y - (above.y + above.height) < 40, "the warning stands beside the box");
    await keep.check();
    await page.getByRole("button", { name: "Use it" }).click();
    await inUse(page, "In use");
    assert.match(await page.evaluate(() => JSON.stringify({ ...sessionStorage })), new RegExp(KEY));
    assert.doesNotMatch(await left(page), new RegExp(KEY));
    await page.reload();
    await state(page, "ready");
    assert.equal(await field.inputValue(), KEY);
    assert.doesNotMatch(await left(page), new RegExp(KEY));

    const address = page.getByLabel("Server’s address", { exact: true });
    await address.fill("https://other.invalid/v1");
    await address.press("Tab");
    assert.equal(await field.inputValue(), "", "a key that was typed for one server is not left for another");
    await page.reload();
    await state(page, "ready");
    await page.evaluate(() => { // another tab has set another server meanwhile
      const all = JSON.parse(localStorage.plotbridge);
      localStorage.plotbridge = JSON.stringify({ ...all, chatUrl: "https://other.invalid/v1" });
    });
    await page.reload();
    await state(page, "ready");
    assert.equal(await field.inputValue(), "", "a key goes to its own server only");

    await address.fill(server.url);
    await field.fill(KEY);
    await page.getByLabel("Keep the keys until this tab is closed").uncheck();
    await page.getByRole("button", { name: "Use it" }).click();
    await inUse(page, "In use");
    assert.deepEqual(await page.evaluate(() => ({ ...sessionStorage })), {});
  });

  test("no model is one choice away, and then nothing is sent", async () => {
    const { page } = await opened();
    await use(page);
    await ask(page, "Who kept the inn at Osk Bridge?");
    assert.equal((await asked()).length, 1);
    await page.getByRole("radio", { name: /^The book itself/ }).check();
    await inUse(page, "No model is in use");
    await ask(page, "Why is the clerk called Comma?");
    assert.match(await page.locator("plotbridge-ask .finding").textContent(), /No language model was asked/);
    assert.equal((await asked()).length, 1);
    assert.match(await page.locator(".lead").innerText(), /nothing you type leaves it/);
  });

  test("an address that this page may not speak to, or that holds a key, is refused at its field", async () => {
    const { page } = await opened();
    for (const url of ["http://192.168.1.5:11434/v1", "ftp://localhost/v1", `https://me:${KEY}@example.org/v1`, `https://example.org/v1?api_key=${KEY}`]) {
      await fill(page, { url });
      await page.getByRole("button", { name: "Use it" }).click();
      const address = page.getByLabel("Server’s address", { exact: true });
      assert.notEqual(await address.evaluate((input) => input.validationMessage), "", url);
      assert.doesNotMatch(await left(page), new RegExp(KEY));
    }
    assert.equal(await page.locator(".in-use").textContent(), "No model is in use.");
  });

  test("trying says whether chat and embedding work, and what to do where they do not", async () => {
    const { page } = await opened();
    const trial = page.locator(".trial li");
    const tried = async (fields) => {
      await fill(page, fields);
      await page.getByRole("button", { name: "Try it" }).click();
      await page.getByRole("button", { name: "Try it" }).waitFor();
      return trial.allTextContents();
    };
    const [chat, embed, ...more] = await tried({ embed: "scripted-embed" });
    assert.match(chat, /^scripted-chat answers\. .*lamp.* tokens\.$/);
    assert.match(embed, /^scripted-embed gives vectors\. Each has \d+ numbers\.$/);
    assert.match(more.join(), /^Not in use yet: choose “Use it”/, "what to do next");
    await page.getByRole("button", { name: "Use it" }).click();
    await inUse(page, "In use");
    assert.equal((await tried({ embed: "scripted-embed" })).length, 2, "nothing more where it is in use");
    await server.script([{ fault: "key", value: "another" }]);
    assert.match((await tried({ key: KEY }))[0], /^The model’s server wants another key\. Check the key/);
    await server.script([{ fault: "unknown-model", value: "scripted-chat" }]);
    assert.match((await tried())[0], /^The model’s server refused the request\. Check the model’s name/);
    await server.script([{ fault: "hang" }]);
    await server.forget();
    await fill(page);
    const { count } = await server.log();
    await page.getByRole("button", { name: "Try it" }).click();
    await server.log(count + 1);
    await page.getByRole("button", { name: "Stop trying" }).click();
    await page.locator(".trial", { hasText: "Stopped." }).waitFor();
    assert.doesNotMatch(await left(page), new RegExp(KEY));
  });

  test("an answer is seen as it comes, said once when it is whole, and cancelled in the middle", async () => {
    const { page } = await opened();
    await use(page);
    await page.evaluate(() => {
      globalThis.told = [];
      const status = document.querySelector("plotbridge-ask").shadowRoot.querySelector("[role=status]");
      new MutationObserver(() => globalThis.told.push(status.textContent)).observe(status, { childList: true });
    });
    // Silence after so many bytes of the stream: the first sentence has come, the last has not.
    const reply = `### Final Answer\nIt was **Lambert Tapp** who wrote it. ${"And so on. ".repeat(40)}It ends here.`;
    await server.script([{ reply, task: "answer" }, { fault: "stall", value: 4000, task: "answer", nth: 1 }]);
    await page.getByLabel(/^Your question/).fill("Who wrote it?");
    await page.keyboard.press("Enter");
    const coming = page.locator("plotbridge-ask .coming");
    await coming.locator("strong", { hasText: "Lambert Tapp" }).waitFor();
    assert.doesNotMatch(await coming.textContent(), /It ends here/);
    assert.equal(await coming.locator("xpath=ancestor-or-self::*[@aria-live or @role='status']").count(), 0, "it is in no live region");
    await picture(page, "model-writes");
    await page.getByRole("button", { name: "Cancel" }).click();
    await state(page, "ready", "answered");
    assert.equal(await coming.isVisible(), false);
    await ask(page, "Who wrote it?");
    assert.match(await page.locator("plotbridge-ask .statement").textContent(), /^It was Lambert Tapp who wrote it\. .*It ends here\.$/);
    const told = await page.evaluate(() => globalThis.told);
    assert.deepEqual(told.map((words) => words.split(",")[0]), ["Searching the book.", "Cancelled.", "Searching the book.", "Answer found"]);
  });

  for (const [name, fault, words] of [
    ["that fails", { fault: "status", value: 500 }, /500/],
    ["that does not let this page in", { fault: "no-cors" }, /could not be reached|CORS|did not/i],
    ["that wants another key", { fault: "key", value: "another" }, /key/],
    ["that is busy for longer than anybody waits", { fault: "rate-limit", value: 5000 }, /takes no more requests|busy|rate|too many/i],
    ["that sends the request on", { fault: "redirect" }, /another address|redirect/i],
    ["that sends a web page", { fault: "html" }, /could not be used|web page|not/i],
  ]) {
    test(`a server ${name} is told plainly, with the passages that were found`, async () => {
      const { page } = await opened();
      await use(page, { key: KEY });
      await server.script([fault]);
      await page.getByLabel(/^Your question/).fill("Who kept the inn at Osk Bridge?");
      await page.keyboard.press("Enter");
      await state(page, "unanswered");
      const element = page.locator("plotbridge-ask");
      const reason = await element.locator(".reason").textContent();
      assert.match(reason, words);
      assert.match(reason, /The passages that were found are below\.$/);
      assert.ok(await element.locator(".passage").count() > 1);
      assert.equal(await element.getByRole("status").textContent(), reason);
      assert.doesNotMatch(await left(page), new RegExp(KEY));
      assert.deepEqual(await objections(page), []);
      await server.script([]);
      await page.getByLabel(/^Your question/).press("Enter");
      await state(page, "answered");
    });
  }

  test("an answer that breaks off is shown as far as it came, and says so", async () => {
    const { page } = await opened();
    await use(page);
    const reply = `### Final Answer\nIt was **Lambert Tapp** who wrote it. ${"And so on. ".repeat(40)}It ends here.`;
    await server.script([{ reply, task: "answer" }, { fault: "cut", value: 4000, task: "answer" }]);
    await ask(page, "Who wrote it?");
    const finding = page.locator("plotbridge-ask .finding");
    assert.match(await finding.locator(".statement").textContent(), /^It was Lambert Tapp who wrote it\. And so on\./);
    assert.doesNotMatch(await finding.locator(".statement").textContent(), /It ends here/);
    assert.match((await finding.locator(".issue").allTextContents()).join(), /The chat model’s reply broke off; what came is kept\.|The chat model's reply broke off; what came is kept\./);
    assert.ok(await page.locator("plotbridge-ask .passage").count() > 1);
  });

  test("a busy server is waited for, which is said with the time, and the wait can be cancelled", async () => {
    const { page } = await opened();
    await use(page);
    await server.script([{ fault: "rate-limit-ms", value: 1500, nth: 1 }]);
    const seen = page.evaluate(() => new Promise((resolve) => {
      const { shadowRoot } = document.querySelector("plotbridge-ask");
      const look = () => {
        const words = shadowRoot.querySelector(".progress")?.textContent ?? "";
        if (/is busy and is waited for/.test(words)) resolve(words);
      };
      new MutationObserver(look).observe(shadowRoot, { subtree: true, childList: true, characterData: true });
    }));
    await ask(page, "Who kept the inn at Osk Bridge?");
    assert.match(await seen, /The model’s server is busy and is waited for.*[12] seconds?/);
    await server.script([{ fault: "rate-limit", value: 600 }]);
    await page.getByLabel(/^Your question/).fill("Why is the clerk called Comma?");
    await page.keyboard.press("Enter");
    await page.locator("plotbridge-ask", { hasText: /is busy and is waited for/ }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await state(page, "ready", "answered");
    assert.equal(await page.locator("plotbridge-ask").getByRole("status").textContent(), "Cancelled.");
  });

  test("a question whose vectors do not come is answered all the same, and says how it was compared", async () => {
    const { page } = await opened();
    await use(page, { embed: "scripted-embed" });
    await read(page);
    await page.getByRole("checkbox", { name: /^Compare meanings too/ }).check();
    await page.getByRole("button", { name: "Index this book" }).click();
    await built(page);
    await server.script([{ fault: "status", value: 501, on: "embeddings" }]);
    await ask(page, QUESTION);
    assert.match((await page.locator("plotbridge-ask .finding .issue").allTextContents()).join(), /The question was compared in the built-in space: .+/);
    assert.equal(await page.locator("plotbridge-ask .finding").locator(".statement, .quotation").first().isVisible(), true);
  });

  test("a book is read by the model, saved, and asked elsewhere without any", async () => {
    const { page, faults } = await opened();
    await use(page, { key: KEY, embed: "scripted-embed" });
    await read(page);
    assert.equal(await page.locator(".cost").textContent(), "Nothing is sent.");
    await page.getByRole("radio", { name: /^scripted-chat/ }).check();
    await page.getByRole("checkbox", { name: /^Compare meanings too/ }).check();
    const address = new URL(server.url).host;
    assert.equal(await page.locator(".cost").textContent(), `At least 9 requests to ${address}: each of 3 parts is sent 3 times, so that the whole text of the book reaches that server. The whole text is sent to ${address} for vectors. Whatever it costs there, you pay.`);
    await page.locator(".reckoned", { hasText: /^By our estimate that is [\d,]+ requests in all, with some [\d,]+ tokens sent, and some [\d,]+ received, [\d,]+ at most\.$/ }).waitFor();
    await page.evaluate(() => {
      globalThis.shown = [];
      const look = () => {
        const [bar, words] = [document.querySelector(".busy progress"), document.querySelector(".busy .stage")];
        if (bar?.hasAttribute("value")) globalThis.shown.push([bar.value, words.textContent]);
      };
      new MutationObserver(look).observe(document.querySelector(".panel"), { childList: true, subtree: true, attributes: true });
    });
    await page.getByRole("button", { name: "Index this book" }).click();
    await built(page);
    const tasks = (await asked()).map(({ task }) => task);
    for (const task of ["entities", "triples", "events"]) assert.equal(tasks.filter((each) => each === task).length, 3, task);
    const shown = await page.evaluate(() => globalThis.shown);
    assert.deepEqual(shown.map(([share]) => share), shown.map(([share]) => share).sort((a, b) => a - b), "it never goes back");
    assert.ok(shown.some(([, words]) => /^The model reads the book \d+% · 3 of 3, [\d,]+ tokens/.test(words)), JSON.stringify(shown));
    await server.forget();
    await ask(page, QUESTION);
    assert.deepEqual(new Set((await asked()).map(({ path, task }) => task ?? path)), new Set(["/v1/embeddings", "facts", "filter", "answer"]));
    await page.evaluate(unfoldAll);
    const how = page.locator("plotbridge-ask .how");
    const rows = await how.locator("table", { hasText: "Asked of models" }).locator("tbody tr td:first-child").allTextContents();
    assert.deepEqual(new Set(rows), new Set(["question", "recognition", "filter", "generate"]), "what each stage asked");

    assert.match(await page.locator(".spent").textContent(), /^The model read 3 of 3 parts\. [\d,]+ requests and [\d,]+ tokens so far/);
    const [spent] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save what it cost" }).click()]);
    assert.match(spent.suggestedFilename(), /\.ledger\.json$/);
    const ledger = JSON.parse(readFileSync(await spent.path(), "utf8"));
    fits(ledger, LEDGER);
    const stages = ledger.calls.map(({ stage, model }) => `${stage} ${model}`);
    for (const stage of ["entities scripted-chat", "chunk_vectors scripted-embed", "generate scripted-chat"]) assert.ok(stages.includes(stage), `${stage} in ${stages}`);
    const sum = (key) => ledger.calls.reduce((all, call) => all + call[key], 0);
    for (const key of ["requests", "prompt_tokens", "completion_tokens", "cached", "retried", "estimated"]) assert.equal(ledger.total[key], sum(key), key);
    assert.doesNotMatch(JSON.stringify(ledger), new RegExp(`${KEY}|https?:|127\\.0\\.0\\.1|\\d{4}-\\d\\d-\\d\\d`), "no key, no address, no date");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the index" }).click()]);
    const saved = readFileSync(await download.path());
    assert.doesNotMatch(saved.toString(), new RegExp(`${KEY}|127\\.0\\.0\\.1|localhost`), "no key, no address");
    const other = await opened();
    await other.page.getByRole("link", { name: "Your book" }).click();
    await other.page.locator("input[type=file]").setInputFiles([{ name: "Ferry.plot.json", mimeType: "application/json", buffer: saved }]);
    await built(other.page);
    await ask(other.page, QUESTION);
    assert.match(await other.page.locator("plotbridge-ask blockquote").first().textContent(), /chapel/);
    assert.ok(await other.page.locator("plotbridge-ask .moment").count() > 0, "with a plotline");
    assert.deepEqual(await asked(), []);
    assert.deepEqual([...faults, ...other.faults], []);
    assert.deepEqual(site.reports, []);
  });

  test("a stage that comes twice, by rule and at a server, is told apart, and time left is said in words", async () => {
    const { page } = await opened();
    const told = await page.evaluate(async () => {
      const { wholeProgress } = await import(new URL("stages.js", location.href));
      const told = [];
      const hear = wholeProgress((share, words, more) => told.push([share, words, more]), { chat: true, embed: true });
      const half = (stage, more) => hear({ stage, done: 5, total: 10, ...more });
      half("triples");
      half("passages", { tokens: 1234, seconds_left: 400 });
      half("summaries", { tokens: 2345, seconds_left: 3 });
      for (const stage of ["chunk_vectors", "pons", "chunk_vectors", "fact_vectors"]) half(stage);
      return told;
    });
    assert.deepEqual(told.map(([, words]) => words), ["Finding what happens", "The model reads the book", "The model sums up", "Making it searchable", "Tying people to events", "Asking for vectors", "Asking for vectors"]);
    assert.deepEqual(told.slice(0, 3).map(([, , more]) => more), ["", "5 of 10, 1,234 tokens, about 7 minutes left", "5 of 10, 2,345 tokens, about 3 seconds left"]);
    const shares = told.map(([share]) => share);
    assert.deepEqual(shares, [...shares].sort((a, b) => a - b));
  });

  test("what the model could not do is listed afterwards, and the book is there all the same", async () => {
    const { page } = await opened();
    await use(page);
    await server.script([{ reply: "I would rather not.", task: "events" }]);
    await readByModel(page);
    await built(page);
    assert.match(await page.locator(".open .issue").first().textContent(), /events.*What rules found stands there instead\.$/);
    await picture(page, "model-left-something");
    await ask(page, QUESTION);
  });

  test("reading by the model is cancelled in the middle: nothing more is sent, and the text is kept", async () => {
    const { page } = await opened();
    await use(page);
    await server.script([{ fault: "hang", task: "triples" }]);
    const { count } = await server.log();
    await readByModel(page);
    await server.log(count + 4);
    await page.locator(".busy .stage", { hasText: "The model reads the book" }).waitFor();
    await picture(page, "model-reads");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForFunction(() => document.activeElement.id === "check-title" || document.querySelector(".check"));
    await inUse(page, "Cancelled.");
    await server.script([]);
    const { length } = await asked();
    await ask(page, "Who kept the inn at Osk Bridge?");
    assert.equal((await asked()).length, length + 1, "the question alone");
    await page.getByRole("button", { name: "Index this book" }).click();
    await built(page);
  });

  test("a server that is gone while it reads is told plainly, and the text is kept", async () => {
    const { page } = await opened();
    await use(page);
    await server.script([{ fault: "key", value: "another" }]);
    await readByModel(page);
    await page.locator(".trouble h3", { hasText: "The model’s server wants another key." }).waitFor();
    assert.equal(await page.locator(".check").count(), 1);
  });

  test("a reading position holds for what a model is given", async () => {
    const { page } = await opened();
    await use(page);
    await readByModel(page);
    await built(page);
    await page.getByLabel("How far have you read?").press("Home");
    await server.forget();
    await ask(page, "What was in the letter?");
    const said = JSON.stringify((await asked()).map(({ body }) => body));
    assert.match(said, /ferry/i);
    assert.doesNotMatch(said, /chapel|herring|mother/);
    assert.doesNotMatch(await page.locator("plotbridge-ask .result").textContent(), /chapel|herring|mother/);
  });

  test("the element alone takes models by property, and opens its book with them", async () => {
    await server.script([{ reply: WRITTEN, task: "answer" }]);
    const { page, faults } = await open(browser, `${site.url}embed.html`, { scripts: [noteAnswers] });
    await page.evaluate(({ url, key }) => {
      const element = document.querySelector("plotbridge-ask");
      element.models = { chat: { url, model: "scripted-chat", key } };
    }, { url: server.url, key: KEY });
    await ask(page, "Who kept the inn at Osk Bridge?");
    assert.equal(await page.locator("plotbridge-ask .statement strong").textContent(), "Under the chapel floor");
    assert.doesNotMatch(await left(page), new RegExp(KEY));
    assert.deepEqual(faults, []);
  });

  for (const [form, options] of Object.entries({ desktop: {}, phone: { size: PHONE }, "phone, dark": { size: PHONE, dark: true } })) {
    test(`axe finds nothing, and nothing is too wide: ${form}`, async () => {
      const { page } = await opened(options);
      const seen = async (name) => {
        assert.deepEqual([...await objections(page), ...await page.evaluate(tooWide)], [], name);
        await picture(page, `model-${form.replace(", ", "-")}-${name}`);
      };
      await fill(page, { embed: "scripted-embed", key: KEY });
      await page.getByRole("button", { name: "Try it" }).click();
      await page.locator(".trial .well").nth(1).waitFor();
      await seen("tried");
      await page.getByRole("button", { name: "Use it" }).click();
      await inUse(page, "In use");
      await server.script([{ reply: WRITTEN, task: "answer" }]);
      await readByModel(page);
      await built(page);
      await page.evaluate(() => { location.hash = "#own"; });
      await page.locator(".open").waitFor();
      await seen("built");
      await page.evaluate(() => { location.hash = "#ask"; });
      await ask(page, QUESTION);
      await seen("answered");
    });
  }
});
