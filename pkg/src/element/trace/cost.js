/** What an answer took: time by stage on this device, and what was asked of models. */
import { plural } from "../places.js";
import { milliseconds, note, table } from "./table.js";
import { words } from "./terms.js";

/** Time and tokens of some stages, for the line that names them. */
export function spent({ timings_ms: times, calls }, stages) {
  const ms = stages.filter((stage) => Object.hasOwn(times, stage)).map((stage) => times[stage]);
  const tokens = calls.filter(({ stage }) => stages.includes(stage)).map((call) => call.prompt_tokens + call.completion_tokens);
  return [
    tokens.length > 0 && plural(sum(tokens), "token"),
    ms.length > 0 && milliseconds(sum(ms)),
  ].filter(Boolean).join(" · ");
}

/** @param {import("../../../index.js").Answer} answer */
export function costs({ trace: { timings_ms: times, calls } }) {
  const rows = Object.entries(times);
  return { title: "Time and cost", size: [calls.length > 0 && plural(sum(calls.map(({ requests }) => requests)), "request"), milliseconds(sum(Object.values(times)))].filter(Boolean).join(" · "), of: [], draw: () => [
    table("Time by stage", ["Stage", "Time#"], rows.map(([stage, ms]) => [words(stage), milliseconds(ms)])),
    calls.length > 0
      ? table("Asked of models", ["Stage", "Model", "Requests#", "Tokens sent#", "Received#", "Time#"], calls.map((call) =>
        [words(call.stage), call.model, requests(call), String(call.prompt_tokens), String(call.completion_tokens), milliseconds(call.ms)]))
      : note("No model was asked, so nothing left this page and nothing was paid."),
  ] };
}

function requests({ requests: sent, retried, cached, estimated }) {
  const more = [retried > 0 && `${retried} again`, cached > 0 && `${cached} kept from before`, estimated > 0 && `tokens of ${estimated} estimated`].filter(Boolean);
  return more.length > 0 ? `${sent} (${more.join(", ")})` : String(sent);
}

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
