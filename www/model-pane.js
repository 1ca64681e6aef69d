/**
 * Which models answer, and read: the pane where they are set up, tried and left again. No model is where
 * everybody begins, and one choice away.
 */
import { el } from "./pkg/src/element/dom.js";
import { say } from "./announcer.js";
import { box } from "./box.js";
import { keyFor, keysAreKept, originOf, setKeys } from "./keys.js";
import { endpoint, faultOf, modelsInUse, named, SERVERS } from "./models.js";
import { find, tryModels } from "./model-trial.js";
import { set, settings } from "./settings.js";

export class ModelPane {
  #changed;
  #fields;
  #form;
  #servers; // what is shown when a model answers
  #other; // the embedding server's fields, where it is another one
  #inUse = el("p", { class: "in-use" });
  #trial = el("ul", { class: "trial" });
  #try = el("button", { type: "button", on: { click: () => this.#run(tryModels, this.#try) } }, "Try it");
  #find = el("button", { type: "button", "aria-describedby": "find-note", on: { click: () => this.#run((models, ...rest) => find(models, this.#book(), ...rest), this.#find) } }, "Find faults");
  #trying; // the controller of a trial
  #book; // gives the open book, if one is open

  /**
   * @param {HTMLElement} root the section
   * @param {(words: string) => void} changed called when other models, or none, are to be used, with the
   *   words to say then
   * @param {() => import("./pkg/index.js").Book | undefined} [book] gives the open book
   */
  constructor(root, changed, book = () => undefined) {
    this.#changed = changed;
    this.#book = book;
    const { chatUrl, chatModel, embedUrl, embedModel, embedSame, answers } = settings;
    this.#fields = {
      chatUrl: url(chatUrl), chatModel: words(chatModel), chatKey: key(keyFor("chat", chatUrl)),
      embedModel: words(embedModel), embedSame: tick(embedSame), embedUrl: url(embedUrl), embedKey: key(keyFor("embed", embedUrl)),
      keep: tick(keysAreKept()),
      book: who(answers === "book", () => this.#none()), model: who(answers === "model"),
    };
    for (const use of ["chat", "embed"]) forgetful(this.#fields[`${use}Url`], this.#fields[`${use}Key`]);
    this.#form = this.#draw();
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#use();
    });
    this.#form.addEventListener("input", () => {
      this.#trial.replaceChildren();
      this.#show();
    });
    root.append(this.#inUse, this.#form);
    this.#show();
    this.#tell();
  }

  #draw() {
    const { chatUrl, chatModel, chatKey, embedModel, embedSame, embedUrl, embedKey, keep, book, model } = this.#fields;
    this.#other = el("div", {}, field("Its server’s address", embedUrl), field("Its key, if the server wants one", embedKey));
    this.#servers = el("div", { class: "servers" },
      el("datalist", { id: "servers" }, ...Object.entries(SERVERS).map(([value, label]) => el("option", { value, label }))),
      el("fieldset", {}, el("legend", {}, "Chat model"),
        el("p", { class: "note" }, "At any server that speaks OpenAI’s protocol: on this computer (Ollama, llama.cpp, LM Studio, vLLM), or one that you rent."),
        field("Server’s address", chatUrl), field("Model", chatModel), field("Key, if the server wants one", chatKey)),
      el("fieldset", {}, el("legend", {}, "Embedding model, if you like"),
        el("p", { class: "note" }, "It compares meanings where words differ. It takes part where a book was indexed with it."),
        field("Embedding model", embedModel), box(embedSame, "On the same server, with the same key"), this.#other),
      el("fieldset", {}, el("legend", {}, "Keys"),
        el("p", { class: "note", id: "keys-note" }, "A key is held in this page’s memory, goes to its own server only, and is gone when you leave or reload. If you tick this, it is also written into this tab’s session storage, where every script of this page’s origin can read it until the tab is closed. Use a key that has a spending limit and can be revoked."),
        box(keep, "Keep the keys until this tab is closed")),
      el("p", { class: "actions" }, el("button", { type: "submit", class: "primary" }, "Use it"), this.#try, this.#find),
      el("p", { class: "note", id: "find-note" }, "“Find faults” says what is wrong, and what to set where. It also sends prompts of up to 8,000 tokens, 14,000 in all, to see whether the server cuts long ones."),
      this.#trial);
    keep.setAttribute("aria-describedby", "keys-note");
    return el("form", { class: "model-form", "aria-label": "Language model" },
      el("fieldset", { class: "who-answers" }, el("legend", {}, "Who answers?"),
        box(book, "The book itself", "With its own sentences, found in this tab. Nothing is sent anywhere."),
        box(model, "A language model", "It helps to choose from what is found in the book, and writes an answer from it. That and your question are sent to the server you name.")),
      this.#servers);
  }

  /** Shows the fields that count, and lets only those be checked. */
  #show() {
    const { model, embedModel, embedSame, embedUrl } = this.#fields;
    this.#servers.hidden = !model.checked;
    this.#other.hidden = embedSame.checked;
    embedUrl.disabled = embedSame.checked;
    embedUrl.required = embedModel.value.trim() !== "";
  }

  #read() {
    const { chatUrl, chatModel, chatKey, embedModel, embedSame, embedUrl, embedKey, keep } = this.#fields;
    const text = ({ value }) => value.trim();
    return {
      chatUrl: text(chatUrl), chatModel: text(chatModel), chatKey: text(chatKey),
      embedModel: text(embedModel), embedSame: embedSame.checked, embedUrl: text(embedUrl), embedKey: text(embedKey),
      keep: keep.checked,
    };
  }

  #none() {
    this.#show();
    this.#trying?.abort();
    set({ answers: "book" });
    this.#apply();
  }

  #use() {
    const { chatKey, embedKey, keep, ...given } = this.#read();
    set({ ...given, answers: "model" });
    setKeys({ chat: { url: given.chatUrl, key: chatKey }, ...(!given.embedSame && { embed: { url: given.embedUrl, key: embedKey } }) }, keep);
    this.#apply();
  }

  #apply() {
    this.#trial.querySelector(".unused")?.remove();
    this.#tell();
    this.#changed(this.#inUse.textContent);
  }

  #tell() {
    const models = modelsInUse();
    this.#inUse.textContent = models ? `In use: ${named(models.chat)}${models.embed ? `, and for meanings ${named(models.embed)}` : ""}.` : "No model is in use.";
  }

  /** Runs a trial of what stands in the fields, or stops the one that runs. */
  async #run(trial, button) {
    if (this.#trying) return this.#trying.abort();
    if (!this.#form.reportValidity()) return;
    const { chatUrl, chatModel, chatKey, embedModel, embedSame, embedUrl, embedKey } = this.#read();
    const embed = embedModel !== "" && endpoint(embedSame ? chatUrl : embedUrl, embedModel, embedSame ? chatKey : embedKey);
    const { signal } = (this.#trying = new AbortController());
    const name = button.textContent;
    const other = button === this.#try ? this.#find : this.#try;
    button.textContent = "Stop trying";
    other.disabled = true;
    this.#trial.replaceChildren(el("li", {}, "Asking …"));
    say("Asking the model.");
    const results = [];
    const tell = (result) => {
      results.push(result);
      this.#trial.replaceChildren(...results);
      this.#trial.scrollIntoView({ block: "nearest" });
    };
    const models = { chat: endpoint(chatUrl, chatModel, chatKey), ...(embed && { embed }) };
    try {
      const well = await trial(models, signal, ({ well, words: [first, ...rest], copy }) =>
        tell(el("li", { class: well ? "well" : "ill" }, el("strong", {}, first), ` ${rest.join(" ")}`, ...setting(copy))));
      // A trial changes nothing: who saw it go well is told what does.
      if (well && JSON.stringify(models) !== JSON.stringify(modelsInUse())) tell(el("li", { class: "unused" }, "Not in use yet: choose “Use it”, and your next question is answered so."));
    } catch { // stopped
      this.#trial.replaceChildren(el("li", {}, "Stopped."));
    } finally {
      this.#trying = undefined;
      button.textContent = name;
      other.disabled = false;
      say(this.#trial.textContent);
    }
  }
}

/** A setting to copy, with a button that does. */
function setting(copy) {
  if (copy === undefined) return [];
  const done = async ({ currentTarget }) => {
    try {
      await navigator.clipboard.writeText(copy);
      say("Copied.");
    } catch { // no leave: it can be chosen by hand
      getSelection().selectAllChildren(currentTarget.previousElementSibling);
    }
  };
  return [el("pre", { tabindex: "0", role: "group", "aria-label": "What to copy" }, el("code", {}, copy)), el("button", { type: "button", on: { click: done } }, "Copy")];
}

const input = (type, value, more) => {
  const made = el("input", { type, autocomplete: "off", spellcheck: "false", autocapitalize: "none", ...more });
  made.value = value;
  return made;
};
const words = (value) => input("text", value, { maxlength: 200 });
const key = (value) => input("password", value, { maxlength: 500 });

/** An address that says what is wrong with it. */
function url(value) {
  const made = input("url", value, { list: "servers", required: true, maxlength: 500 });
  const check = () => made.setCustomValidity(made.value.trim() === "" ? "" : faultOf(made.value.trim()));
  made.addEventListener("input", check);
  check();
  return made;
}

/** A key that was typed for one server is not left standing for the next. */
function forgetful(address, secret) {
  let before = originOf(address.value);
  address.addEventListener("change", () => {
    const now = originOf(address.value);
    if (before !== undefined && now !== before) secret.value = "";
    before = now;
  });
}

function tick(checked, changed = () => {}, more = { type: "checkbox" }) {
  const made = el("input", { ...more, on: { change: changed } });
  made.checked = checked;
  return made;
}

const who = (checked, chosen) => tick(checked, chosen, { type: "radio", name: "who" });

const field = (label, control) => el("label", {}, el("span", { class: "field" }, label), control);
