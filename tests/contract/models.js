// Models of a book: endpoints as data, functions of the page, and what becomes of a book without them.
//
// Whoever runs the contract starts the scripted model server with RULES and says where it is
// (`urls.models`). What it does is told by the model's name: a page cannot script it.

import { fails, ok, plain, same } from "./assert.js";
import { QUESTION, SMALL } from "./books.js";
import { ANSWER, fits, TRACE } from "./shapes.js";

const LONG = `### Final Answer\n${"Under the chapel floor lay the iron box. ".repeat(60)}`;

/** What the scripted server does for the model of a name. */
export const RULES = [
  { fault: "hang", model: "hangs" },
  { fault: "split", value: 1, model: "splits" },
  { fault: "unknown-model", value: "absent" },
  { fault: "json-fenced", model: "fences", task: "entities" },
  { reply: LONG, model: "stalls" },
  { fault: "stall", value: 4000, model: "stalls" },
  { fault: "zeros", model: "zeros" },
  { fault: "rate-limit", value: 60, model: "busy" },
  { fault: "no-usage", model: "silent-on-cost" },
  { fault: "key", value: "second-token", model: "renews" },
];

const FINAL = "Under the chapel floor.";
const PIECES = ["### Key Facts\n> Dr. Pike bury the box ", "under the chapel floor\n### Final ", "Answer\nUnder ", "the chapel ", "floor."];

/** A chat function that writes one answer, piece by piece. */
const writes = async (_, { onText }) => {
  PIECES.forEach((piece) => onText(piece));
  return { text: PIECES.join(""), usage: { prompt_tokens: 5, completion_tokens: 7 } };
};

/** A chat function that reads any passage: its names, one event, no triple. */
export async function reads({ messages: [{ content: system }, { content: user }] }) {
  const task = /^Task: (\w+)/.exec(system)[1];
  const names = ["Ines Vale", "Captain Vale", "Dr. Pike", "Widow Groat", "chapel"].filter((name) => user.includes(name));
  const entities = names.map((name) => ({ name, type: name === "chapel" ? "place" : "person", description: `${name} is told of.` }));
  const [, event] = /((?:Captain|Ines|Widow|Dr\.) [^.]{20,200}\.)/.exec(user.replace(/\s+/g, " ")) ?? [];
  const replies = { entities: { entities }, triples: { triples: [] }, gleaning: { entities: [], triples: [] }, events: { events: event ? [{ label: "something happens", details: event }] : [] } };
  if (task === "filter") return "0, 1, 2, 3";
  if (task === "facts") return JSON.stringify({ facts: [] });
  return replies[task] ? JSON.stringify(replies[task]) : "It is told of.";
}

/** An embedding function: counts of letters, as a page's own model might give them. */
export const letters = async (texts) => texts.map((text) => Float32Array.from({ length: 26 }, (_, at) => 1 + text.toLowerCase().split(String.fromCharCode(97 + at)).length));

async function using(subject, options, work, call = "build", source = SMALL) {
  const book = await subject.Book[call](source, { ...subject.options, ...options });
  try {
    return await work(book);
  } finally {
    book.close();
  }
}

/** Asks, and holds that the events come in order and are the answer's parts. */
async function heard(book, question, options = {}) {
  const events = [];
  const answer = await book.ask(question, { ...options, onEvent: (event) => events.push(event) });
  const of = (type) => events.filter((event) => event.type === type);
  const told = of("text");
  const from = Math.max(0, told.findLastIndex(({ anew }) => anew));
  same(told.slice(from).map(({ text }) => text).join(""), answer.text, "the pieces joined are the answer");
  same(of("citation").length, answer.citations.length, "citations heard");
  same(of("usage").map(({ type: _, ...usage }) => usage), [answer.usage], "usage heard once");
  const parts = events.filter(({ type, stage }) => type !== "stage" || stage === "generate").map(({ type }) => type);
  const order = ["evidence", "stage", "text", "citation", "usage"];
  const sorted = parts.filter((type, at) => type !== parts[at - 1] && !(type === "stage" && at > parts.indexOf("text") && parts.includes("text")));
  ok(sorted.every((type, at) => at === 0 || order.indexOf(type) > order.indexOf(sorted[at - 1])), `in order: ${sorted}`);
  fits(answer, ANSWER);
  plain(answer);
  return { answer, pieces: of("text").length };
}

