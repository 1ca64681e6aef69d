// How an answer was found, as the page shows it: what stands there is what the trace holds, in tables that
// come before the drawings, by keyboard and by mouse; and where there is nothing to show it says so.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ask, launch, noteAnswers, open, PHONE, skip, state, tooWide, unfoldAll } from "./browser.js";
import { host } from "./host.js";

const QUESTION = "What did Captain Ødegård want to know from the Commission?";
const share = (position) => new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 }).format(position);

describe("how an answer was found", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  /** The page after a question, and the trace of its answer; `prepare` comes before the question. */
  async function answered(options, prepare = () => {}) {
    const keep = () => addEventListener("plotbridge-answer", ({ detail }) => { globalThis.trace = detail.trace; });
    const { page, faults } = await open(browser, site.url, { ...options, scripts: [noteAnswers, keep] });
    await state(page, "ready");
    await prepare(page);
    await ask(page, QUESTION);
    return { page, faults, trace: await page.evaluate(() => globalThis.trace) };
  }

  /** The cells of the table whose caption this is, row by row. */
  const rows = (page, caption) => page.locator("plotbridge-ask table", { has: page.locator(`caption:text-is("${caption}")`) })
    .locator("tbody tr").evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => {
      const parts = [...cell.querySelectorAll(".chapter, .share")].map((part) => part.textContent);
      return parts.length > 0 ? parts.join(" ") : cell.textContent;
    })));

  test("the timeline and its table hold every event of the trace, where it stands", async () => {
    const { page, faults, trace } = await answered();
    await page.evaluate(unfoldAll);
    const { anchors, awakened, pairs, dropped } = trace;
    const named = [...anchors.events, ...awakened.events, ...pairs, ...dropped];
    const events = [...new Map(named.map((event) => [event.start, event])).values()].sort((a, b) => a.start - b.start);
    const shown = await rows(page, "Events in story order");
    assert.deepEqual(shown.map(([label, where]) => [label, where]), events.map(({ label, event, position }) => [label ?? event, share(position)]));
    const became = (words) => shown.filter(([, , story]) => words.test(story)).length;
    assert.deepEqual([became(/^anchor/), became(/^awakened/), became(/kept with/), became(/left out.*: /)],
      [anchors.events.length, awakened.events.length, pairs.length, dropped.length]);
    for (const [kind, list] of Object.entries({ anchor: anchors.events, awakened: awakened.events, kept: pairs, dropped })) {
      const places = await page.locator(`plotbridge-ask .timeline .mark.${kind}`).evaluateAll((marks) => marks.map((mark) => mark.parentNode.getAttribute("x")));
      assert.deepEqual(places, [...list].sort((a, b) => a.start - b.start).map(({ position }) => `${2 + position * 96}%`), kind);
    }
    assert.deepEqual(faults, []);
  });

  test("the drawing of the matching and its table hold every tie, the matched ones strong", async () => {
    const { page, trace } = await answered();
    await page.evaluate(unfoldAll);
    const { edges } = trace.matching;
    const shown = await rows(page, "Ties between characters and events");
    const key = ([character, event]) => `${character}, ${event}`;
    const sorted = (list) => list.map(key).sort();
    assert.ok(edges.some(({ matched }) => !matched) && edges.some(({ matched }) => matched), "candidates of both kinds");
    assert.deepEqual(sorted(shown), sorted(edges.map(({ character, event, position }) => [character, `${event} ${share(position)}`])));
    assert.equal(shown.filter((cells) => cells.at(-1) === "yes").length, edges.filter(({ matched }) => matched).length);
    const [ties, strong] = await Promise.all([".tie", ".tie.matched"].map((name) => page.locator(`plotbridge-ask ${name}`).count()));
    assert.deepEqual([ties, strong], [edges.length, edges.filter(({ matched }) => matched).length]);
    const names = (side) => page.locator(`plotbridge-ask .side.${side} span`).allTextContents();
    assert.deepEqual(new Set(await names("characters")), new Set(edges.map(({ character }) => character)));
    const inOrder = [...new Map(edges.map((edge) => [edge.start, edge])).values()].sort((a, b) => a.start - b.start);
    assert.deepEqual(await names("events"), inOrder.map(({ event }) => event));
  });

  test("the stages stand in their order, with the counts of the trace", async () => {
    const { page, trace } = await answered();
    await page.evaluate(unfoldAll);
    const headings = await page.locator("plotbridge-ask .stages h4").allTextContents();
    assert.deepEqual(headings, ["The question", "Facts recognised", "Anchors", "Awakened", "Matching", "Filter", "Context", "Answer", "Time and cost"]);
    const line = (heading) => page.locator("plotbridge-ask .stages summary", { hasText: heading }).first().textContent();
    const { anchors, awakened, pairs, dropped, context_tokens: tokens, evidence } = trace;
    for (const [heading, { characters, events }] of [["Anchors", anchors], ["Awakened", awakened]]) {
      assert.match(await line(heading), new RegExp(`${characters.length} characters?, ${events.length} events?`));
    }
    assert.match(await line("Filter"), new RegExp(`${pairs.length} kept, ${dropped.length} left out`));
    assert.match(await line("Context"), new RegExp(`${evidence.length} passages, ${tokens.toLocaleString("en")} tokens`));
    assert.deepEqual((await rows(page, "Left out")).map((cells) => cells.slice(1)), dropped.map(({ event, reason }) => [event, reason]));
    assert.equal(await page.locator("plotbridge-ask .verbatim").first().textContent(), trace.context);
    assert.equal((await rows(page, "Time by stage")).length, Object.keys(trace.timings_ms).length);
  });

  test("is reached by keyboard: the table before the drawing, a passage, and back", async () => {
    const { page, faults } = await answered();
    for (const name of ["How this was found", "Timeline", "The same as a table"]) {
      await tabTo(page, name);
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelector("plotbridge-ask").shadowRoot.activeElement.parentNode.children.length > 1);
    }
    await page.keyboard.press("Tab");
    assert.match(await focused(page), /^Open in the book:/);
    const order = await page.evaluate(() => {
      const { shadowRoot } = document.querySelector("plotbridge-ask");
      const [table, drawing] = ["table", ".drawing"].map((name) => shadowRoot.querySelector(`.timeline ${name}`));
      return [table.compareDocumentPosition(drawing) === Node.DOCUMENT_POSITION_FOLLOWING, drawing.ariaHidden, drawing.querySelectorAll("a, button, [tabindex]").length];
    });
    assert.deepEqual(order, [true, "true", 0], "the table first; no stop in the drawing");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.localName === "mark");
    await tabTo(page, "Back to the answer");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("plotbridge-ask").shadowRoot.activeElement?.matches("td .place"));
    assert.deepEqual(faults, []);
  });

  test("a mark that is pressed opens its passage", async () => {
    const { page, trace } = await answered();
    await page.evaluate(unfoldAll);
    const { start, end } = [...trace.pairs].sort((a, b) => a.start - b.start).at(-1); // no later mark lies on it
    await page.locator("plotbridge-ask .timeline .mark.kept").last().click();
    await page.waitForFunction((hash) => location.hash === hash && document.activeElement.localName === "mark", `#passage-${start}-${end}`);
    assert.match(await page.locator("plotbridge-ask .timeline .mark.kept title").first().textContent(), /, \d+%: .*kept with /);
  });

  test("shows how far was read, and no chapter after it", async () => {
    const { page, trace } = await answered({ size: PHONE }, async (page) => {
      await page.getByLabel("How far have you read?").press("Home");
      for (let chapter = 1; chapter < 4; chapter++) await page.getByLabel("How far have you read?").press("ArrowRight");
    });
    await page.evaluate(unfoldAll);
    const drawn = await page.locator("plotbridge-ask .timeline .drawing").evaluate((drawing) => ({
      reach: Number.parseFloat(drawing.querySelector("line.reach").getAttribute("x1")),
      marks: [...drawing.querySelectorAll(".mark")].map((mark) => Number.parseFloat(mark.parentNode.getAttribute("x"))),
      chapters: drawing.querySelectorAll(".notch").length,
    }));
    assert.equal(drawn.chapters, 4);
    assert.ok(drawn.marks.length >= trace.anchors.events.length && drawn.marks.every((x) => x <= drawn.reach), JSON.stringify(drawn));
    assert.deepEqual(await page.evaluate(tooWide), []);
  });

  test("tells what a model decided and what it cost, as text", async () => {
    const { page, faults } = await answered();
    const how = await page.evaluate(async () => {
      const { answerView } = await import(new URL("pkg/src/element/answer.js", location.href));
      const { Places } = await import(new URL("pkg/src/element/places.js", location.href));
      const element = document.querySelector("plotbridge-ask");
      const { trace } = globalThis;
      const [scene] = trace.pairs;
      const markup = "<img src=x onerror=\"document.title='run'\">";
      const step = (query, thought) => ({ query, thought, passages: trace.evidence.slice(0, 2), context_tokens: 900 });
      const told = { ...trace,
        profile: "paper",
        query_type: { type: "mix", by: "chat" },
        recognition: { by: "chat" },
        facts: [{ subject: markup, predicate: "sold", object: "a boat", score: 1, kept: true, reason: "" }, { subject: "Ida", predicate: "sold", object: "a cow", score: .5, kept: false, reason: "not about the boat" }],
        filter: { by: "chat", reply: `${markup} KEEP 1`, time: "after", scene: { ...scene, label: markup } },
        steps: [step("Who sold the boat?", "I know who, not why."), step("Why was the boat sold?", markup)],
        calls: [{ stage: "filter", model: markup, requests: 2, prompt_tokens: 1200, completion_tokens: 34, retried: 1, cached: 1, estimated: 2, ms: 1500 }],
        timings_ms: { ...trace.timings_ms, filter: 1520 },
      };
      const answer = { text: "An answer.", citations: [], usage: { requests: 2, prompt_tokens: 1200, completion_tokens: 34 }, issues: [], trace: told };
      const view = { places: new Places(element.book.info), open: () => {}, asked: true, reach: 1 };
      element.shadowRoot.querySelector(".result").replaceChildren(...answerView(answer, view));
    }).then(() => page.evaluate(unfoldAll)).then(() => page.locator("plotbridge-ask .how"));
    assert.equal(await how.locator("img").count(), 0);
    const said = await how.textContent();
    for (const words of [/paper: as the paper has it/, /mix: about people and what happens.*by the language model/, /<img src=x[^,]*, sold, a boat/, /not about the boat/,
      /for what comes after a scene/, /KEEP 1/, /Who sold the boat\?.*I know who, not why/, /Why was the boat sold\?/, /2 \(1 again, 1 kept from before, tokens of 2 estimated\)/]) assert.match(said, words);
    const line = (heading) => how.locator(".stages summary", { hasText: heading }).first().textContent();
    assert.match(await line("Facts recognised"), /1 of 2 kept/);
    assert.match(await line("Filter"), /1,234 tokens · 1\.5 s/);
    assert.match(await line("Steps"), /2 steps/);
    assert.match(await line("Time and cost"), /2 requests/);
    assert.notEqual(await page.title(), "run");
    assert.deepEqual(faults, []);
  });

  for (const [method, more] of Object.entries({ bm25: [], dense: [], hippo: ["Facts recognised", "Anchors"] })) {
    test(`${method} says that it has no plotline to show`, async () => {
      const { page } = await answered({}, async (page) => {
        await page.getByText("Options").click();
        await page.getByLabel("Find").selectOption(method);
      });
      await page.evaluate(unfoldAll);
      const how = page.locator("plotbridge-ask .how");
      assert.match(await how.textContent(), /ranks passages only.*no plotline, no timeline and no matching/);
      assert.equal(await how.locator(".drawing").count(), 0);
      assert.deepEqual(await how.locator(".stages h4").allTextContents(), ["The question", ...more, "Context", "Answer", "Time and cost"]);
    });
  }
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
