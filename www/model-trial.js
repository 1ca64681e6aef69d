/** Whether models answer: each is used as for a book, on a story of three sentences. */
import { Book } from "./pkg/index.js";
import { sentence } from "./pkg/src/element/answer.js";
import { plural } from "./pkg/src/element/places.js";
import { helpForModel } from "./trouble.js";

const STORY = "Ada Bell carried the blue lamp down to the ferry. Tom Reed lit the lamp at dusk. Then Ada Bell rowed home alone.";
const QUESTION = "What colour was the lamp that Ada Bell carried?";

/**
 * @param {import("./pkg/index.js").Models} models
 * @param {AbortSignal} signal
 * @param {(result: {well: boolean, words: string[]}) => void} tell hears of each model
 * @returns {Promise<boolean>} whether all went well
 */
export async function tryModels({ chat, embed }, signal, tell) {
  let well = true;
  for (const trial of [() => tryChat(chat, signal), embed && (() => tryEmbed(embed, signal))].filter(Boolean)) {
    const result = await trial().catch((error) => failed(error, signal));
    well &&= result.well;
    tell(result);
  }
  return well;
}

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
