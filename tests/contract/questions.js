// Retrieving and asking: shapes, offsets, and the books in which there is little to find.

import { fails, ok, plain, same } from "./assert.js";
import { AWKWARD, AWKWARD_TEXT, FOREIGN, NO_PERSONS, ONE_CHUNK, QUESTION, SMALL } from "./books.js";
import { ANSWER, fits, INSPECT, TRACE } from "./shapes.js";

const METHODS = ["pons", "coda", "hippo", "light", "dense", "bm25"];

/** Without the times, which differ from run to run. */
const timeless = (trace) => ({ ...trace, timings_ms: {} });

async function withBook({ Book, options }, text, work) {
  const book = await Book.build(text, options);
  try {
    return await work(book);
  } finally {
    book.close();
  }
}

/** Each span lies in the text and is quoted as it stands there, or with its lines joined. */
function spansAreRight(text, spans, key, what) {
  for (const span of spans) {
    const { start, end } = span;
    ok(start < end && end <= text.length, `${what} ${start}–${end} lies in the text`);
    const there = text.slice(start, end);
    same(span[key], key === "details" ? there.split(/\s+/).join(" ") : there, `${what} at ${start}`);
  }
}

/** Every event that the trace names is the event of the book that stands there. */
function eventsAreTold({ events }, { anchors, awakened, matching, dropped }) {
  const named = [anchors.events, awakened.events, matching.edges, dropped].flat();
  ok(named.length > 0, "events are named");
  for (const { label, event = label, start, end, position } of named) {
    const there = events.find((told) => told.start === start && told.end === end);
    same([there?.label, there?.position], [event, position], `the event at ${start}`);
  }
}

