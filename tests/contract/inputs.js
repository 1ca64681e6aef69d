// Texts and questions as they should not be: each gives a clear error, or a book that says what it lacks.

import { fails, ok, same } from "./assert.js";
import { QUESTION, SMALL } from "./books.js";

const codes = (list) => list.map(({ code }) => code);

export const inputs = {
  async "nothing, white space and other bytes are no book"(subject) {
    const { Book, options } = subject;
    const zeros = new Uint8Array(5000);
    const noise = Uint8Array.from({ length: 5000 }, (_, at) => (at * 151 + (at >> 3)) % 256);
    const zip = new TextEncoder().encode("PK\u0003\u0004 and so on");
    for (const source of ["", "\uFEFF", " \n\t\r\n".repeat(400), new Uint8Array(0)]) {
      await fails(subject, Book.build(source, options), "unreadable");
    }
    for (const source of [zeros, noise, zip]) {
      const error = await Book.build(source, options).catch((thrown) => thrown);
      ok(["unsupported_format", "encoding", "unreadable"].includes(error.code), `code ${error.code}`);
      ok(error.message.length > 10 && error.message.length < 300, error.message);
    }
  },

  async "a language that the rules are not made for is said, and the book answers"({ Book, options }) {
    for (const [text, language, issue] of [
      ["Es war spät, als sie an die Fähre kam, und niemand war da. Sie hatte lange mit der Laterne gewartet. ", "de", "language_unsupported"],
      ["Yr oedd hi yn hwyr pan ddaeth hi at y fferi, ac nid oedd neb yno. Bu'n aros yn hir gyda'r Laterne. ", "und", "language_unknown"],
    ]) {
      const book = await Book.build(text.repeat(12), options);
      ok(codes(book.info.issues).includes(issue), `issues ${codes(book.info.issues)}`);
      same(book.info.language, language, "language");
      ok((await book.retrieve("Wer hatte die Laterne?")).evidence.length > 0, "evidence");
      book.close();
    }
  },

  async "chapters of one title are told apart by their places"({ Book, options }) {
    const text = ["Ines Vale found a box.", "The box was gone.", "Ines Vale wept."].map((told) => `CHAPTER I\n\nThe Ferry\n\n${told} ${"It rained on the ferry. ".repeat(30)}`).join("\n\n");
    const book = await Book.build(text, options);
    const { chapters } = book.info;
    same(chapters.length, 3, "chapters");
    same(new Set(chapters.map(({ start }) => start)).size, 3, "starts");
    const { citations } = await book.ask("Who wept?");
    same(citations[0].chapter, 2, "the chapter cited");
    const again = await Book.open(await book.save(), options);
    same(again.info.chapters, chapters, "chapters of the file");
    again.close();
    book.close();
  },

  async "half characters in a text are replaced, in a question do no harm"({ Book, options }) {
    const book = await Book.build(SMALL.replace("locked iron box", "locked \uD800iron\uDC00 box"), options);
    const text = await book.text();
    ok(text.includes("locked \uFFFDiron\uFFFD box"), "the marks of what was lost");
    same(text.length, book.info.text_length, "length");
    ok((await book.ask(`${QUESTION} \uDFFF`)).text.length > 0, "an answer");
    book.close();
  },

  async "a question over the limit is refused with both lengths"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, options);
    for (const length of [2001, 100_000]) {
      const error = await fails(subject, book.ask("x".repeat(length)), "question_invalid");
      ok(error.message.includes(`${length} characters`) && error.message.includes("2000"), error.message);
    }
    ok((await book.retrieve("Ines ".repeat(400))).evidence.length > 0, "one at the limit is answered");
    for (const question of ["", " ", "\n\t\u00a0", "?!…"]) {
      await fails(subject, book.ask(question), "question_invalid");
    }
    book.close();
  },

  async "an index of another version says both numbers"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, options);
    const index = JSON.parse(await (await book.save()).text());
    book.close();
    for (const version of [0, index.version + 1, 99]) {
      const error = await fails(subject, Book.open({ ...index, version }, options), "index_version");
      ok(error.message.includes(`version ${version}`) && error.message.includes(`version ${index.version}`), error.message);
    }
  },

  async "a number that is too large is told with the largest, and a fraction with what is wanted"(subject) {
    const { Book, options } = subject;
    const most = 2 ** 32 - 1;
    for (const [wrong, words] of [
      [{ budgetTokens: most + 1 }, `budgetTokens is 4294967296, but must be a whole number, at most ${most}`],
      [{ budgetTokens: 1e300 }, `at most ${most}`],
      [{ budgetTokens: 1.5 }, "budgetTokens is 1.5, but must be a whole number"],
      [{ limits: { requestsPerMinute: most + 1 } }, `each a number of 1 or more, at most ${most}`],
      [{ limits: { timeoutSeconds: 1e300 } }, `at most ${most}`],
    ]) {
      const error = await fails(subject, Book.build(SMALL, { ...options, ...wrong }), "usage");
      ok(error.message.includes(words), error.message);
      ok(wrong.budgetTokens !== 1.5 || error.message.endsWith("a whole number"), error.message);
    }
    const book = await Book.build(SMALL, { ...options, budgetTokens: most, limits: { requestsPerMinute: most, timeoutSeconds: most } });
    book.close();
  },

  async "tunables beyond their range are named with it"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, options);
    const given = {
      config: [{ tau: -1.5 }, { tau: 2 }, { lambda_char: Infinity }, { lambda_plot: -1 }, { damping: 1 }, { k1: 0 }, { k2: 201 }, { k3: 1e308 }, { k4: -1 }, { min_cover: NaN }],
    };
    for (const config of given.config) {
      const [key] = Object.keys(config);
      const error = await fails(subject, book.ask(QUESTION, { config }), "usage");
      ok(error.message.includes(key), `"${error.message}" names ${key}`);
    }
    for (const contextTokens of [0, 99, 1_000_001, -1, NaN, Infinity]) {
      const error = await fails(subject, book.retrieve(QUESTION, { contextTokens }), "usage");
      ok(/context ?tokens/i.test(error.message), error.message);
    }
    for (const config of [{ dims: 7 }, { chunk_tokens: 0 }, { event_words: 201 }, { tau_quantile: NaN }, { weak_tie: -1 }]) {
      const [key] = Object.keys(config);
      const error = await fails(subject, Book.build(SMALL, { ...options, config }), "usage");
      ok(error.message.includes(key), `"${error.message}" names ${key}`);
    }
    book.close();
  },
};
