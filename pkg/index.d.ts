/// <reference lib="esnext.disposable" />

/**
 * Plotbridge: ask a book, in a web page, with no server.
 *
 * All offsets are UTF-16 units of the document text: `text.slice(start, end)` is right.
 */

/**
 * What a book or an index is read from. A string is a URL in `open`, and the text itself in `build` and
 * `read`, which refuse one that is only an address or a path.
 */
export type Source = URL | string | Request | Blob | ArrayBuffer | Uint8Array;

/** How passages are found: PonsRAG, CodaRAG, HippoRAG 2, LightRAG, cosine of the vectors, or word statistics. */
export type Method = "pons" | "coda" | "hippo" | "light" | "dense" | "bm25";

/** Tunables by name, as `--set KEY=VALUE` takes them. */
export type Config = { [key: string]: string | number };

/** What an entity is. */
export type EntityType = "person" | "group" | "place" | "object" | "other";

/** How far a long call is. `done` never falls within a stage and never exceeds `total`. */
export interface Progress {
  stage: string;
  done: number;
  total: number;
  /** Tokens that the call has cost at endpoints so far; absent in stages that ask none. */
  tokens?: number;
  /** How long the stage may still take, by what it took so far. */
  seconds_left?: number;
  /** For how many seconds nothing is sent, because a server is busy or a limit is reached; 0 once it goes on. */
  waiting?: number;
}

/** An OpenAI-compatible server and one of its models. */
export interface Endpoint {
  /** Its origin, its base (`…/v1`) or the full path of a request; in a page also a relative address. */
  url: string | URL;
  /** The server's own name for the model. */
  model: string;
  /**
   * Goes into the header `authorization` of requests to this origin, and nowhere else. A function is called before
   * the first request of a call, and once more where the server does not take its key: for keys that expire.
   */
  key?: string | (() => string | undefined | Promise<string | undefined>);
  /** Further headers. */
  headers?: { [name: string]: string };
}

/** A conversation to complete, as an endpoint would be sent it. */
export interface ChatRequest {
  model: string;
  messages: { role: "system" | "user" | "assistant"; content: string }[];
  max_tokens: number;
  temperature: number;
  stream: boolean;
  /** The JSON that the reply should be; absent for prose. */
  response_format?: { type: string; json_schema?: { name: string; schema: unknown; strict?: boolean } };
}

/** What a chat function may give besides a text. */
export interface ChatReply {
  text: string;
  finish_reason?: string;
  usage?: { prompt_tokens?: number; completion_tokens?: number };
}

/**
 * A chat model of the page's own. It stays in the page, also where the engine runs in a worker. It may give
 * the text piece by piece to `onText` on the way; `signal` aborts when the call ends. Its property `model`,
 * if it has one, is its name.
 */
export interface ChatFunction {
  (request: ChatRequest, hooks: { signal: AbortSignal; onText: (piece: string) => void }): string | ChatReply | PromiseLike<string | ChatReply>;
  model?: string;
}

/** An embedding model of the page's own: one vector for each text, in order, all of one width; their length is not important. */
export interface EmbedFunction {
  (texts: string[], hooks: { signal: AbortSignal }): ArrayLike<number>[] | PromiseLike<ArrayLike<number>[]>;
  model?: string;
}

/** The language models of a book: what is absent is done without. */
export interface Models {
  /** Writes the answers, and with `extraction: "llm"` reads the book. */
  chat?: Endpoint | ChatFunction;
  /** Embeds beside the built-in embedder. */
  embed?: Endpoint | EmbedFunction;
}

/** How fast endpoints are asked, and how long they are waited for; of one origin all models together. */
export interface Limits {
  /** Requests in a minute; where absent, what the server says of itself (`x-ratelimit-limit-requests`). */
  requestsPerMinute?: number;
  /** Tokens in a minute, sent and received; likewise. */
  tokensPerMinute?: number;
  /** How long a server may be silent; 300 where absent. */
  timeoutSeconds?: number;
  /** How long a request waits in all for a server that is busy or says when to come again; 900 where absent. */
  patienceSeconds?: number;
}

/** What one stage will cost. Where fewest and most are the same, the number is known. */
export interface EstimatedStage {
  stage: string;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  requests_range: [number, number];
  prompt_range: [number, number];
  completion_range: [number, number];
}