export const questions = {
  async "inspect has every promised key"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const inspected = await book.inspect();
      fits(inspected, INSPECT);
      plain(inspected);
      const names = inspected.entities.map(({ name }) => name);
      same(new Set(names).size, names.length, "names are unique");
      ok(inspected.entities.some(({ type }) => type === "person"), "there are persons");
      same(inspected.counts.entities, names.length, "count of entities");
      same(inspected.counts.events, inspected.events.length, "count of events");
    });
  },

  async "retrieve has every promised key, for every method"(subject) {
    await withBook(subject, SMALL, async (book) => {
      for (const method of METHODS) {
        const trace = await book.retrieve(QUESTION, { method });
        fits(trace, TRACE, method);
        plain(trace, method);
        same(trace.method, method, "method");
        same(trace.question, QUESTION, "question");
        ok(trace.evidence.length > 0, `${method} finds something`);
        const scores = trace.evidence.map(({ score }) => score);
        ok(scores.every((score, at) => at === 0 || score <= scores[at - 1]), `${method}: best first`);
      }
    });
  },

  async "ask has every promised key, and its events are the answer's parts"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const events = [];
      const answer = await book.ask(QUESTION, { onEvent: (event) => events.push(event) });
      fits(answer, ANSWER);
      plain(answer);
      same(answer.usage, { requests: 0, prompt_tokens: 0, completion_tokens: 0 }, "usage");
      ok(answer.text.includes("chapel floor"), `the answer is in the book: ${answer.text}`);
      const heard = (type) => events.filter((event) => event.type === type).map(({ type: _, ...rest }) => rest);
      const order = ["stage", "evidence", "text", "citation", "usage"];
      const places = events.map(({ type }) => order.indexOf(type));
      ok(places.every((place, at) => place >= 0 && (at === 0 || place >= places[at - 1])), `in order: ${places}`);
      ok(heard("stage").length > 0, "stages are heard");
      same(heard("evidence"), answer.trace.evidence, "the passages heard");
      same(heard("text").map(({ text }) => text).join(""), answer.text, "the text heard");
      same(heard("citation"), answer.citations, "the citations heard");
      same(heard("usage"), [answer.usage], "the usage heard");
    });
  },

  async "offsets are right after a byte order mark, CRLF and astral characters"(subject) {
    await withBook(subject, new TextEncoder().encode(AWKWARD), async (book) => {
      const text = await book.text();
      same(text, AWKWARD_TEXT, "the document text");
      same(book.info.text_length, text.length, "text_length");
      const answer = await book.ask(QUESTION);
      spansAreRight(text, answer.trace.evidence, "text", "evidence");
      spansAreRight(text, answer.trace.pairs, "details", "pair");
      eventsAreTold(await book.inspect(), answer.trace);
      for (const { start, end, focus } of answer.trace.evidence) ok(start <= focus.start && focus.end <= end, "the focus lies in its passage");
      spansAreRight(text, answer.citations, "quote", "citation");
      ok(answer.citations.length > 0, "there is a citation");
      const { events } = await book.inspect();
      spansAreRight(text, events, "details", "event");
      ok(events.some(({ details }) => details.includes("🌊")), "an event holds an astral character");
      for (const { start, end } of answer.trace.evidence) same(await book.text(start, end), text.slice(start, end), "text(start, end)");
      same(await book.text(text.length - 5), text.slice(-5), "text(start)");
      for (const { start, end } of book.info.chapters) ok(start < end && end <= text.length, "a chapter lies in the text");
    });
  },

  async "pairs are in story order, each character and each event once"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const { pairs } = await book.retrieve("What did Ines Vale find out about Dr. Pike?");
      const positions = pairs.map(({ position }) => position);
      ok(pairs.length > 0, "there are pairs");
      ok(positions.every((position, at) => position >= 0 && position <= 1 && (at === 0 || position >= positions[at - 1])), "story order");
      const names = pairs.map(({ character }) => character);
      same(new Set(names).size, names.length, "each character once");
    });
  },

  async "the context keeps its limit"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const wide = await book.retrieve(QUESTION);
      const narrow = await book.retrieve(QUESTION, { contextTokens: 100 });
      ok(narrow.context_tokens <= 100 && narrow.context_tokens < wide.context_tokens, `${narrow.context_tokens} tokens`);
    });
  },

  async "two calls at once give what each gives alone"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const alone = [await book.retrieve(QUESTION), await book.ask("Who burned the letter?")];
      const [trace, answer, text] = await Promise.all([book.retrieve(QUESTION), book.ask("Who burned the letter?"), book.text()]);
      same(timeless(trace), timeless(alone[0]), "retrieve");
      same(answer.text, alone[1].text, "ask");
      same(timeless(answer.trace), timeless(alone[1].trace), "the answer's trace");
      same(text, SMALL, "text");
    });
  },

  async "a listener may call the book again"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const inner = [];
      await book.ask(QUESTION, { onEvent: () => inner.push(book.retrieve("Who is Widow Groat?", { method: "bm25" })) });
      ok(inner.length > 0, "there were events");
      for (const trace of await Promise.all(inner)) same(trace.method, "bm25", "method");
    });
  },

  async "a choice is one of the choices, with its confidence"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const choices = ["under the chapel floor", "in a herring barrel", "in the stove"];
      const answer = await book.ask(QUESTION, { choices });
      if (answer.choice === undefined) {
        ok(answer.issues.some(({ code }) => code === "no_choice"), "no choice has its issue");
      } else {
        ok(choices.includes(answer.choice), `the choice ${answer.choice}`);
        ok(answer.confidence >= 0 && answer.confidence <= 1, `confidence ${answer.confidence}`);
      }
    });
  },

  async "several steps without a chat model are one, and it says so"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const { issues } = await book.ask(QUESTION, { steps: 3 });
      ok(issues.some(({ code }) => code === "needs_chat_model"), "needs_chat_model");
    });
  },

  async "a one-chunk book and a book without persons answer with data"(subject) {
    for (const text of [ONE_CHUNK, NO_PERSONS]) {
      await withBook(subject, text, async (book) => {
        for (const method of METHODS) fits(await book.retrieve("What happened to the river?", { method }), TRACE, method);
        fits(await book.ask("What happened to the river?"), ANSWER);
        fits(await book.inspect(), INSPECT);
      });
    }
  },

  async "a question that matches nothing is answered with not found"(subject) {
    await withBook(subject, SMALL, async (book) => {
      const answer = await book.ask(FOREIGN);
      same(answer.text, "not found in what you have read", "text");
      same(answer.citations, [], "citations");
      fits(answer, ANSWER);
    });
  },

  async "a question may hold anything but nothing"(subject) {
    await withBook(subject, SMALL, async (book) => {
      await fails(subject, book.ask(""), "question_invalid");
      await fails(subject, book.retrieve(" \n\t"), "question_invalid");
      await fails(subject, book.ask(undefined), "question_invalid");
      for (const question of ["?", "\u0000", "🌊🌊🌊", "\uD800", "<img src=x onerror=alert(1)>", "Ines ".repeat(200)]) {
        const call = book.retrieve(question);
        const refused = await call.then(() => false, () => true);
        if (refused) await fails(subject, call, "question_invalid");
        else fits(await call, TRACE, JSON.stringify(question.slice(0, 20)));
      }
    });
  },
};
