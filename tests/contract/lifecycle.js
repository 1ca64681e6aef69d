// Making, saving, reopening and closing a book.

import { fails, ok, plain, same } from "./assert.js";
import { AWKWARD, AWKWARD_TEXT, long, QUESTION, SMALL } from "./books.js";
import { CHUNKS, fits, INFO } from "./shapes.js";

export const bytesOf = async (blob) => new Uint8Array(await blob.arrayBuffer());

const different = (a, b) => a.length !== b.length || a.some((byte, at) => byte !== b[at]);

export const lifecycle = {
  async "a book is built, saved and reopened to the same bytes"({ Book, options }) {
    const built = await Book.build(SMALL, { ...options, title: "The Ferry" });
    const saved = await bytesOf(await built.save());
    same(built.info.title, "The Ferry", "title");
    const opened = await Book.open(saved, options);
    ok(!different(saved, await bytesOf(await opened.save())), "the reopened book saves the same bytes");
    const { issues: _, ...info } = opened.info;
    const { issues: __, ...before } = built.info;
    same(info, before, "info");
    built.close();
    opened.close();
  },

  async "the same book gives the same bytes, whatever it was built from"({ Book, options }) {
    const bytes = new TextEncoder().encode(SMALL);
    const sources = [SMALL, bytes, bytes.buffer, new Blob([bytes])];
    const saved = [];
    for (const source of sources) {
      const book = await Book.build(source, options);
      saved.push(await bytesOf(await book.save()));
      book.close();
    }
    for (const other of saved.slice(1)) ok(!different(saved[0], other), "the same bytes");
  },

  async "an index opens from bytes, a view into them, a blob, an address and parsed JSON"({ Book, options, urls }) {
    const blob = await saved(Book, options);
    const bytes = await bytesOf(blob);
    const wide = new Uint8Array(bytes.length + 20);
    wide.set(bytes, 7);
    const parsed = JSON.parse(await blob.text());
    const sources = [bytes, bytes.buffer, wide.subarray(7, 7 + bytes.length), blob, parsed];
    for (const source of [...sources, urls.index, new URL(urls.index), new Request(urls.index)]) {
      const book = await Book.open(source, options);
      ok(book.info.counts.chunks > 0, "chunks");
      book.close();
    }
  },

  async "a text is read before it is indexed, and its chunks and skips tile it"(subject) {
    const { Book, options } = subject;
    const text = `Title: The Ferry\n\n***\n\n${AWKWARD_TEXT}`;
    const bytes = new TextEncoder().encode(text);
    for (const source of [text, bytes, new Blob([bytes])]) {
      const read = await Book.read(source, { ...options, name: "ferry.txt", title: "A Ferry" });
      fits(read, CHUNKS);
      plain(read);
      same([read.title, read.chapters.length, read.text_length], ["A Ferry", 3, text.length], "title, chapters, length");
      const tiles = [...read.chunks, ...read.skips].sort((a, b) => a.start - b.start);
      same(tiles.map(({ start }) => start), [0, ...tiles.slice(0, -1).map(({ end }) => end)], "each begins where the one before ends");
      same(tiles.at(-1).end, text.length, "the end");
      for (const { start, end, text: words } of read.chunks) same(words, text.slice(start, end), "a chunk's text");
    }
    same(bytes.length, new TextEncoder().encode(text).length, "the bytes are not detached");
    const built = await Book.build(AWKWARD, options);
    const read = await Book.read(AWKWARD, options);
    same([read.chapters, read.chunks.length, read.text_length], [built.info.chapters, built.info.counts.chunks, built.info.text_length], "what is built");
    built.close();
    await fails(subject, Book.read("", options), "unreadable");
    await fails(subject, Book.read(5, options), "usage");
    await fails(subject, Book.read(SMALL, { ...options, onProgress: () => {} }), "unknown_option");
    await fails(subject, Book.read(SMALL, { ...options, signal: AbortSignal.abort() }), "aborted");
  },

  async "a buffer passed in is neither detached nor changed"({ Book, options }) {
    const bytes = new TextEncoder().encode(SMALL);
    const index = await bytesOf(await saved(Book, options));
    const copies = [bytes.slice(), index.slice()];
    (await Book.build(bytes, options)).close();
    (await Book.build(bytes.buffer, options)).close();
    (await Book.open(index, options)).close();
    (await Book.open(index.buffer, options)).close();
    ok(!different(bytes, copies[0]) && !different(index, copies[1]), "both are as they were");
  },

  async "info has every promised key, and says where the engine runs"({ Book, options, engine }) {
    const book = await Book.build(SMALL, options);
    fits(book.info, INFO, "info");
    plain(book.info, "info");
    same(book.engine, engine, "engine");
    same(book.info.chapters.length, 3, "chapters");
    book.close();
  },

  async "progress is heard by stage and never falls back"({ Book, options }) {
    const heard = [];
    const book = await Book.build(long(100_000), { ...options, onProgress: (progress) => heard.push(progress) });
    ok(heard.length > 1, `there is progress: ${heard.length}`);
    const stages = [];
    let last;
    for (const { stage, done, total } of heard) {
      ok(done >= 0 && done <= total, `${stage}: ${done} of ${total}`);
      if (stage !== last?.stage) {
        ok(!stages.includes(stage), `${stage} does not come back after ${last?.stage}`);
        stages.push(stage);
      } else {
        ok(done >= last.done, `${stage} goes on from ${last.done}, not to ${done}`);
      }
      last = { stage, done };
    }
    heard.forEach((progress) => plain(progress, "progress"));
    book.close();
  },

  async "a listener that throws fails its call with what it threw"({ Book, options }) {
    const thrown = new Error("the page's own fault");
    const onProgress = () => {
      throw thrown;
    };
    const result = await Book.build(SMALL, { ...options, onProgress }).catch((error) => error);
    ok(result === thrown, "the listener's error");
  },

  async "after close, calls are refused; closing twice is nothing"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, options);
    const pending = book.ask(QUESTION);
    book.close();
    await fails(subject, pending, "not_ready");
    await fails(subject, book.ask(QUESTION), "not_ready");
    await fails(subject, book.text(), "not_ready");
    book.close();
    book[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
  },

  async "a book is made by open or build only"({ Book, PlotbridgeError }) {
    let error;
    try {
      new Book();
    } catch (thrown) {
      error = thrown;
    }
    ok(error instanceof PlotbridgeError && error.code === "not_ready", "new Book() is refused with the way to do it");
  },

  async "many books are opened and closed one after the other"({ Book, options }) {
    const index = await saved(Book, options);
    for (let i = 0; i < 20; i++) (await Book.open(index, options)).close();
  },
};

async function saved(Book, options) {
  const book = await Book.build(SMALL, options);
  const blob = await book.save();
  same(blob.type, "application/json", "type");
  book.close();
  return blob;
}