/** The document that `plotbridge estimate --json` prints. */
export interface Estimate {
  /** In the order in which they are asked: types, questions to each chunk, descriptions, summaries, relations, vectors. */
  stages: EstimatedStage[];
  total: EstimatedStage;
  issues: Issue[];
}

/** What was spent, as counts. */
export interface Spent {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Replies that were kept from before and cost nothing. */
  cached: number;
  /** Requests sent once more, after a fault or a reply that could not be read. */
  retried: number;
  /** Requests whose tokens are our estimate, because the server or function did not say. */
  estimated: number;
  /** How long the requests took, added up. */
  seconds: number;
}

/** What models cost, by stage and model: `OUT.ledger.json`, and `book.ledger`. */
export interface LedgerDocument {
  calls: ({ stage: string; model: string } & Spent)[];
  total: Spent;
}

/** How much of a book the models read that built it. */
export interface Coverage {
  /** Parts of the text. */
  chunks: number;
  /** Those of which every question was answered to the end; all of them where rules read. */
  read: number;
  /** What was not answered for; `code` is `reply_withheld`, `reply_unreadable`, `reply_failed`, or `reply_cut` where only the end of the reply is missing. */
  unread: { chunk: number; stage: string; code: string; why: string }[];
  /** What a model named that does not stand in its part of the text, and was left out. */
  ungrounded: { entities: number; triples: number; events: number };
}

/** The entity that most relations touch, with its share of them, 0 to 1. */
export interface Hub {
  name: string;
  share: number;
}

/** A recorded partial failure, or a fact the reader of a result should know. */
export interface Issue {
  code: string;
  message: string;
}

/** A part of the book under one heading. */
export interface Chapter {
  title: string;
  start: number;
  end: number;
}

/** How much of everything an index holds. */
export interface Counts {
  chunks: number;
  entities: number;
  mentions: number;
  triples: number;
  relations: number;
  events: number;
  clusters: number;
  pons_edges: number;
  /** Entities named in so many chunks that no event is tied to them. */
  ubiquitous: number;
}

/** One set of vectors in an index. */
export interface EmbeddingSpace {
  id: string;
  dims: number;
  encoding: string;
  tau: number;
  quantile: number;
  pons_edges: number;
  /** Mean of 1 less the cosine over all pairs of a character and an event. */
  d_cross: number;
  /** Edges between phrases that mean nearly the same, each direction by itself. */
  synonyms: number;
}

/** What is known of a book as soon as it is open. */
export interface Info {
  title: string;
  author: string;
  language: string;
  text_length: number;
  chapters: Chapter[];
  counts: Counts;
  embedding_spaces: EmbeddingSpace[];
  top_hub: Hub | null;
  /** What the index holds none of: `entities`, `relations`, `events`, `pons_edges`. */
  empty: string[];
  issues: Issue[];
}

/** The document that `plotbridge inspect --json` prints. */
export interface Inspect {
  title: string;
  counts: Counts;
  d_cross: number;
  embedding_spaces: EmbeddingSpace[];
  bytes: number;
  top_hub: Hub | null;
  /** What the index holds none of: `entities`, `relations`, `events`, `pons_edges`. */
  empty: string[];
  entities: InspectedEntity[];
  /** Which names were merged, which were looked at and not, and why. */
  merges: Merge[];
  events: InspectedEvent[];
  issues: Issue[];
}

/** A decision about two names of the book, as the book writes them. */
export interface Merge {
  one: string;
  other: string;
  /** `same`: they were merged. `different` and `uncertain`: they were not. */
  verdict: "same" | "different" | "uncertain";
  by: "rule" | "chat" | "author";
  reason: string;
  /** The UTF-16 unit where its evidence ends: a reading position before it undoes a merge. */
  evidence: number;
}

/** A person, group, place or thing of the book; names are unique in one index. */
export interface InspectedEntity {
  name: string;
  type: EntityType;
  /** The type that a chat model found for it beside the five, with `types=discover`. */
  category?: string;
  aliases: string[];
  /** From where on a reader can know each alias for a name of this entity, 0 to 1, in their order. */
  known_from: number[];
  mentions: number;
  chunks: number;
  description: string;
}