export const models = {
  async "endpoints build a book and answer, and the answer's events are its parts"(subject) {
    const endpoints = (model) => ({ chat: { url: subject.urls.models, model }, embed: { url: subject.urls.models, model: "scripted-embed" } });
    const stages = new Map();
    const onProgress = ({ stage, tokens }) => stages.set(stage, tokens);
    await using(subject, { models: endpoints("splits"), extraction: "llm", concurrency: 2, onProgress }, async (book) => {
      ok(stages.get("passages") > 0 && stages.get("chunk_vectors") > stages.get("passages"), "tokens are told, and add up");
      same(book.info.embedding_spaces.map(({ id }) => id).slice(1), ["scripted-embed"], "the space");
      const { answer } = await heard(book, QUESTION);
      same(answer.trace.embedding_space, "scripted-embed", "the question's space");
      same(answer.usage.requests, 4, "requests");
      same(answer.trace.calls.map(({ stage, model }) => [stage, model]), [["question", "scripted-embed"], ["recognition", "splits"], ["filter", "splits"], ["generate", "splits"]], "calls");
      same(answer.trace.filter.by, "chat", "the model chose");
      ok(answer.usage.completion_tokens > 0 && answer.citations.length > 0, "tokens and citations");
      const { start, end, quote } = answer.citations[0];
      same(quote, SMALL.slice(start, end).split(/\s+/).join(" "), "a quotation stands where it is said to");
    });
    const [one, other] = await Promise.all(["splits", "fences"].map((model) => using(subject, { models: endpoints(model), extraction: "llm" }, async (book) => (await (await book.save()).text()).replace(`"${model}"`, '"model"'))));
    same(one, other, "a fence around a reply changes nothing");
  },

  async "functions of the page build a book and answer, piece by piece"(subject) {
    const asked = [];
    const chat = Object.assign(async (request, hooks) => {
      asked.push([request, hooks.signal instanceof AbortSignal]);
      return /^Task: answer/.test(request.messages[0].content) ? writes(request, hooks) : reads(request);
    }, { model: "of-the-page" });
    await using(subject, { models: { chat, embed: letters }, extraction: "llm" }, async (book) => {
      const { answer, pieces } = await heard(book, QUESTION);
      same(answer.text, FINAL, "text");
      ok(pieces > 1, "in pieces");
      // No fact is stated, so none is recognised; what a function does not count is estimated.
      same(answer.usage.requests, 3, "requests");
      const { prompt_tokens: sent, completion_tokens: received } = answer.trace.calls.at(-1);
      same([answer.trace.calls.map(({ stage }) => stage), sent, received], [["question", "filter", "generate"], 5, 7], "calls");
      same(answer.trace.embedding_space, "page", "the question's space");
      ok(asked.every(([{ model, messages }]) => model === "of-the-page" && messages.length >= 2), "each request is whole");
      ok(asked.every(([, signal]) => signal), "each has a signal");
      ok((await book.inspect()).entities.some(({ name }) => /Vale/.test(name)), "what it read is in the book");
    });
  },

  async "a chat function alone reads nothing unless it is asked to"(subject) {
    let calls = 0;
    const chat = () => `${(calls += 1)}`;
    await using(subject, { models: { chat } }, async (book) => {
      same(calls, 0, "calls while building");
      await book.retrieve(QUESTION);
      same(calls, 0, "calls while retrieving");
      same((await heard(book, QUESTION)).answer.text, "1", "the answer");
    });
    await fails(subject, subject.Book.build(SMALL, { ...subject.options, extraction: "llm" }), "usage");
  },

  async "an index that a model read opens and answers without any, also up to a place"(subject) {
    const saved = await using(subject, { models: { chat: reads, embed: letters }, extraction: "llm" }, (book) => book.save());
    await using(subject, {}, async (book) => {
      same(book.info.embedding_spaces.length, 2, "both spaces are in the file");
      const { answer } = await heard(book, QUESTION);
      ok(/chapel/.test(answer.text) && answer.usage.requests === 0, answer.text);
      const trace = await book.retrieve(QUESTION, { upTo: { chapter: 1 } });
      fits(trace, TRACE);
      ok(trace.evidence.length > 0 && !/chapel|Groat/.test(JSON.stringify({ ...trace, question: "" })), "nothing from later");
    }, "open", saved);
    await using(subject, { models: { embed: letters } }, async (book) => {
      const whole = await book.retrieve(QUESTION);
      same(whole.embedding_space, "page", "the same function finds its space again");
    }, "open", saved);
    const other = async (texts) => (await letters(texts)).map((vector) => vector.map((x, at) => (at % 2 ? x : -x)));
    for (const embed of [other, async () => [], { url: subject.urls.models, model: "page" }, { url: subject.urls.models, model: "zeros" }]) {
      await using(subject, { models: { embed } }, async (book) => {
        const { issues, embedding_space: space } = await book.retrieve(QUESTION);
        ok(space !== "page" && issues.some(({ code }) => code === "embedding_fallback"), "another embedder is told, not an error");
      }, "open", saved);
    }
  },

  async "a function decides, thinks in steps and chooses"(subject) {
    const asked = [];
    const thoughts = ["Dr. Pike had the iron box.", "Widow Groat saw a lantern.", "So the answer is: Dr. Pike."];
    let thought = 0;
    const replies = {
      filter: () => "0", thought: () => thoughts[thought++], query_type: () => '{"ID": "mix"}',
      choice: () => "### Final Answer\nThe answer is: [Z]", claim: () => "### Final Answer\nFALSE",
    };
    const chat = async (request, hooks) => {
      const [, task] = /^Task: (\w+)/.exec(request.messages[0].content);
      asked.push(task);
      return replies[task]?.() ?? writes(request, hooks);
    };
    await using(subject, { models: { chat } }, async (book) => {
      const { answer } = await heard(book, QUESTION, { steps: 5, config: { filter: "chat", query_type: "auto" } });
      const { query_type: type, filter, steps, context_tokens: tokens, calls } = answer.trace;
      same([type, filter.by, filter.reply], [{ type: "mix", by: "chat" }, "chat", "0\n0\n0"], "who decided");
      same(steps.map(({ query }) => query), [QUESTION, ...thoughts.slice(0, 2), ""], "what was asked");
      same(steps.map((step) => step.thought), ["", ...thoughts], "what was thought");
      ok(steps.reduce((sum, step) => sum + step.context_tokens, 0) <= 6000 && tokens <= 6000, "one limit");
      same(asked, ["query_type", "filter", "thought", "filter", "thought", "filter", "thought", "answer"], "in order");
      same(calls.reduce((sum, { requests }) => sum + requests, 0), answer.usage.requests, "all are counted");

      const many = Array.from({ length: 26 }, (_, at) => `person ${at}`);
      same((await heard(book, QUESTION, { choices: many })).answer.choice, "person 25", "the last of many options");
      same((await heard(book, "Dr. Pike is honest.", { choices: ["True", "False"] })).answer.choice, "False", "a statement");
      for (const method of ["coda", "hippo", "light", "dense", "bm25"]) {
        thought = 0;
        const { trace } = await book.ask(QUESTION, { method, steps: 2, upTo: { chapter: 1 }, config: { recognition: "rule", cues: "rule", eliminate: "rule" } });
        same(trace.steps.map((step) => step.thought), ["", thoughts[0]], method);
        ok(!/chapel|Groat/.test(JSON.stringify([trace.context, trace.evidence])), "nothing from later");
      }
      replies.filter = () => "I would rather not say.";
      const odd = await book.retrieve(QUESTION, { config: { filter: "chat" } });
      same([odd.filter.by, odd.issues.map(({ code }) => code)], ["rule", ["reply_unreadable"]], "the rule stands in");
      const stop = new AbortController();
      replies.thought = () => stop.abort() ?? new Promise(() => {});
      await fails(subject, book.ask(QUESTION, { steps: 3, signal: stop.signal }), "aborted");
      same((await book.ask(QUESTION)).text, FINAL, "the next question's answer");
    });
  },

  async "an answer that is given twice is the last one, and what was heard is taken back"(subject) {
    const pieces = ["### Final Answer\nThe widow ", "did it.\n\n### Final", " Answer\nUnder the chapel ", "floor."];
    const chat = async (_, { onText }) => {
      pieces.forEach((piece) => onText(piece));
      return pieces.join("");
    };
    await using(subject, { models: { chat } }, async (book) => {
      const { answer } = await heard(book, QUESTION);
      same(answer.text, FINAL, "text");
    });
  },

  async "a call is cancelled while a function thinks, and the engine stays usable"(subject) {
    let signal;
    let called;
    const begun = new Promise((resolve) => (called = resolve));
    let patient = true;
    const chat = (request, hooks) => {
      if (!patient) return writes(request, hooks);
      signal = hooks.signal;
      called();
      return new Promise(() => {});
    };
    await using(subject, { models: { chat } }, async (book) => {
      const stop = new AbortController();
      const asking = book.ask(QUESTION, { signal: stop.signal });
      await begun;
      stop.abort();
      await fails(subject, asking, "aborted");
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      patient = false;
      same((await book.ask(QUESTION)).text, FINAL, "the next question's answer");
    });
  },

  async "a call is cancelled while a server is silent, and the engine stays usable"(subject) {
    const at = (model) => ({ models: { chat: { url: subject.urls.models, model } } });
    await using(subject, at("stalls"), async (book) => {
      const stop = new AbortController();
      const onEvent = ({ type }) => type === "text" && stop.abort();
      await fails(subject, book.ask(QUESTION, { signal: stop.signal, onEvent }), "aborted");
      ok((await book.retrieve(QUESTION)).evidence.length > 0, "the same book finds");
    });
    const stop = new AbortController();
    const onProgress = ({ stage }) => stage === "passages" && setTimeout(() => stop.abort(), 0);
    await fails(subject, subject.Book.build(SMALL, { ...subject.options, ...at("hangs"), extraction: "llm", signal: stop.signal, onProgress }), "aborted");
    await using(subject, at("scripted-chat"), async (book) => ok((await book.ask(QUESTION)).usage.requests === 1, "another book answers"));
  },

  async "a function that fails or gives what is none is its call's error"(subject) {
    const wrong = [() => 7, () => null, () => ({}), () => "", async () => ({ text: 5 }), () => { throw new Error("no model"); }, async () => { throw "no"; }];
    for (const chat of wrong) {
      await using(subject, { models: { chat } }, async (book) => {
        await fails(subject, book.ask(QUESTION), "endpoint_reply");
        ok((await book.retrieve(QUESTION)).evidence.length > 0, "the engine stays usable");
      });
    }
    for (const [embed, code] of [[() => 7, "endpoint_reply"], [() => [], "vector_invalid"], [async (texts) => texts.map(() => [0, 0]), "vector_invalid"], [async () => { throw new Error("no"); }, "endpoint_reply"]]) {
      await fails(subject, subject.Book.build(SMALL, { ...subject.options, models: { embed } }), code);
    }
  },

  async "what is no model is refused, and says what would be"(subject) {
    const { Book, options, urls } = subject;
    const url = urls.models;
    const rows = [
      [{ speech: { url, model: "m" } }, "unknown_option", /"speech".*chat, embed/],
      [{ chat: { url, model: "m", apiKey: "hidden" } }, "unknown_option", /"apiKey".*url, model, key, headers/],
      [{ chat: { url } }, "usage", /models\.chat must be/],
      [{ chat: "gpt" }, "usage", /models\.chat must be/],
      [{ embed: { url: "ftp://example.org", model: "m" } }, "usage", /./],
      [{ chat: { url, model: "m", key: 5 } }, "usage", /models\.chat\.key/],
      [[], "usage", /models/],
    ];
    for (const [given, code, words] of rows) {
      const error = await fails(subject, Book.build(SMALL, { ...options, models: given, extraction: given.chat ? "llm" : "offline" }), code);
      ok(words.test(error.message) && !error.message.includes("hidden"), error.message);
    }
    const missing = await using(subject, { models: { chat: { url, model: "absent" } } }, (book) => fails(subject, book.ask(QUESTION), "endpoint_refused"));
    ok(missing.message.includes('"absent"'), missing.message);
  },

  async "an address is relative to the page, where there is one"(subject) {
    const opened = { models: { chat: { url: "no-server-is/here", model: "m" } } };
    if (!globalThis.location) return void (await fails(subject, subject.Book.build(SMALL, { ...subject.options, ...opened }), "usage"));
    const error = await using(subject, opened, (book) => fails(subject, book.ask(QUESTION), "endpoint_refused"));
    ok(error.message.includes(globalThis.location.origin), error.message);
  },
};
