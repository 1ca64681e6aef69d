/**
 * Whether models answer: each is used as for a book, on a story of three sentences. And what is wrong with a
 * server, found out by the package.
 */
import { Book, diagnose } from "./pkg/index.js";
import { sentence } from "./pkg/src/element/answer.js";
import { plural } from "./pkg/src/element/places.js";
import { helpForModel } from "./trouble.js";

const STORY = "Ada Bell carried the blue lamp down to the ferry. Tom Reed lit the lamp at dusk. Then Ada Bell rowed home alone.";
const QUESTION = "What colour was the lamp that Ada Bell carried?";

/**
 * @typedef {{well: boolean, words: string[], copy?: string}} Result with a setting to copy, where one helps
 * @param {import("./pkg/index.js").Models} models
 * @param {AbortSignal} signal
 * @param {(result: Result) => void} tell hears of each model, and of one that fails also why
 * @returns {Promise<boolean>} whether all went well
 */
export async function tryModels({ chat, embed }, signal, tell) {
  let well = true;
  for (const [as, trial] of [["chat", () => tryChat(chat, signal)], ["embed", embed && (() => tryEmbed(embed, signal))]]) {
    if (!trial) continue;
    const result = await trial().catch((error) => failed(error, signal));
    well &&= result.well;
    tell(result);
    if (!result.well) await find({ [as]: { chat, embed }[as] }, undefined, signal, (found) => found.well || tell(found));
  }
  return well;
}

/**
 * Every check of each server; `book` is the open one, whose vectors an embedding model's are held against.
 * @returns {Promise<boolean>} whether all went well
 */
export async function find(models, book, signal, tell) {
  let well = true;
  for (const [as, endpoint] of Object.entries(models)) {
    const held = as === "embed" && book?.info.embedding_spaces.length > 1;
    const { ok, checks, issues } = await diagnose(endpoint, { as, signal, ...(held && { book }) });
    well &&= ok;
    for (const { check, ok, message, fix, copy } of checks) tell({ well: ok, words: [`${NAMES[check] ?? check}:`, [message, fix].filter(Boolean).join(" ")], copy });
    for (const { message } of issues) tell({ well: true, words: ["To know:", message] });
  }
  return well;
}

/** What each check is called. */
const NAMES = {
  address: "Address", browser: "Browser", connection: "Connection", path: "Path", key: "Key", model: "Model", reply: "Reply",
  context: "Long prompts", vectors: "Vectors", index: "This book’s vectors",
};

async function tryChat(chat, signal) {
  const begun = performance.now();
  const { text, usage, issues } = await withBook({ chat }, signal, (book) => book.ask(QUESTION, { signal }));
  const fault = issues.find(({ code }) => code.startsWith("answer_"));
  if (fault) return { well: false, words: [`${chat.model} answered, but not well.`, sentence(fault.message)] };
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  return { well: true, words: [`${chat.model} answers.`, `Asked for the colour of a blue lamp, it said “${text.slice(0, 200)}”, in ${seconds} seconds, for ${plural(usage.prompt_tokens + usage.completion_tokens, "token")}.`] };
}

async function tryEmbed(embed, signal) {
  const spaces = await withBook({ embed }, signal, async ({ info }) => info.embedding_spaces);
  const dims = spaces.find(({ id }) => id === embed.model)?.dims ?? 0;
  return { well: true, words: [`${embed.model} gives vectors.`, `Each has ${plural(dims, "number")}.`] };
}

async function withBook(models, signal, work) {
  const book = await Book.build(STORY, { models, signal, title: "A trial" });
  try {
    return await work(book);
  } finally {
    book.close();
  }
}

function failed(error, signal) {
  if (signal.aborted) throw error;
  const { what, advice } = helpForModel(error);
  return { well: false, words: [what, `${advice} ${sentence(error?.message || "something went wrong")}`] };
}