/** Something that happens, told from `start` to `end`: `details`, on one line. `position` is 0 to 1. */
export interface InspectedEvent {
  label: string;
  details: string;
  chunk: number;
  start: number;
  end: number;
  position: number;
}

/** What `Book.read` gives, and `plotbridge chunks --json` prints. */
export interface Chunks {
  title: string;
  author: string;
  language: string;
  text_length: number;
  chapters: Chapter[];
  chunks: Chunk[];
  skips: Skip[];
  issues: Issue[];
}

/** A part of the text cut for indexing; chunks and skips tile the text. */
export interface Chunk {
  id: number;
  chapter: number;
  start: number;
  end: number;
  tokens: number;
  text: string;
}

/** A part of the text that is not story, and why. */
export interface Skip {
  start: number;
  end: number;
  reason: string;
}

/** Nodes of the two layers with their scores. Labels repeat; where an event stands says which it is. */
export interface Nodes {
  characters: { name: string; score: number }[];
  events: { label: string; score: number; position: number; start: number; end: number }[];
}

/** A matched character and event that the filter kept; `details` is the text from `start` to `end` on one line. */
export interface Pair {
  character: string;
  type: EntityType;
  event: string;
  details: string;
  weight: number;
  chunk: number;
  position: number;
  start: number;
  end: number;
}

/** A pair or line that was left out, and why: by the filter, or because heavier pairs were enough. */
export interface Dropped {
  character: string;
  event: string;
  reason: string;
  position: number;
  start: number;
  end: number;
}

/** An edge between a character and an event. */
export interface Edge {
  character: string;
  event: string;
  weight: number;
  /** Whether it is a pair that the filter was given. */
  matched: boolean;
  position: number;
  start: number;
  end: number;
}

/** The candidate subgraph; `omitted` edges are not listed. */
export interface Matching {
  /** Empty for another method than PonsRAG. */
  mode: "1-to-1" | "1-to-2" | "1-to-3" | "top" | "dense" | "";
  edges: Edge[];
  omitted: number;
}

/** A passage: a span of one chunk, ranked best first. */
export interface Evidence {
  chunk: number;
  start: number;
  end: number;
  text: string;
  score: number;
  /** The part of the passage that scored; the rest is its surroundings. */
  focus: { start: number; end: number };
}

/** The document that `plotbridge retrieve --json` prints: every stage of one retrieval, as data. */
export interface Trace {
  method: Method;
  /** Which reading of PonsRAG ran; empty for another method. */
  profile: "paper" | "offline" | "";
  question: string;
  embedding_space: string;
  /**
   * What the method read, as it took effect: tunables by the names of `config`, then what the call set. `from`:
   * as by default, as the caller set it, worked out from the profile and the models there are, or the index's own.
   */
  settings: { name: string; value: number | string; from: "default" | "set" | "auto" | "index" }[];
  /** Who kept which of the `facts`; empty for a method without them. */
  recognition: { by: "chat" | "rule" | "off" | "" };
  /** Facts nearest to the question, best first, and which of them the walk over the character graph starts from. */
  facts: { subject: string; predicate: string; object: string; score: number; kept: boolean; reason: string }[];
  anchors: Nodes;
  awakened: Nodes;
  /** What pairs were chosen from: the edges between anchored and awakened nodes, at most 200, heaviest first. */
  matching: Matching;
  /** In story order: the plotline. One to one, each character and each event is in it at most once. */
  pairs: Pair[];
  dropped: Dropped[];
  /** CodaRAG and LightRAG: what the question asks for in large and in detail, and who said so. */
  cues: { high: string[]; low: string[]; by: "chat" | "rule" | "off" | "" };
  /** What the question turns on, and who told; the type is empty where nobody did. */
  query_type: { type: "char" | "plot" | "mix" | ""; by: "chat" | "rule" | "off" };
  /** How the filter decided: by whom, the chat model's reply, and what the question's word of time asks for beside which scene. */
  filter: {
    by: "chat" | "rule" | "off";
    reply: string;
    time: "" | "first" | "last" | "after" | "before";
    scene: { label: string; position: number; start: number; end: number } | null;
  };
  /** The steps of a question that was worked out in several, with the passages each found first; empty for one. */
  steps: { thought: string; query: string; passages: { chunk: number; start: number; end: number; score: number }[]; context_tokens: number }[];
  /** What the cues lead to, best first: by which pathways, and at which place in the list of each. */
  entities: { name: string; score: number; via: ("seed" | "semantic" | "contextualized" | "functional")[]; places: number[] }[];
  /** What ties two of them, best first. */
  relations: { source: string; target: string; keywords: string[]; description: string; score: number; weight: number }[];
  /** CodaRAG: an entity, or a relation with its ends, that was taken out; restored where it holds the others together. */
  eliminated: { entity: string; source: string; target: string; reason: string; restored: boolean }[];
  evidence: Evidence[];
  /** Exactly what a generator would be given. */
  context: string;
  context_tokens: number;
  /** What was asked of models, in the order in which the stages asked; for an answer with the answer's own. */
  calls: Call[];
  timings_ms: { [stage: string]: number };
  issues: Issue[];
}

