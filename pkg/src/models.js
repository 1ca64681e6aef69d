// Models: endpoints as data, or functions of the page's own.
//
// A function cannot cross into a worker, so there it is a placeholder that asks the page by message;
// `portable` makes the placeholder, `revived` the function behind it. In the thread the page's own
// function is called. The key of an endpoint may be a function too, for keys that expire. Keys go to the
// engine and nowhere else.

import { PlotbridgeError } from "./errors.js";

const PARTS = ["chat", "embed"];
const OF_ENDPOINT = ["url", "model", "key", "headers"];

const text = (value) => typeof value === "string";
const texts = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && Object.values(value).every(text);

/** The models of a call, checked and copied, with absolute addresses; throws for what is none. */
export function checkModels(given) {
  if (given === null || typeof given !== "object" || Array.isArray(given)) throw wrong("models must be an object with chat, embed or both");
  const models = {};
  for (const [part, model] of Object.entries(given)) {
    if (!PARTS.includes(part)) throw unknown("models", part, PARTS);
    if (model === undefined || model === null) continue;
    models[part] = typeof model === "function" ? model : checkEndpoint(model, `models.${part}`, " or a function");
  }
  return models;
}

/** An endpoint as data, checked and copied; `name` is what a message calls it. */
export function checkEndpoint(given, name = "the endpoint", or = "") {
  const must = `${name} must be { url, model, key?, headers? }${or}`;
  if (given === null || typeof given !== "object" || Array.isArray(given)) throw wrong(must);
  const { url, model, key, headers } = given;
  const stray = Object.keys(given).find((name) => !OF_ENDPOINT.includes(name));
  if (stray) throw unknown(name, stray, OF_ENDPOINT);
  if (!((text(url) || url instanceof URL) && text(model))) throw wrong(must);
  if (key !== undefined && !text(key) && typeof key !== "function") throw wrong(`${name}.key must be a text, or a function that gives one`);
  if (headers !== undefined && !texts(headers)) throw wrong(`${name}.headers must be an object of texts`);
  const made = { url: absolute(name, url), model };
  if (key !== undefined) made.key = text(key) ? key : once(key);
  if (headers !== undefined) made.headers = { ...headers };
  return made;
}

/** A function that gives a key, called without arguments and not again while it works. */
function once(key) {
  let working;
  return () => (working ??= new Promise((resolve) => resolve(key())).finally(() => (working = undefined)));
}

/** The address as it is seen from the page; in Node only an absolute one is an address. */
function absolute(name, url) {
  try {
    return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href).href;
  } catch (cause) {
    throw new PlotbridgeError("usage", `${name}.url is no address: it must begin with https:// or http://`, { cause });
  }
}

/** The models of a call with how fast they are asked, and how many tokens it may cost. */
export function equipped(models, { limits, budgetTokens }) {
  if (!models) return models;
  return { ...models, ...(limits && { limits }), ...(budgetTokens !== undefined && { budget: budgetTokens }) };
}

/** The models as a message can carry them. */
export function portable(models) {
  if (!models) return models;
  const carried = (model) => {
    if (typeof model === "function") return { page: true, model: nameOf(model) };
    return typeof model.key === "function" ? { ...model, key: { page: true } } : model;
  };
  return Object.fromEntries(Object.entries(models).map(([part, model]) => [part, carried(model)]));
}

const nameOf = (model) => (text(model.model) && model.model.trim() ? model.model : "page");

/** The functions of the page among the models, by the names that `revived` asks for. */
export function functionsOf(models) {
  const named = ([part, model]) => (typeof model === "function" ? [part, model] : [`${part}.key`, model.key]);
  return Object.fromEntries(Object.entries(models ?? {}).map(named));
}

/** The models of a message, with `ask(name, request, { signal, onText })` behind each function of the page. */
export function revived(models, ask) {
  if (!models) return models;
  const back = (part, model) => {
    if (model.page) return Object.assign((request, hooks) => ask(part, request, hooks), { model: model.model });
    return model.key?.page ? { ...model, key: () => ask(`${part}.key`, undefined, {}) } : model;
  };
  return Object.fromEntries(Object.entries(models).map(([part, model]) => [part, back(part, model)]));
}

const wrong = (message) => new PlotbridgeError("usage", message);

const unknown = (where, name, known) =>
  new PlotbridgeError("unknown_option", `there is no option "${name.slice(0, 40)}" of ${where}, which takes ${known.join(", ")}`, { details: { option: name, known } });
