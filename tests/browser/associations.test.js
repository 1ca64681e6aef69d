// What CodaRAG and LightRAG found, as the page shows it: cues, names with the ways that reached them, relations
// in a table and a drawing, what was taken out and why; by keyboard, on a phone, in the dark.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ask, launch, noteAnswers, objections, open, PHONE, picture, skip, state, tooWide, unfoldAll } from "./browser.js";
import { host } from "./host.js";

const QUESTION = "What did Captain Ødegård want to know from the Commission?";
const WAYS = { seed: "cue", semantic: "relation", contextualized: "walk", functional: "likeness" };

describe("what was associated", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  /** The page after a question that was asked by a method, and the trace of its answer. */
  async function answered(method, options) {
    const keep = () => addEventListener("plotbridge-answer", ({ detail }) => { globalThis.trace = detail.trace; });
    const { page, faults } = await open(browser, site.url, { ...options, scripts: [noteAnswers, keep] });
    await state(page, "ready");
    await page.getByText("Options").click();
    await page.getByLabel("Find").selectOption(method);
    await ask(page, QUESTION);
    return { page, faults, trace: await page.evaluate(() => globalThis.trace) };
  }

  const rows = (page, caption) => page.locator("plotbridge-ask table", { has: page.locator(`caption:text-is("${caption}")`) })
    .locator("tbody tr").evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => {
      const ways = [...cell.querySelectorAll(".way")].map((way) => way.textContent);
      return ways.length > 0 ? ways : cell.textContent;
    })));

  test("coda: every stage of the trace stands there, in order, with its counts", async () => {
    const { page, faults, trace } = await answered("coda");
    await page.evaluate(unfoldAll);
    const { cues, entities, relations, eliminated } = trace;
    assert.ok(cues.by !== "" && entities.length > 3 && relations.length > 0, "there is something to show");
    assert.deepEqual(await page.locator("plotbridge-ask .stages h4").allTextContents(), ["The question", "Cues", "Associations", "Taken out", "Context", "Answer", "Time and cost"]);
    const shown = await rows(page, "Names, best first");
    assert.deepEqual(shown.map(([name, ways]) => [name, ways]), entities.map(({ name, via, places }) => [name, via.map((way, at) => `${WAYS[way]} ${places[at]}`)]));
    assert.deepEqual((await rows(page, "Relations, best first")).map(([, told]) => told), relations.map(({ description }) => description));
    if (eliminated.length > 0) assert.deepEqual((await rows(page, "Taken out, and why")).map(([, why]) => why), eliminated.map(({ reason }) => reason));
    const said = await page.locator("plotbridge-ask .how").textContent();
    for (const cue of [...cues.high, ...cues.low]) assert.ok(said.includes(cue), cue);
    assert.match(said, /goes by names and by what ties them/);
    assert.deepEqual(faults, []);
  });

  test("light: has no stage that takes out", async () => {
    const { page, faults } = await answered("light");
    await page.evaluate(unfoldAll);
    assert.deepEqual(await page.locator("plotbridge-ask .stages h4").allTextContents(), ["The question", "Cues", "Associations", "Context", "Answer", "Time and cost"]);
    assert.deepEqual(faults, []);
  });

  test("the chooser says in a line what each method does", async () => {
    const { page } = await open(browser, site.url, {});
    await state(page, "ready");
    await page.getByText("Options").click();
    const lines = new Set();
    const methods = await page.getByLabel("Find").locator("option").evaluateAll((list) => list.map(({ value }) => value));
    for (const method of methods) {
      await page.getByLabel("Find").selectOption(method);
      const id = await page.getByLabel("Find").getAttribute("aria-describedby");
      lines.add(await page.locator(`#${id}`).textContent());
    }
    assert.ok(lines.size === methods.length && lines.size >= 4 && !lines.has(""), [...lines].join(" | "));
  });

  /** A trace of which every part is there; `markup` stands wherever a book's or a model's words do. */
  const made = (page) => page.evaluate(async () => {
    const { answerView } = await import(new URL("pkg/src/element/answer.js", location.href));
    const { Places } = await import(new URL("pkg/src/element/places.js", location.href));
    const element = document.querySelector("plotbridge-ask");
    const markup = "<img src=x onerror=\"document.title='run'\">";
    const named = (name, ...ways) => ({ name, score: 1 / (ways.length + 2), via: ways.map(([way]) => way), places: ways.map(([, place]) => place) });
    const told = { ...globalThis.trace,
      method: "coda",
      cues: { high: ["why the valley is flooded"], low: ["the Commission", markup], by: "chat" },
      entities: [named("Captain Ødegård", ["seed", 1], ["semantic", 4]), named(markup, ["contextualized", 2]), named("the dam", ["functional", 3], ["newer", 9]), named("the steamer", ["seed", 2])],
      relations: [
        { source: "Captain Ødegård", target: "the steamer", keywords: ["bought", "sold"], description: "He bought it for scrap.", score: .8, weight: 3 },
        { source: markup, target: "the dam", keywords: [], description: markup, score: .4, weight: .5 },
        { source: "Captain Ødegård", target: "the cow", keywords: ["milks"], description: "He milks it.", score: .1, weight: 1 },
      ],
      eliminated: [
        { entity: "the cow", source: "", target: "", reason: "the model removed it", restored: false },
        { entity: "", source: "the cow", target: markup, reason: "one of its ends is gone", restored: false },
        { entity: "the steamer", source: "", target: "", reason: "below the others", restored: true },
      ],
    };
    const answer = { text: "An answer.", citations: [], usage: { requests: 0, prompt_tokens: 0, completion_tokens: 0 }, issues: [], trace: told };
    element.shadowRoot.querySelector(".result").replaceChildren(...answerView(answer, { places: new Places(element.book.info), open: () => {}, asked: true, reach: 1 }));
  }).then(() => page.evaluate(unfoldAll));

  test("tells ways, ties and what was taken out, as text", async () => {
    const { page, faults } = await answered("pons");
    await made(page);
    const how = page.locator("plotbridge-ask .how");
    assert.equal(await how.locator("img").count(), 0);
    assert.deepEqual((await rows(page, "Names, best first")).map(([, ways]) => ways), [["cue 1", "relation 4"], ["walk 2"], ["likeness 3", "newer 9"], ["cue 2"]]);
    assert.deepEqual((await rows(page, "Taken out, and why")).map(([what, , became]) => [what.slice(0, 8), became.slice(0, 8)]), [["the cow", "left out"], ["the cow ", "left out"], ["the stea", "put back"]]);
    assert.match(await how.textContent(), /Captain Ødegård and the steamer: bought, sold/);
    assert.match(await how.locator(".stages summary", { hasText: "Taken out" }).textContent(), /2 left out, 1 put back/);
    const drawn = how.locator(".arcs");
    assert.deepEqual([await drawn.locator(".tie").count(), await drawn.locator(".side > span").count(), await drawn.locator(".gone").allTextContents()], [3, 5, ["the cow"]]);
    const [order, hidden, stops] = await drawn.evaluate((drawing) => {
      const table = [...drawing.closest(".stage").querySelectorAll("table")].at(-1);
      return [table.compareDocumentPosition(drawing) === Node.DOCUMENT_POSITION_FOLLOWING, drawing.ariaHidden, drawing.querySelectorAll("a, button, [tabindex]").length];
    });
    assert.deepEqual([order, hidden, stops], [true, "true", 0], "the tables first; no stop in the drawing");
    assert.notEqual(await page.title(), "run");
    assert.deepEqual(faults, []);
  });

  for (const [name, options] of Object.entries({ desktop: {}, phone: { size: PHONE }, dark: { dark: true }, "phone-dark": { size: PHONE, dark: true } })) {
    test(`${name}: nothing is too wide, and axe finds nothing`, async () => {
      const { page } = await answered("pons", options);
      await made(page);
      assert.deepEqual(await page.evaluate(tooWide), []);
      await page.locator("plotbridge-ask caption", { hasText: "Names, best first" }).scrollIntoViewIfNeeded();
      await picture(page, `associations-${name}`);
      await page.locator("plotbridge-ask .arcs").scrollIntoViewIfNeeded();
      await picture(page, `associations-drawing-${name}`);
      assert.deepEqual(await objections(page), []);
    });
  }
});