/** What one stage asked of one model. */
export interface Call {
  stage: string;
  model: string;
  /** Requests sent, also those that failed. */
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Requests sent once more, after a fault or a reply that could not be read; they are among the requests. */
  retried: number;
  /** Replies that were kept from before, so that no request was sent. */
  cached: number;
  /** Requests whose tokens are our estimate, because the server or function did not say. */
  estimated: number;
  /** Milliseconds that the requests took, added up. */
  ms: number;
}

/** An exact span of the book that an answer rests on; `chapter` is its place in `info.chapters`, from 0. */
export interface Citation {
  start: number;
  end: number;
  quote: string;
  chapter: number;
}

/** One thing that was looked at of an endpoint. */
export interface Check {
  /** As what the endpoint was tried. */
  endpoint: "chat" | "embed";
  check: "address" | "browser" | "connection" | "path" | "key" | "model" | "reply" | "context" | "vectors" | "index";
  ok: boolean;
  /** What is wrong, in one word that stays the same, such as `cors`, `local_network`, `mixed_content` or `path`. */
  code?: string;
  /** In plain words; never with a key. */
  message: string;
  /** What to do. */
  fix?: string;
  /** The setting, command or address to copy for it; of several lines where the setting is. */
  copy?: string;
}

/** What `diagnose` found. */
export interface Diagnosis {
  /** Whether every check passed. */
  ok: boolean;
  /** In the order in which they were made; what comes behind a fault is not tried. */
  checks: Check[];
  issues: Issue[];
  /** What finding out cost. */
  usage: Usage;
}

/** Options of `diagnose`; those of the engine count where no book is given. */
export interface DiagnoseOptions extends EngineOptions {
  /** The vectors of an embedding endpoint are held against this book's. */
  book?: Book;
  /** As what it is to be tried; where absent as a chat model, else as an embedder. */
  as?: "chat" | "embed";
  /** As in `build`; here a server may be silent for 120 seconds, and a busy one is waited for only with `patienceSeconds`. */
  limits?: Limits;
  /** The most tokens, sent and received: prompts that do not fit are not tried, with the issue `budget`. */
  budgetTokens?: number;
}

/**
 * Uses an endpoint once and says in plain words what is wrong, with the setting to copy. A chat model gets
 * prompts of 200, 2,000, 4,000 and 8,000 tokens, to see whether the server cuts them.
 */
export function diagnose(endpoint: Endpoint, options?: DiagnoseOptions): Promise<Diagnosis>;

