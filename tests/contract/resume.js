// Builds that are broken off, paused and gone on with; keys that expire. The models are functions, so that
// each call is counted where it arrives.
//
// The subject says besides `name(text)`, the name of a build in its place (in Node a path), and `lasting`,
// whether there is anything there to keep replies in.

import { fails, ok, same } from "./assert.js";
import { QUESTION, SMALL } from "./books.js";
import { letters, reads } from "./models.js";

/** A chat function and an embedding function that count what they are asked, and `after(n)` calls do `then`. */
function counting() {
  const asked = [];
  const here = { asked, at: Infinity, then: () => {} };
  const note = (request) => {
    asked.push(JSON.stringify(request));
    if (asked.length === here.at) here.then();
  };
  here.models = {
    chat: async (request) => (note(request), reads(request)),
    embed: async (texts) => (note(texts), letters(texts)),
  };
  return here;
}

const text = async (book) => {
  try {
    return await (await book.save()).text();
  } finally {
    book.close();
  }
};

/** Lets the event loop turn so often. */
async function turns(count) {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve));
}

const build = (subject, models, more = {}) => subject.Book.build(SMALL, { ...subject.options, models, extraction: "llm", ...more });

export const resume = {
  async "a build that is broken off goes on, and asks for nothing twice"(subject) {
    const whole = counting();
    const index = await text(await build(subject, whole.models));
    ok(new Set(whole.asked).size === whole.asked.length && whole.asked.length > 12, "each is asked once");
    for (const at of [1, 4, 9, whole.asked.length - 1]) {
      const resume = subject.name(`broken off at ${at}`);
      const part = counting();
      const stop = new AbortController();
      Object.assign(part, { at, then: () => stop.abort() });
      await fails(subject, build(subject, part.models, { resume, signal: stop.signal, concurrency: 1 }), "aborted");
      part.at = Infinity;
      const book = await build(subject, part.models, { resume });
      same(book.info.issues.some(({ code }) => code === "store_memory"), !subject.lasting, "whether nothing lasts is told");
      same(await text(book), index, "the index");
      if (!subject.lasting) continue;
      same(new Set(part.asked).size, whole.asked.length, "all is asked");
      ok(part.asked.length <= whole.asked.length + 1, `${part.asked.length} requests after one was on its way at ${at}`);
      const again = counting();
      same([await text(await build(subject, again.models, { resume })), again.asked.length], [index, 0], "once more nothing is asked");
      await subject.forgetReplies(resume);
    }
  },

  async "a changed model or text asks for what depends on it"(subject) {
    if (!subject.lasting) return;
    const resume = subject.name("changed");
    const first = counting();
    (await build(subject, first.models, { resume })).close();
    const chats = (asked) => asked.filter((request) => request.includes("messages")).length;
    const embed = counting();
    embed.models.embed.model = "another";
    (await build(subject, embed.models, { resume })).close();
    same([chats(embed.asked), embed.asked.length], [0, first.asked.length - chats(first.asked)], "another embedder");
    const changed = counting();
    (await subject.Book.build(SMALL.replace("burned it", "kept it"), { ...subject.options, models: changed.models, extraction: "llm", resume })).close();
    ok(chats(changed.asked) > 0 && chats(changed.asked) < chats(first.asked), "another sentence");
    await subject.forgetReplies(resume);
  },

  async "what is kept can be seen and forgotten, by name"(subject) {
    const [one, other] = [subject.name("one"), subject.name("other")];
    for (const resume of [one, other]) (await build(subject, counting().models, { resume })).close();
    const [kept, ...more] = await subject.keptReplies(one);
    if (!subject.lasting) return same(kept, undefined, "nothing lasts");
    ok(more.length === 0 && kept.name === one && kept.replies > 12 && kept.bytes > 1000, JSON.stringify(kept));
    await subject.forgetReplies(one);
    same([await subject.keptReplies(one), (await subject.keptReplies(other)).length], [[], 1], "one is forgotten");
    await subject.forgetReplies(one);
    await subject.forgetReplies(other);
    same(await subject.keptReplies(other), [], "both are");
  },

  async "while it is paused no request begins, and then it goes on"(subject) {
    const pause = new subject.Pause();
    const counted = counting();
    const { chat } = counted.models;
    let [running, heard] = [0, () => {}];
    const quiet = new Promise((resolve) => (heard = resolve));
    counted.models.chat = async (request) => {
      running += 1;
      const reply = await chat(request);
      if (counted.asked.length === 5) pause.pause();
      await turns(1);
      running -= 1;
      if (pause.paused && running === 0) heard();
      return reply;
    };
    const building = build(subject, counted.models, { pause, concurrency: 2 });
    await quiet;
    await turns(20); // a request may have begun before the message arrived
    const before = counted.asked.length;
    ok(before <= 7, `${before} requests, two of them on their way`);
    await turns(20);
    same(counted.asked.length, before, "requests while it is paused");
    pause.resume();
    same(await text(await building), await text(await build(subject, counting().models)), "the index");
  },

  async "a paused build can be cancelled"(subject) {
    const pause = new subject.Pause();
    pause.pause();
    const stop = new AbortController();
    const counted = counting();
    const onProgress = ({ stage }) => stage === "passages" && setTimeout(() => stop.abort());
    await fails(subject, build(subject, counted.models, { pause, signal: stop.signal, onProgress }), "aborted");
    same(counted.asked.length, 0, "requests");
  },

  async "a key that expires is asked for again, once, and one for all that wait"(subject) {
    const given = [];
    const keys = (...list) => async () => {
      given.push(list[Math.min(given.length, list.length - 1)]);
      return given.at(-1);
    };
    const at = (key) => ({ chat: { url: subject.urls.models, model: "renews", key } });
    const book = await build(subject, at(keys("first-token", "second-token")), { concurrency: 4 });
    ok(given.length >= 2 && given.length <= 5, `${given.length} keys for 9 requests`);
    given.length = 0;
    ok((await book.ask(QUESTION)).text.length > 0, "an answer");
    book.close();
    given.length = 0;
    const error = await fails(subject, build(subject, at(keys("first-token")), { concurrency: 1 }), "endpoint_auth");
    ok(given.length === 2 && !error.message.includes("token"), error.message);
    const failing = await fails(subject, build(subject, at(() => Promise.reject(new Error("first-token")))), "endpoint_auth");
    ok(!`${failing.message} ${JSON.stringify(failing.details)}`.includes("token"), failing.message);
  },

  async "options that are none are refused"(subject) {
    for (const wrong of [{ resume: "" }, { resume: 5 }, { pause: true }, { pause: new EventTarget() }]) {
      await fails(subject, subject.Book.build(SMALL, { ...subject.options, ...wrong }), "usage");
    }
    await fails(subject, subject.Book.open(subject.urls.index, { ...subject.options, resume: "a" }), "unknown_option");
  },
};
