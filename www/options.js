/** The options of the page: how passages are found, how many, and light or dark. Each is kept at once. */
import { el } from "./pkg/src/element/dom.js";
import { ABOUT, CONTEXTS, METHODS, set, settings, THEMES } from "./settings.js";
import { showTheme } from "./theme.js";

/**
 * @param {HTMLElement} root what to fill
 * @param {() => void} changed called when a question would be asked differently
 */
export function fillOptions(root, changed) {
  const contexts = Object.fromEntries(CONTEXTS.map((tokens) => [tokens, `${tokens.toLocaleString("en")} tokens`]));
  const about = el("p", { class: "note", id: "about-method" });
  const tell = () => about.replaceChildren(ABOUT[settings.method] ?? "");
  const method = choice("Find", "method", METHODS, String, () => {
    tell();
    changed();
  });
  method.lastElementChild.setAttribute("aria-describedby", about.id);
  tell();
  root.append(
    method,
    about,
    choice("Gather at most", "contextTokens", contexts, Number, changed),
    choice("Colours", "theme", THEMES, String, showTheme));
}

/** A labelled list of values, the one that is set chosen. */
function choice(label, name, values, read, changed) {
  const choose = (event) => {
    set({ [name]: read(event.target.value) });
    changed();
  };
  return el("label", {}, el("span", {}, label),
    el("select", { name, on: { change: choose } }, ...Object.entries(values).map(([value, words]) =>
      el("option", { value, selected: value === String(settings[name]) }, words))));
}
