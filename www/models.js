/** The models that the reader has set up, as the package takes them; none unless they are to be used. */
import { keyFor } from "./keys.js";
import { settings } from "./settings.js";

/** Where the servers that people run, or rent, usually are. */
export const SERVERS = {
  "http://localhost:11434/v1": "Ollama",
  "http://127.0.0.1:8080/v1": "llama.cpp",
  "http://localhost:1234/v1": "LM Studio",
  "https://api.openai.com/v1": "OpenAI",
  "https://openrouter.ai/api/v1": "OpenRouter",
};

/** @returns {import("./pkg/index.js").Models | undefined} undefined when no model is used */
export function modelsInUse() {
  const { answers, chatUrl, chatModel, embedModel, embedSame, embedUrl } = settings;
  if (answers !== "model" || chatModel === "" || faultOf(chatUrl) !== "") return undefined;
  const key = keyFor("chat", chatUrl);
  const chat = endpoint(chatUrl, chatModel, key);
  if (embedModel === "") return { chat };
  if (embedSame) return { chat, embed: endpoint(chatUrl, embedModel, key) };
  return faultOf(embedUrl) === "" ? { chat, embed: endpoint(embedUrl, embedModel, keyFor("embed", embedUrl)) } : { chat };
}

/** A server and one of its models. */
export const endpoint = (url, model, key) => ({ url, model, ...(key !== "" && { key }) });

/** `qwen3 at localhost:11434` */
export const named = ({ url, model }) => `${model} at ${serverOf(url)}`;

export const serverOf = (url) => new URL(url).host;

/** Why an address cannot be used, in a sentence; empty where it can. The page's policy allows no other. */
export function faultOf(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return "Write the whole address, such as http://localhost:11434/v1.";
  }
  if (url.username || url.password || /[?&][^=]*(key|token|secret)[^=]*=/i.test(url.search)) return "Write the key into its own field: an address is no safe place for it.";
  const here = ["localhost", "127.0.0.1"].includes(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && here)) return "";
  return "This page may speak to https addresses only, or to http on this computer (localhost or 127.0.0.1).";
}
