/**
 * How a text is to be indexed: by rules or by the chat model, with an endpoint's vectors or without; and
 * what that means, said before it begins. Only with models in use is there a choice.
 */
import { el } from "./pkg/src/element/dom.js";
import { plural } from "./pkg/src/element/places.js";
import { box } from "./box.js";
import { modelsInUse, named, serverOf } from "./models.js";
import { keptNote } from "./replies.js";
import { Book } from "./pkg/index.js";
import { AT_ONCE, set, settings } from "./settings.js";

const QUESTIONS = 3; // to the model for each part: who, what is said of them, what happens
const ROUND = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });

let allowed = ""; // tokens, until the tab is closed: what stopped a book holds for its next beginning too

/**
 * @param {{name: string, bytes: Uint8Array, encoding?: string}} file whose name its replies are kept by
 * @param {number} parts of the text, each read by itself
 * @returns {{view: HTMLElement, chosen: () => object}} what is shown, and the options of `Book.build`
 */
export function indexing({ name, bytes, encoding }, parts) {
  const models = modelsInUse();
  if (!models) return { view: byRules(), chosen: () => ({}) };
  const { chat, embed } = models;
  const radio = (value, checked) => el("input", { type: "radio", name: "reader", value, checked, on: { change: () => tell() } });
  const [rules, model] = [radio("offline", true), radio("llm", false)];
  const vectors = el("input", { type: "checkbox", on: { change: () => tell() } });
  const atOnce = el("select", { on: { change: () => set({ concurrency: Number(atOnce.value) }) } },
    ...AT_ONCE.map((n) => el("option", { value: n, selected: n === settings.concurrency }, String(n))));
  const pace = el("label", { class: "encoding" }, el("span", {}, "Requests at once"), atOnce);
  const most = el("input", { type: "number", min: 0, max: 1e9, step: 1, value: allowed, autocomplete: "off", placeholder: "any number", on: { input: () => { allowed = most.value; } } });
  const budget = el("label", { class: "encoding budget" }, el("span", {}, "Tokens at most"), most);
  const cost = el("p", { class: "note cost", role: "status" });
  const reckoned = el("p", { class: "note reckoned", role: "status" });
  const tell = () => {
    pace.hidden = !model.checked;
    budget.hidden = !model.checked && !vectors.checked;
    const [reader, comparer] = [model.checked && chat, vectors.checked && embed];
    cost.replaceChildren(...costOf(parts, reader, comparer));
    reckoned.textContent = "";
    latest = {};
    if (reader || comparer) reckon(latest, reader, comparer);
  };
  // The sum comes a moment later: the requests are made for it, and not sent.
  let latest;
  const reckon = async (own, reader, comparer) => {
    const extraction = reader ? "llm" : "offline";
    const asked = { ...(reader && { chat }), ...(comparer && { embed }) };
    const { total } = await Book.estimate(bytes, { name, encoding, extraction, models: asked }).catch(() => ({}));
    if (total && own === latest) reckoned.textContent = `By our estimate that is ${sumOf(total)}`;
  };
  tell();
  return {
    view: el("fieldset", { class: "indexing" }, el("legend", {}, "Who reads it?"),
      box(rules, "Rules, in this tab", "Seconds, and nothing is sent."),
      box(model, named(chat), "Knows who is meant and what happens better than rules do. Minutes, or hours for a long book and a small computer."),
      embed && box(vectors, "Compare meanings too", `With vectors from ${named(embed)}.`),
      pace, cost, reckoned, budget, keptNote(name)),
    chosen: () => ({
      extraction: model.checked ? "llm" : "offline",
      models: vectors.checked ? models : { chat },
      ...(model.checked && { concurrency: settings.concurrency }),
      ...((model.checked || vectors.checked) && { resume: name, ...(most.value !== "" && { budgetTokens: most.valueAsNumber }) }),
    }),
  };
}

const byRules = () => el("p", { class: "note" },
  "It is read by rules, in this tab. ", el("a", { href: "#models" }, "A language model"), " can read it instead.");

/** What is sent and received by the estimate, in round numbers. */
function sumOf({ requests, prompt_tokens: sent, completion_tokens: received, completion_range: [, most] }) {
  const about = (n) => ROUND.format(n);
  const back = most > 0 ? `, and some ${about(received)} received, ${about(most)} at most` : "";
  return `${about(requests)} requests in all, with some ${about(sent)} tokens sent${back}.`;
}

/** What is asked of whom. */
function costOf(parts, chat, embed) {
  const strong = (words) => el("strong", {}, words);
  if (!chat && !embed) return ["Nothing is sent."];
  const sentences = [];
  if (chat) {
    sentences.push(strong(`At least ${plural(QUESTIONS * parts, "request")} to ${serverOf(chat.url)}`),
      `: each of ${plural(parts, "part")} is sent ${QUESTIONS} times, so that the whole text of the book reaches that server. `);
  }
  if (embed) sentences.push("The whole text is sent to ", strong(serverOf(embed.url)), " for vectors. ");
  return [...sentences, "Whatever it costs there, you pay."];
}
