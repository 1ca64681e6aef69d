// The page in every engine: asked by keyboard, with a reader's own file, without a breach of its
// policy, fit for everybody. What needs more of a driver is tested in Chromium (the other files).

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { QUESTION as FERRY_QUESTION, SMALL } from "../contract/books.js";
import { PHONE, tooSmall, tooWide, unfoldAll } from "./browser.js";
import { inEachEngine } from "./drive/engines.js";
import { host } from "./host.js";

const QUESTION = "Why was the clerk Lambert Tapp called Comma in the office?";
const FERRY = `The Ferry\n\nby Tamsin Reed\n\n\n${SMALL}\n`;

/** The page with the bundled story open, in a browser that has never seen it. */
async function fresh(tab, site) {
  site.pages.set("/blank/", "<!doctype html><title>blank</title>");
  await tab.goto(`${site.origin}/blank/`);
  await tab.eval(async () => {
    localStorage.clear();
    await new Promise((resolve) => { indexedDB.deleteDatabase("plotbridge").onsuccess = resolve; });
  });
  await tab.goto(site.url);
  await ready(tab);
}

const ready = (tab) => tab.until(() => ["ready", "answered"].includes(document.querySelector("plotbridge-ask")?.state));
const answered = (tab) => tab.until(() => document.querySelector("plotbridge-ask").state === "answered");
const quotation = async (tab) => (await tab.texts("plotbridge-ask >>> blockquote"))[0];

/** Asks through the element, as a script may. */
async function ask(tab, question) {
  await tab.eval(async (words) => void await document.querySelector("plotbridge-ask").ask(words), question);
  return quotation(tab);
}

/** Goes to the pane for one's own book, and gives it a file. */
async function choose(tab, file) {
  await tab.click("nav a[data-to=own]");
  await tab.choose("input[type=file]", file);
}

const opened = (tab) => tab.find('.open h3 "The Ferry"');