/** What a call spent at endpoints, or at functions that say so; all zero without one. */
export interface Usage {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** An answer with everything it rests on. */
export interface Answer {
  text: string;
  /** The option best supported by the evidence; absent, with the issue `no_choice`, when none is. */
  choice?: string;
  /** 0 to 1: of the choice, or else of the sentence; absent when nothing was found. */
  confidence?: number;
  citations: Citation[];
  usage: Usage;
  issues: Issue[];
  trace: Trace;
}

/**
 * What `onEvent` hears while an answer is made: stages, each passage, the text, each citation, and usage. A chat
 * model's text comes in pieces, after a stage of its own; joined they are `answer.text`.
 */
export type AskEvent =
  | ({ type: "stage" } & Progress)
  | ({ type: "evidence" } & Evidence)
  /** The answer's next piece; where `anew` is true, the pieces before are none of it: the model gave its answer twice. */
  | { type: "text"; text: string; anew?: true }
  | ({ type: "citation" } & Citation)
  | ({ type: "usage" } & Usage);

/** Makes a URL acceptable to `new Worker` on a site with trusted types. */
export interface ScriptUrlPolicy {
  createScriptURL(url: string): unknown;
}

/** Where the engine runs, for `open`, `build` and `read`. */
export interface EngineOptions {
  /**
   * Absent: a worker, or this thread where no worker can be made. `true`: a worker or an error.
   * `false`: this thread. In Node it is always this thread.
   */
  worker?: boolean;
  /** Another address of `worker.js`; it must be of the page's origin. */
  workerUrl?: string | URL;
  /** Another address of `wasm/plotbridge_bg.wasm`. */
  wasmUrl?: string | URL;
  /** The site's own trusted-types policy, instead of the one we make, named `plotbridge`. */
  policy?: ScriptUrlPolicy;
  /** Cancels: the promise rejects within 100 ms with code `aborted` and name `AbortError`. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** Options of `Book.open`. */
export interface OpenOptions extends EngineOptions {
  /** The models that questions are asked with. They are kept with the book, and not saved with it. */
  models?: Models;
  limits?: Limits;
}

/** Options of `Book.read`. */
export interface ReadOptions extends Omit<EngineOptions, "onProgress"> {
  /** The file's name: a hint for the format and a last resort for the title; a `File`'s and a URL's are known. */
  name?: string;
  /** The encoding to use instead of the recognised one. */
  encoding?: string;
  /** The title to use instead of the found one. */
  title?: string;
  /**
   * The chapters to use instead of the found ones, in order: each begins at `start` and reaches to the next; what
   * stands before the first is left out. Those that `Book.read` gives may be changed and given back.
   */
  chapters?: { title?: string; start: number }[];
  config?: Config;
}

/** What an author knows of a book's names, each as the book writes it. */
export interface Merges {
  /**
   * Names of one person, place or thing each: two or more, perhaps which of them it is called by, and how far
   * somebody must have read to know it. Before that, or before all are named, they are two.
   */
  same?: (string[] | { names: string[]; name?: string; from?: { chapter: number } | { offset: number } })[];
  /** Names of two. It takes apart what was merged by mistake. */
  different?: [string, string][];
}

/** Options of `Book.build`. */
export interface BuildOptions extends ReadOptions, EngineOptions {
  /** The models that the book is built and asked with. They are kept with the book, and not saved with it. */
  models?: Models;
  limits?: Limits;
  /**
   * The most tokens that the build may cost, sent and received. A request that might pass it is not sent: the
   * build rejects with `budget` once the requests on their way are answered.
   */
  budgetTokens?: number;
  /** Who reads the book: rules (`"offline"`, where absent), or `models.chat`. `models.embed` embeds it either way. */
  extraction?: "offline" | "llm";
  /** Requests sent to the chat model side by side, 1 to 64; 4 where absent. The index does not depend on it. */
  concurrency?: number;
  /** Which names of the book are one and which are not; it wins over rules and chat models, and is kept in the index. */
  merges?: Merges;
  /**
   * Keeps what the models reply, so that a build that was broken off goes on and nothing is asked for twice; what
   * is kept by another build of this name is used where the same is asked. In a page it is any name, and they are
   * kept in IndexedDB; in Node it is the path of a file. Where that fails they are held in memory, with the issue
   * `store_memory`. Nothing is kept where absent.
   */
  resume?: string;
  /** While it is paused no request is begun; those under way end. */
  pause?: Pause;
}

/** A switch for builds. It tells of a change by the event `change`. */
export class Pause extends EventTarget {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
}

/** The replies that are kept for a build. */
export interface KeptReplies {
  /** What `resume` was. */
  name: string;
  replies: number;
  bytes: number;
}

/** What is kept of one build, or in a page of all; nothing where there is no storage, or no such file. */
export function keptReplies(name?: string): Promise<KeptReplies[]>;

/** Deletes what is kept of a build, or in a page of all. */
export function forgetReplies(name?: string): Promise<void>;

/** Options of `Book.estimate`. */
export interface EstimateOptions extends ReadOptions, EngineOptions {
  models?: Models;
  extraction?: "offline" | "llm";
}

/**
 * How far the reader is: a share (0 to 1) of the way from the first chunk's start to the last one's
 * end, the end of a chapter (from 1), or a UTF-16 offset of the document text.
 */
export type Position = number | { chapter: number } | { offset: number };

/** Options of `book.retrieve`. */
export interface RetrieveOptions {
  method?: Method;
  /** Nothing that rests on later text is in the result; the whole book where absent. */
  upTo?: Position;
  /** The most tokens of the context; 6000 where absent. */
  contextTokens?: number;
  config?: Config;
  signal?: AbortSignal;
}

/** Options of `book.ask`. */
export interface AskOptions extends RetrieveOptions {
  /**
   * Retrievals at most, 1 to 10; above 1 the chat model thinks between them, and without one a single step is
   * run, with the issue `needs_chat_model`.
   */
  steps?: number;
  /** Options to choose from, 2 to 26; two that say true and false make the question a statement. */
  choices?: string[];
  /** The most tokens that the answer may cost, sent and received; a request that might pass it is not sent. */
  budgetTokens?: number;
  onEvent?: (event: AskEvent) => void;
}

/**
 * A book with its index, ready for questions. Calls may overlap. After a crash of the engine, which
 * rejects what is pending with `crashed`, the next call begins the book again in a new one.
 */
export class Book {
  private constructor();
  /** Opens an index: its address, its bytes, or the parsed JSON. */
  static open(source: Source | object, options?: OpenOptions): Promise<Book>;
  /** How a text would be read and cut, before it is indexed: title, chapters, chunks, what is left out. */
  static read(source: Source, options?: ReadOptions): Promise<Chunks>;
  /**
   * Reads a book and indexes it. With `models`, the source may be an index: then they read what no model
   * has read yet, such as what a content filter withheld, and an endpoint's vectors are made anew.
   */
  static build(source: Source, options?: BuildOptions): Promise<Book>;
  /**
   * What building a book with models would cost, before anything is sent: by `models`, or by a chat and an
   * embedding model where none is given; without a chat model with `extraction: "offline"`.
   */
  static estimate(source: Source, options?: EstimateOptions): Promise<Estimate>;
  /** Where the work is done. */
  readonly engine: "worker" | "thread";
  readonly info: Info;
  /** How much of the book its models read, of a book that was built here; `null` of one that was opened. */
  readonly coverage: Coverage | null;
  /** What models have cost so far: of the build and of each question, also of those that failed. */
  readonly ledger: LedgerDocument;
  inspect(): Promise<Inspect>;
  /** The document text, or a part of it. */
  text(start?: number, end?: number): Promise<string>;
  retrieve(question: string, options?: RetrieveOptions): Promise<Trace>;
  ask(question: string, options?: AskOptions): Promise<Answer>;
  /** The index file: the same book gives the same bytes everywhere. */
  save(): Promise<Blob>;
  /** Frees the engine; what is pending and what comes after rejects with `not_ready`. */
  close(): void;
  [Symbol.dispose](): void;
}

/** Every code an error can have. */
export type ErrorCode =
  | "usage"
  | "unknown_option"
  | "question_invalid"
  | "unreadable"
  | "unsupported_format"
  | "encoding"
  | "too_large"
  | "index_version"
  | "index_damaged"
  | "vector_invalid"
  | "endpoint_unreachable"
  | "endpoint_auth"
  | "endpoint_rate_limited"
  | "endpoint_refused"
  | "endpoint_reply"
  | "endpoint_timeout"
  | "budget"
  | "aborted"
  | "storage"
  | "not_ready"
  | "wasm_blocked"
  | "crashed";

/** What every failed call rejects with; its `name` is `AbortError` when `code` is `aborted`. */
export class PlotbridgeError extends Error {
  constructor(code: ErrorCode, message: string, more?: { details?: { [key: string]: unknown }; cause?: unknown });
  readonly code: ErrorCode;
  /** Whether the same call may succeed when made again. */
  readonly retryable: boolean;
  readonly details: { [key: string]: unknown };
}
