// Estimates against what the scripted server is then asked: the bundled story always, whole novels where
// they are there. Tokens are counted in two ways: by the server's own count, and by a tokenizer's table.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Book } from "../../pkg/node.js";
import { folder, run } from "./command.js";
import { modelServer } from "./model-server.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SHARED = path.join(process.env.PLOTBRIDGE_SHARED ?? path.join(ROOT, "../shared/data"), "books");
const NOVELS = ["treasure_island", "silas_marner", "the_hound_of_the_baskervilles"];
const CHAT = ["entities", "triples", "events", "gleaning", "descriptions", "summaries", "relations"];

const tokenizer = await import("gpt-tokenizer/encoding/o200k_base").then(({ encode }) => (text) => encode(text).length, () => undefined);

let server;
before(async () => (server = await modelServer()));
after(() => server.close());

const models = () => ({ chat: { url: server.url, model: "scripted-chat" }, embed: { url: server.url, model: "scripted-embed" } });
const textsOf = ({ body }) => body.messages?.map(({ content }) => content) ?? body.input;
const sum = (list) => list.reduce((all, n) => all + n, 0);
const within = (share, guess, real, what) => assert.ok(Math.abs(guess / real - 1) <= share, `${what}: ${guess} for ${real}, ${(100 * (guess / real - 1)).toFixed(1)} % off`);

/**
 * Estimates a text, builds it, and compares what was sent. What is sent of the stages `but` is held to their
 * ranges alone.
 */
async function compare(text, t, but = []) {
  const estimate = await Book.estimate(text, { models: models() });
  await server.forget();
  const book = await Book.build(text, { models: models(), extraction: "llm", concurrency: 8 });
  const { calls, total } = book.ledger;
  book.close();
  const { requests } = await server.log();
  const of = (rows, stage) => rows.find((row) => row.stage === stage) ?? { requests: 0, prompt_tokens: 0, completion_tokens: 0 };
  assert.equal(total.requests, requests.length, "the ledger counts what the server counts");
  for (const stage of ["probe", "entities", "triples", "events", "gleaning", "chunk_vectors"]) {
    const { requests_range: [least, most] } = of(estimate.stages, stage);
    const real = of(calls, stage).requests;
    assert.ok(least <= real && real <= most, `${stage}: ${real} is not in ${least} to ${most}`);
  }
  for (const { stage, requests_range, completion_range: [least, most] } of estimate.stages) {
    const { requests: sent, completion_tokens: real } = of(calls, stage);
    assert.ok(least <= real && real <= most, `${stage}: ${real} tokens received are not in ${least} to ${most}`);
    if (CHAT.includes(stage)) assert.ok(least >= 5 * requests_range[0] && most >= 5 * sent && most > least, `${stage}: ${least} to ${most} says something`);
  }
  const [fewest, most] = estimate.total.completion_range;
  assert.ok(fewest <= total.completion_tokens && total.completion_tokens <= most, `${total.completion_tokens} in all are not in ${fewest} to ${most}`);
  for (const stage of estimate.stages) {
    t.diagnostic(`${stage.stage}: ${stage.requests} requests for ${of(calls, stage.stage).requests}, ${stage.prompt_tokens} tokens for ${of(calls, stage.stage).prompt_tokens}`);
  }
  const chat = requests.filter(({ body }) => body.messages);
  const guess = sum(CHAT.map((stage) => of(estimate.stages, stage).prompt_tokens));
  const counted = sum(CHAT.map((stage) => of(calls, stage).prompt_tokens));
  t.diagnostic(`all questions: ${guess} for the server's ${counted}; everything: ${estimate.total.prompt_tokens} for ${total.prompt_tokens}`);
  const [least, greatest] = estimate.total.prompt_range;
  assert.ok(least <= total.prompt_tokens && total.prompt_tokens <= greatest, `${total.prompt_tokens} tokens sent are not in ${least} to ${greatest}`);
  const without = (all, rows) => all - sum(but.map((stage) => of(rows, stage).prompt_tokens));
  within(0.15, without(estimate.total.prompt_tokens, estimate.stages), without(total.prompt_tokens, calls), "prompt tokens by the server's count");
  if (but.length) return;
  if (tokenizer) {
    const real = sum(requests.map((request) => sum(textsOf(request).map(tokenizer))));
    t.diagnostic(`by o200k_base: ${estimate.total.prompt_tokens} for ${real}, ${chat.length} conversations`);
    within(0.15, estimate.total.prompt_tokens, real, "prompt tokens by o200k_base");
  }
}

describe("an estimate is near what is then asked", () => {
  test("by o200k_base too", { skip: tokenizer ? false : "gpt-tokenizer is missing (run npm ci): only the server's count is compared" }, () => {
    assert.equal(tokenizer("hello world"), 2);
  });

  test("of the bundled story", (t) => compare(readFileSync(path.join(ROOT, "books/white-line.txt"), "utf8"), t, ["relation_vectors"])); // names make pairs, and the server finds more of them than rules do

  for (const name of NOVELS) {
    const file = path.join(SHARED, `${name}.txt`);
    test(`of ${name}`, { skip: existsSync(file) ? false : `there is no ${name}.txt in ../shared/data/books` }, (t) => compare(readFileSync(file, "utf8"), t));
  }
});

test("estimate prints its document and a table, and asks nothing", async () => {
  const book = path.join(folder(), "story.txt");
  writeFileSync(book, readFileSync(path.join(ROOT, "books/white-line.txt"), "utf8").slice(0, 20_000));
  await server.forget();
  const env = { PLOTBRIDGE_CHAT_URL: server.url, PLOTBRIDGE_CHAT_MODEL: "scripted-chat" };
  const { status, out, err } = await run(["estimate", book, "--json"], { env });
  assert.equal(status, 0, err);
  const { stages, total, issues } = JSON.parse(out);
  assert.deepEqual(stages.slice(0, 3).map(({ stage }) => stage), ["entities", "triples", "events"]);
  assert.equal(total.requests, sum(stages.map(({ requests }) => requests)));
  assert.ok(issues.some(({ code }) => code === "estimate_modelled"));
  assert.ok(!stages.some(({ stage }) => stage.endsWith("_vectors")), "only what is configured");
  const people = await run(["estimate", book], { env });
  assert.match(people.out, /read by scripted-chat\n/);
  assert.match(people.out, /entities +\d+ +[\d,]+ +[\d,]+ +\d+ to [\d,]+\n/);
  const any = await run(["estimate", book]);
  assert.match(any.out, /No endpoint is configured.*fact vectors/s);
  assert.equal((await server.log()).requests.length, 0);
});
