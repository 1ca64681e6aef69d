// Models of a command: which endpoints, and which key goes where.
//
// Each part (chat, embed, and the judge of an evaluation) has an address and a model, by a flag or else by an environment variable. A key
// stands in a variable only, never among the arguments, where other users of the machine could read it.
//
// The invariant: a key goes to the address it was set for and to none of another origin, and no message
// repeats a key, an address or the value of a flag that names a variable.

import { CODES, PlotbridgeError } from "../src/errors.js";
import { checkEndpoint, checkModels } from "../src/models.js";
import { spent } from "./ledger.js";
import { count } from "./print.js";

/** The flags of each command that asks models. */
export const MODEL_FLAGS = ["chat-url", "chat-model", "embed-url", "embed-model", "key-env", "embed-key-env"];

/** The flags of a judge that is another model than the one that answers. */
export const JUDGE_FLAGS = ["judge-url", "judge-model", "judge-key-env"];

/** The flags that say how fast and how long they are asked. */
export const LIMIT_FLAGS = ["rpm", "tpm", "timeout", "patience"];

/** The limits that the flags set, as the package takes them. */
export function limitsOf({ rpm: requestsPerMinute, tpm: tokensPerMinute, timeout: timeoutSeconds, patience: patienceSeconds }) {
  return { requestsPerMinute, tokensPerMinute, timeoutSeconds, patienceSeconds };
}

const PARTS = {
  chat: { url: "PLOTBRIDGE_CHAT_URL", model: "PLOTBRIDGE_CHAT_MODEL", key: "PLOTBRIDGE_KEY", flag: "key-env" },
  embed: { url: "PLOTBRIDGE_EMBED_URL", model: "PLOTBRIDGE_EMBED_MODEL", key: "PLOTBRIDGE_EMBED_KEY", flag: "embed-key-env" },
  judge: { url: "PLOTBRIDGE_JUDGE_URL", model: "PLOTBRIDGE_JUDGE_MODEL", key: "PLOTBRIDGE_JUDGE_KEY", flag: "judge-key-env" },
};

/** The models that the flags and the environment name, checked: `{ chat?, embed? }`; throws `usage` for half of one. */
export function modelsOf(flags, env = process.env) {
  const models = {};
  for (const part of ["chat", "embed"]) {
    const endpoint = endpointOf(part, flags, env);
    if (endpoint) models[part] = endpoint;
  }
  for (const [part, endpoint] of Object.entries(models)) addKey(part, endpoint, models.chat, flags, env);
  return checkModels(models);
}

/** The model that judges, where it is another than `chat`; none where none is named. */
export function judgeOf(flags, { chat }, env = process.env) {
  const endpoint = endpointOf("judge", flags, env);
  if (!endpoint) return undefined;
  addKey("judge", endpoint, chat, flags, env);
  return checkEndpoint(endpoint, "the judge");
}

function addKey(part, endpoint, chat, flags, env) {
  const key = keyOf(part, endpoint, flags, env) ?? sharedKey(part, endpoint, chat, flags, env);
  if (key) endpoint.key = key;
}

function endpointOf(part, flags, env) {
  const names = PARTS[part];
  const url = flags[`${part}-url`] || env[names.url];
  const model = flags[`${part}-model`] || env[names.model];
  if (url && model) return { url: address(part, url, flags), model };
  if (!url && !model) {
    if (flags[names.flag]) throw usage(`--${names.flag} is given, but no ${part} endpoint: --${part}-url and --${part}-model are missing`);
    return undefined;
  }
  const missing = url ? "model" : "url";
  throw usage(`half of a ${part} endpoint: --${part}-${missing} (or ${names[missing]}) is missing`);
}

function address(part, url, flags) {
  const from = flags[`${part}-url`] ? `--${part}-url` : PARTS[part].url;
  const parsed = tried(url);
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") throw usage(`${from} is no address: it must begin with https:// or http://`);
  if (parsed.username || parsed.password) throw usage(`${from} holds a name or a password; a key goes into ${PARTS[part].key}`);
  return parsed.href;
}

function tried(url) {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** The key that was set for an endpoint: by the variable that a flag names, else by ours, if it is for that origin. */
function keyOf(part, { url }, flags, env) {
  const { flag, url: from, key } = PARTS[part];
  if (flags[flag] !== undefined) return named(flag, flags[flag], env);
  const elsewhere = flags[`${part}-url`] && env[from] && !sameOrigin(url, env[from]);
  return elsewhere ? undefined : env[key];
}

/** The chat endpoint's key, for another endpoint of the same origin. */
function sharedKey(part, { url }, chat, flags, env) {
  if (part === "chat" || !chat || !sameOrigin(chat.url, url)) return undefined;
  return keyOf("chat", chat, flags, env);
}

/** The value of the variable that a flag names; a key given by mistake is not repeated. */
function named(flag, variable, env) {
  if (env[variable]) return env[variable];
  throw usage(`--${flag} names an environment variable that is not set; it takes a variable's name, not a key`);
}

const sameOrigin = (a, b) => (tried(a)?.origin ?? "a") === (tried(b)?.origin ?? "b");

const usage = (message) => new PlotbridgeError("usage", message);

/** Runs work that may ask models; of a failure there it says besides what is `lost` by it: words, or what gives them. */
export async function asking(models, lost, work) {
  try {
    return await work();
  } catch (thrown) {
    const { exit } = CODES[thrown?.code] ?? {};
    const theirs = exit === 4 || exit === 5 || exit === 130 || thrown?.code === "vector_invalid";
    if (!theirs || !Object.keys(models).length) throw thrown;
    throw new PlotbridgeError(thrown.code, [thrown.message, spent(thrown), ADVICE[thrown.code], typeof lost === "function" ? await lost() : lost].filter(Boolean).join("; "), { details: thrown.details, cause: thrown });
  }
}

const ADVICE = {
  endpoint_auth: "put the key into PLOTBRIDGE_KEY, or into a variable that --key-env names (PLOTBRIDGE_EMBED_KEY and --embed-key-env for embeddings, PLOTBRIDGE_JUDGE_KEY and --judge-key-env for a judge)",
  endpoint_rate_limited: "wait a while, or ask less at once",
  budget: "--budget-tokens allows more",
  endpoint_timeout: "a busy or small machine may need longer: ask less at once",
};

/** What was spent, in one line for people; nothing where nothing was. */
export function cost({ requests, prompt_tokens: sent, completion_tokens: received }) {
  return requests ? `${count(requests, "request")}, ${count(sent, "token")} sent, ${received.toLocaleString("en")} received` : "";
}
