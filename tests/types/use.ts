// How the interface is used, and what it refuses before anything runs.

import { Book as BookInNode } from "../../pkg/node.js";
import { Book, PlotbridgeError, type Answer, type AskEvent, type Trace } from "plotbridge";

export async function used(signal: AbortSignal): Promise<Answer> {
  using book = await Book.build("text", { name: "a.txt", worker: false, signal, config: { chunk_tokens: 256, encoding: "f32" } });
  const engine: "worker" | "thread" = book.engine;
  const trace: Trace = await book.retrieve("why?", { method: "bm25", contextTokens: 1000 });
  const first: string | undefined = trace.pairs[0]?.character;
  const milliseconds: number | undefined = trace.timings_ms["anchor"];
  const onEvent = (event: AskEvent) => {
    if (event.type === "text") console.log(event.text, engine, first, milliseconds);
  };
  return book.ask("why?", { choices: ["a", "b"], onEvent });
}

export async function read(signal: AbortSignal): Promise<number> {
  const { chunks, skips } = await Book.read("text", { name: "a.txt", title: "A", encoding: "utf-8", signal });
  // @ts-expect-error reading is short: it tells no progress
  await Book.read("text", { onProgress: () => {} });
  return [...chunks, ...skips].reduce((length, { start, end }) => length + end - start, 0);
}

export async function opened() {
  for (const source of [new URL("https://example.test/b.json"), new Blob([]), new Uint8Array(), new ArrayBuffer(1), { version: 1 }]) {
    await Book.open(source, { workerUrl: "/worker.js", wasmUrl: new URL("https://example.test/p.wasm"), policy: { createScriptURL: (url) => url } });
  }
}

export function told(error: unknown): string {
  if (!(error instanceof PlotbridgeError)) return "not ours";
  return error.code === "aborted" ? error.name : `${error.message} ${error.retryable}`;
}

export async function refused(book: Book) {
  // @ts-expect-error a book is made by open or build
  new Book();
  // @ts-expect-error no such option
  await book.ask("why?", { contextToken: 5 });
  // @ts-expect-error no such method in this version
  await book.ask("why?", { method: "coda" });
  // @ts-expect-error not in this version
  await book.ask("why?", { models: {} });
  // @ts-expect-error a question is a text
  await book.ask(5);
  // @ts-expect-error an object is no book
  await Book.build({});
  // @ts-expect-error the interface is read-only
  book.engine = "worker";
}

/** Node's entry, imported by its path, has the same types. */
export const inNode = (text: string): Promise<BookInNode> => BookInNode.build(text, { worker: false });
