// What models cost: told before, kept within, told afterwards; and waiting for a server, which can be ended.

import { fails, ok, plain, same } from "./assert.js";
import { QUESTION, SMALL } from "./books.js";
import { COVERAGE, ESTIMATE, fits, LEDGER } from "./shapes.js";

const chatAs = (subject, model) => ({ chat: { url: subject.urls.models, model } });
const both = (subject) => ({ ...chatAs(subject, "scripted-chat"), embed: { url: subject.urls.models, model: "scripted-embed" } });

export const spending = {
  async "an estimate has the shape, asks nothing, and its questions to each part are those of the build"(subject) {
    const { Book, options } = subject;
    let asked = 0;
    const own = Object.assign(async () => { asked += 1; return "{}"; }, { model: "own" });
    const estimate = await Book.estimate(SMALL, { ...options, models: { chat: own, embed: own } });
    same(asked, 0, "requests");
    fits(estimate, ESTIMATE);
    plain(estimate);
    const book = await Book.build(SMALL, { ...options, models: both(subject), extraction: "llm" });
    const { calls, total } = book.ledger;
    const of = (rows, stage) => rows.find((row) => row.stage === stage);
    for (const stage of ["entities", "triples", "events", "gleaning", "chunk_vectors", "probe"]) {
      const [fewest, many] = of(estimate.stages, stage).requests_range;
      const { requests } = of(calls, stage);
      ok(fewest <= requests && requests <= many, `${stage}: ${fewest} <= ${requests} <= ${many}`);
      ok(fewest === many || stage === "triples", `requests for ${stage} are known`);
      const [least, most] = of(estimate.stages, stage).completion_range;
      const { completion_tokens: received } = of(calls, stage);
      ok(least <= received && received <= most, `${stage}: ${least} <= ${received} <= ${most}`);
    }
    ok(total.requests > 0 && estimate.total.prompt_tokens > 0, "both know a total");
    const offline = await Book.estimate(SMALL, { ...options, extraction: "offline" });
    ok(!of(offline.stages, "entities") && of(offline.stages, "event_vectors"), "rules ask no questions");
    book.close();
  },

  async "a ledger says by stage and model what was spent, also for questions and for what fails"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, { ...options, models: both(subject), extraction: "llm" });
    const before = book.ledger;
    fits(before, LEDGER);
    fits(book.coverage, COVERAGE);
    same([book.coverage.read, book.coverage.unread.length], [book.coverage.chunks, 0], "all is read");
    const sum = (key) => before.calls.reduce((all, call) => all + call[key], 0);
    same([sum("requests"), sum("prompt_tokens")], [before.total.requests, before.total.prompt_tokens], "the total is the sum");
    await book.ask(QUESTION);
    const [answered] = book.ledger.calls.filter(({ stage }) => stage === "generate");
    same([answered.model, answered.requests], ["scripted-chat", 1], "the question's row");
    const error = await fails(subject, book.ask(QUESTION, { budgetTokens: 10 }), "budget");
    ok(error.message.includes("budget of 10 tokens"), error.message);
    same(error.retryable, false, "retryable");
    const text = JSON.stringify(book.ledger) + (await (await book.save()).text());
    ok(!/127\.0\.0\.1|localhost|https?:/.test(text), "no address is in the ledger or the index");
    const index = await (await book.save()).text();
    for (const word of ["seconds", "prompt_tokens", "ledger", "created", "date"]) ok(!index.includes(`"${word}"`), `no ${word} is in the index`);
    book.close();
    const opened = await Book.open(JSON.parse(index), options);
    same([opened.ledger.calls, opened.coverage], [[], null], "opening costs nothing");
    opened.close();
  },

  async "a build stops before its budget is passed, and says what it spent"(subject) {
    const { Book, options } = subject;
    const whole = await Book.build(SMALL, { ...options, models: chatAs(subject, "scripted-chat"), extraction: "llm" });
    const { prompt_tokens: sent, completion_tokens: received } = whole.ledger.total;
    whole.close();
    const budgetTokens = Math.floor((sent + received) / 2);
    const error = await fails(subject, Book.build(SMALL, { ...options, models: chatAs(subject, "scripted-chat"), extraction: "llm", budgetTokens }), "budget");
    const spent = error.details.calls.reduce((all, call) => all + call.prompt_tokens + call.completion_tokens, 0);
    ok(spent > 0 && spent <= budgetTokens, `${spent} of ${budgetTokens}`);
  },

  async "what a server does not count is estimated and said so"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, { ...options, models: chatAs(subject, "silent-on-cost"), extraction: "llm" });
    const { total } = book.ledger;
    ok(total.estimated === total.requests && total.prompt_tokens > 100 && total.completion_tokens > 10, JSON.stringify(total));
    book.close();
  },

  async "a busy server is waited for, that is told, and the wait can be ended"(subject) {
    const { Book, options } = subject;
    // By another name of this machine: whoever asks the server that is busy waits too.
    const models = { chat: { url: subject.urls.models.replace("127.0.0.1", "localhost"), model: "busy" } };
    const build = (more) => Book.build(SMALL, { ...options, models, extraction: "llm", ...more });
    await fails(subject, build({ limits: { patienceSeconds: 0 } }), "endpoint_rate_limited");
    const stop = new AbortController();
    let waiting;
    const onProgress = (progress) => {
      if (progress.waiting === undefined) return;
      waiting ??= progress.waiting;
      stop.abort();
    };
    await fails(subject, build({ signal: stop.signal, onProgress }), "aborted");
    ok(waiting >= 60 && waiting <= 75, `waiting ${waiting}`);
  },
};
