// The report of an evaluation in a browser, under the policy it is made for: nothing is refused, axe finds
// nothing, nothing scrolls sideways but its tables, in light and dark, on a phone and a desktop.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";

import { report } from "../../pkg/cli/eval/report.js";
import { DESKTOP, launch, objections, open, PHONE, picture, skip, tooWide } from "./browser.js";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** One value for each measure. */
const each = (value) => ({
  f1: value, em: value, acc: value, claim_acc: null, pair_acc: null,
  recall_at: { 1: value, 5: value, 10: value, 20: value }, recall_at_tokens: { 1200: value, 6000: value }, recall_context: value, rouge_l: value,
  judge: { correctness: value, factual: null, similarity: value, coverage: null, faithfulness: null, evidence_recall: null, context_relevance: null, unread: null },
});

function means(mean) {
  return { questions: 40, ...each(mean), intervals: each([mean - 0.1, mean + 0.1]), counted: each(40), books: each(1) };
}

const method = (mean) => ({
  ...means(mean), by_type: { char: means(mean), plot: means(mean + 0.02) }, by_question_type: { "Complex Reasoning": means(mean) }, type_by: { file: 40 },
  passage_tokens_mean: 470, context_tokens_mean: 5800, ms_p50: 10, ms_p95: 30, seconds: 1.5,
  requests: 40, prompt_tokens: 90_000, completion_tokens: 4_000,
  failures: 1, failed: [{ id: `<b onclick="x">${"long".repeat(40)}`, code: "question_invalid", message: "the question is empty" }], issues: { no_choice: 2 },
});

const SWEPT = ["0.5/0.1/0.4", "0.6/0.2/0.2", "0.7/0.2/0.1"];
const NAMES = ["pons", "bm25", "pons:no-match", ...SWEPT.map((value) => `pons:alpha/beta/gamma=${value}`)];

const DOCUMENT = {
  questions: 40, generator: "a <model>", judge: "a <judge>", embedder: "built-in", books: 1, index_tokens: { text: 40_000, knowledge: 60_000 }, context_tokens: 6000, table: 8,
  runs: NAMES.map((name, at) => ({ name, method: "pons", ablate: null, config: { k1: "5" }, against: "pons", sweep: at > 2 ? { key: "alpha/beta/gamma", value: SWEPT[at - 3] } : null })),
  methods: Object.fromEntries(NAMES.map((name, at) => [name, method(0.2 + at / 10)])),
  differences: NAMES.slice(1).map((of) => ({ of, against: "pons", ...each(-0.1), intervals: each([-0.2, -0.01]), counted: each(40), differing: each(20), claimed: each(true) })),
  left_out: [], issues: [],
};

describe("the report", { skip }, () => {
  let browser;
  let server;
  let url;
  before(async () => {
    browser = await launch();
    server = createServer((request, response) => response.writeHead(200, { "content-type": "text/html", "content-security-policy": POLICY }).end(request.url === "/" ? report(DOCUMENT) : ""));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${server.address().port}/`;
  });
  after(() => Promise.all([browser?.close(), new Promise((resolve) => server.close(resolve))]));

  for (const [form, size] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
    for (const dark of [false, true]) {
      test(`fits and objects to nothing: ${form}, ${dark ? "dark" : "light"}`, async () => {
        const { page, faults } = await open(browser, url, { size, dark });
        assert.deepEqual(await objections(page), []);
        assert.deepEqual(await page.evaluate(tooWide), []);
        assert.deepEqual(faults.filter((fault) => !/favicon/.test(fault)), []);
        assert.equal(await page.evaluate(() => document.querySelectorAll("b, script").length), 0);
        await picture(page, `report-${form}-${dark ? "dark" : "light"}`);
        await page.context().close();
      });
    }
  }

  test("its plots are drawn: every bar as wide as its mean says", async () => {
    const { page } = await open(browser, url);
    const widths = await page.evaluate(() => [...document.querySelector("svg").querySelectorAll("rect.bar")].map((bar) => bar.getBBox().width));
    assert.equal(widths.length, NAMES.length);
    widths.forEach((width, at) => assert.ok(Math.abs(width / widths[0] - (0.2 + at / 10) / 0.2) < 0.01, String(widths)));
    await page.context().close();
  });
});
