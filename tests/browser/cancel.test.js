// Cancelling the indexing of a long book in a page: it rejects soon, the page stays alive, and the
// package goes on working. The times are printed; what is asserted is far above them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { launch, open, skip } from "./browser.js";
import { host } from "./host.js";

describe("cancelling", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  for (const worker of [true, false]) {
    test(`a long build ${worker ? "in a worker" : "in the page's thread"}`, async (t) => {
      const { page } = await open(browser, `${site.url}embed.html`);
      const result = await page.evaluate(cancelled, { worker, base: site.url });
      t.diagnostic(`rejected after ${result.after.map((ms) => ms.toFixed(1)).join(", ")} ms; the page's timer rang ${result.rings} times in ${result.lasted.toFixed(0)} ms; longest task of the page ${result.longest.toFixed(0)} ms`);
      assert.deepEqual(result.failures, result.after.map(() => "AbortError aborted"));
      assert.ok(Math.max(...result.after) < 1000, "each within a second");
      assert.ok(result.rings > result.lasted / 200, "the page's timer went on ringing");
      assert.equal(result.counted, 3, "the package works on");
    });
  }
});

/** Starts builds and aborts each when another stage is reached; this function is sent to the page. */
async function cancelled({ worker, base }) {
  const { Book } = await import(`${base}pkg/index.js`);
  const { long, SMALL } = await import("/contract/books.js");
  const text = long(1_500_000);
  await new Promise((resolve) => setTimeout(resolve)); // the text was made in a task of its own
  let longest = 0;
  new PerformanceObserver((list) => { longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration)); }).observe({ type: "longtask" });
  let rings = 0;
  const began = performance.now();
  const timer = setInterval(() => rings++, 5);
  const after = [];
  const failures = [];
  for (const stages of [1, 2, 3]) {
    const stop = new AbortController();
    const seen = new Set();
    let at;
    const onProgress = ({ stage }) => {
      if (seen.add(stage).size < stages || at !== undefined) return;
      at = performance.now();
      stop.abort();
    };
    const failure = await Book.build(text, { worker, signal: stop.signal, onProgress }).then(() => "it was built", ({ name, code }) => `${name} ${code}`);
    failures.push(failure);
    after.push(performance.now() - at);
  }
  const lasted = performance.now() - began;
  clearInterval(timer);
  const book = await Book.build(SMALL, { worker });
  const counted = book.info.chapters.length;
  book.close();
  return { after, failures, rings, lasted, longest, counted };
}