inEachEngine("the page", ({ engine, open, has }) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "plotbridge-files-"));
  const file = (name, text) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  let site;
  let tab;
  before(async () => {
    [tab, site] = await Promise.all([open(), host()]);
  });
  after(async () => {
    await Promise.all([tab?.close(), site?.close()]);
    rmSync(folder, { recursive: true });
  });

  test("is asked by keyboard, and leads into the book and back", async () => {
    await fresh(tab, site);
    await tab.press("Tab");
    assert.equal(await tab.focused(), "Skip to the question");
    await tab.press("Enter");
    await tab.press("Tab");
    assert.match(await tab.focused(), /^Your question about/);
    await tab.type(QUESTION);
    await tab.press("Enter");
    await answered(tab);
    assert.match(await quotation(tab), /comma/i);
    assert.match((await tab.texts("plotbridge-ask >>> [role=status]"))[0], /^Answer found, with \d+ moments? and \d+ passages?\.$/);
    await tab.tabTo("Open in the book:");
    await tab.press("Enter");
    await tab.until(() => document.activeElement.localName === "mark");
    assert.ok((await tab.texts("article mark")).join("").includes(await quotation(tab)), "the sentence is marked");
    await tab.tabTo("Back to the answer");
    await tab.press("Enter");
    await tab.until(() => document.querySelector("plotbridge-ask").shadowRoot.activeElement?.classList.contains("place"));
  });

  test("takes a file that is chosen: checked, indexed, asked, kept, saved and opened again", async () => {
    await fresh(tab, site);
    await choose(tab, file("ferry.txt", FERRY));
    await tab.find(".check");
    const [searched, left] = (await tab.texts(".coverage strong")).map((words) => Number(words.replace(/\D/g, "")));
    assert.equal(searched + left, FERRY.length);
    await tab.click('.check button "Index this book"');
    await opened(tab);
    const answer = await ask(tab, FERRY_QUESTION);
    assert.match(answer, /chapel/);

    await tab.goto(`${site.origin}/blank/`);
    await tab.goto(site.url);
    await opened(tab); // the browser kept it
    await tab.click("nav a[data-to=own]");
    const saved = await savedIndex(tab);
    assert.equal(saved.name, "The Ferry.plot.json");
    await fresh(tab, site);
    await choose(tab, file(saved.name, saved.text));
    await opened(tab);
    assert.equal(await ask(tab, FERRY_QUESTION), answer);
  });

  if (has("dropping of files")) test("takes a file that is dropped", async () => {
    await fresh(tab, site);
    await tab.eval((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "ferry.txt", { type: "text/plain" }));
      for (const type of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    }, FERRY);
    await tab.find(".check");
    assert.deepEqual(await tab.texts("#announcer"), ["ferry.txt is read. Check it, then index it."]);
  });

  test("breaks its policy nowhere, in page or worker", { timeout: 60_000 }, async () => {
    assert.deepEqual(site.reports, [], "in the tests before this one");
    // That nothing was reported counts only if a breach would be: commit one in each place, on purpose.
    site.pages.set("/shelf/story/breach.js", 'fetch("http://worker.invalid/").then(() => postMessage("fetched"), () => postMessage("blocked"));');
    assert.equal(await tab.eval(async () => {
      const policy = globalThis.trustedTypes?.createPolicy("breach", { createScriptURL: (address) => address });
      const address = new URL("breach.js", location.href).href;
      const worker = new Worker(policy?.createScriptURL(address) ?? address, { type: "module" });
      await fetch("http://page.invalid/").catch(() => {});
      return new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
    }), "blocked");
    await site.reported("page.invalid", ...(has("reports of workers") ? ["worker.invalid"] : []));
  });

  if (engine === "Chromium") return; // access.test.js

  test("is fit for everybody on a desktop in the light", () => fitsAll(tab, "desktop-light"));

  if (has("a size and a colour scheme to choose")) test("is fit for everybody on a phone in the dark", async (t) => {
    const phone = await open({ size: PHONE, dark: true });
    t.after(() => phone.close());
    await phone.goto(`${site.url}`);
    assert.deepEqual(await phone.eval(() => [innerWidth, matchMedia("(prefers-color-scheme: dark)").matches]), [PHONE.width, true]);
    await fitsAll(phone, "phone-dark");
  });

  async function fitsAll(seen, form) {
    await fresh(seen, site);
    for (const [state, reach] of Object.entries(STATES)) {
      await reach(seen, file);
      assert.deepEqual(await seen.objections(), [], state);
      assert.deepEqual(await seen.eval(tooWide), [], state);
      assert.deepEqual(await seen.eval(tooSmall), [], state);
      await seen.picture(`${engine}-${form}-${state}`.replaceAll(" ", "-"));
    }
  }
});

/** What a reader does to see each state, one after the other. */
const STATES = {
  ready,
  answer: (tab) => ask(tab, QUESTION),
  "how it was found": async (tab) => {
    await tab.eval(unfoldAll);
    await tab.eval(() => document.querySelector("plotbridge-ask").shadowRoot.querySelector(".timeline .drawing").scrollIntoView());
  },
  people: async (tab) => {
    await tab.click("nav a[data-to=people]");
    await tab.find(".ask-about");
  },
  reader: async (tab) => {
    await tab.click("nav a[data-to=read]");
    await tab.find("article");
  },
  "reading check": async (tab, file) => {
    await choose(tab, file("ferry.txt", FERRY));
    await tab.find(".check");
  },
  "own book": async (tab) => {
    await tab.click('.check button "Index this book"');
    await opened(tab);
    await tab.click("nav a[data-to=own]");
  },
};

/** Saves, and takes what is handed to the browser's downloads. */
async function savedIndex(tab) {
  await tab.eval(() => {
    let handed;
    URL.createObjectURL = (blob) => {
      handed = blob;
      return "blob:handed";
    };
    HTMLAnchorElement.prototype.click = function () {
      globalThis.saved = handed.text().then((text) => ({ name: this.getAttribute("download"), text }));
    };
  });
  await tab.click('.open button "Save the index"');
  return tab.until(() => globalThis.saved);
}
