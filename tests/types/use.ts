// How the interface is used, and what it refuses before anything runs.

import { Book as BookInNode } from "../../pkg/node.js";
import { Book, forgetReplies, keptReplies, Pause, PlotbridgeError, type Answer, type AskEvent, type ChatFunction, type EmbedFunction, type Endpoint, type Estimate, type KeptReplies, type LedgerDocument, type Limits, type Progress, type Trace } from "plotbridge";

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

export async function withModels(signal: AbortSignal): Promise<Book> {
  const chat: ChatFunction = async ({ messages }, { onText }) => {
    onText("Under ");
    return { text: `Under ${messages.length}`, usage: { prompt_tokens: 3 } };
  };
  const embed: EmbedFunction = (texts) => texts.map(() => new Float32Array(8));
  embed.model = "mine";
  const endpoint: Endpoint = { url: new URL("http://localhost:11434/v1"), model: "m", key: "k", headers: { "X-Title": "t" } };
  const onProgress = ({ tokens, seconds_left }: Progress) => console.log(tokens ?? 0, seconds_left ?? 0);
  (await Book.open("b.json", { models: { chat: endpoint, embed } })).close();
  return Book.build("text", { models: { chat, embed: endpoint }, extraction: "llm", concurrency: 2, signal, onProgress });
}

export async function spent(signal: AbortSignal): Promise<number> {
  const chat: Endpoint = { url: "http://localhost:11434/v1", model: "m" };
  const { stages, total }: Estimate = await Book.estimate("text", { models: { chat }, title: "A", signal });
  const [least, most]: [number, number] = total.completion_range;
  const onProgress = ({ waiting }: Progress) => console.log(waiting ?? 0);
  const limits: Limits = { requestsPerMinute: 60, tokensPerMinute: 100_000, timeoutSeconds: 60, patienceSeconds: 0 };
  using book = await Book.build("text", { models: { chat }, extraction: "llm", limits, budgetTokens: most, onProgress });
  await book.ask("why?", { budgetTokens: least });
  // @ts-expect-error a retrieval is within the budget of nothing
  await book.retrieve("why?", { budgetTokens: least });
  const { calls, total: cost }: LedgerDocument = book.ledger;
  return stages.length + calls.length + cost.seconds + (book.coverage?.read ?? 0) + (book.info.top_hub?.share ?? 0);
}

export async function resumed(signal: AbortSignal): Promise<number> {
  const pause = new Pause();
  pause.addEventListener("change", () => console.log(pause.paused));
  const chat: Endpoint = { url: "http://localhost:11434/v1", model: "m", key: async () => "token" };
  (await Book.build("text", { models: { chat }, extraction: "llm", resume: "a book", pause, signal })).close();
  // @ts-expect-error a switch is turned by its methods
  pause.paused = true;
  // @ts-expect-error opening asks nothing that could be kept
  await Book.open("b.json", { resume: "a book" });
  const kept: KeptReplies[] = await keptReplies("a book");
  await forgetReplies();
  return kept.reduce((sum, { bytes }) => sum + bytes, 0);
}

export async function wrongModels() {
  // @ts-expect-error an endpoint has a model
  await Book.open("b.json", { models: { chat: { url: "http://localhost/v1" } } });
  // @ts-expect-error no such part
  await Book.open("b.json", { models: { speech: { url: "http://localhost/v1", model: "m" } } });
  // @ts-expect-error a chat function gives a text
  await Book.open("b.json", { models: { chat: () => 5 } });
  // @ts-expect-error no such reader
  await Book.build("text", { extraction: "magic" });
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
  // @ts-expect-error no such method
  await book.ask("why?", { method: "codda" });
  // @ts-expect-error models are the book's, not a question's
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
