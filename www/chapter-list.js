/**
 * The chapters of a text that is not indexed yet, to be looked through and corrected: called otherwise, joined
 * to the one before, begun at other words. Pure: it draws the list, and calls back with another.
 */
import { el } from "./pkg/src/element/dom.js";
import { plural } from "./pkg/src/element/places.js";

/**
 * @param {{chapters: {title: string, start: number, end: number}[], chunks: {start: number, text: string}[]}} read
 * @param {{text?: string, corrected: boolean, open: boolean}} how the whole text where it is known; whether the list is a
 *   corrected one; whether it is shown unfolded
 * @param {{titled: (chapters: object[]) => void, corrected: (chapters: object[] | undefined, focus: string) => void}} act
 *   hear of other titles; read the text with other chapters (as they were found, without a list), the focus then
 *   on what this selector finds
 */
export function chapterList({ chapters, chunks }, { text, corrected, open }, act) {
  const list = chapters.map(({ title, start }) => ({ title, start }));
  const join = (at) => act.corrected(list.filter((_, place) => place !== at), `#chapter-${at - 1}`);
  const row = ({ title, start, end }, at) => el("li", {}, el("div", { class: "row" },
    el("input", { id: `chapter-${at}`, type: "text", value: title, autocomplete: "off", maxlength: 300, "aria-label": `Title of chapter ${at + 1}`,
      on: { input: ({ target }) => { list[at].title = target.value; act.titled(list); } } }),
    el("span", { class: "size" }, plural(end - start, "character")),
    at > 0 && el("button", { type: "button", "aria-label": `Join chapter ${at + 1} to the one before`, title: "Join to the one before", on: { click: () => join(at) } }, "Join")));
  return el("details", { class: "list chapter-list", open },
    el("summary", {}, plural(chapters.length, "chapter")),
    el("ol", {}, ...chapters.map(row)),
    begin((words, say) => {
      const start = placeOf(words, { text, chunks });
      if (start === undefined) return say("These words are not in the text.");
      if (list.some((chapter) => chapter.start === start)) return say("A chapter begins there already.");
      const more = [...list, { title: words, start }].sort((one, other) => one.start - other.start);
      return act.corrected(more, `#chapter-${more.findIndex((chapter) => chapter.start === start)}`);
    }),
    corrected && el("p", { class: "actions" },
      el("button", { type: "button", on: { click: () => act.corrected(undefined, ".chapter-list summary") } }, "As they were found")));
}

/** A field for the words that a chapter begins with; `tell(words, say)` gets them, and a way to say what is wrong. */
function begin(tell) {
  const input = el("input", { id: "chapter-words", type: "text", autocomplete: "off", maxlength: 300, on: { input: () => input.setCustomValidity("") } });
  const go = () => {
    if (input.value.trim()) tell(input.value.trim(), (wrong) => { input.setCustomValidity(wrong); input.reportValidity(); });
  };
  const enter = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // it is not the whole form that is meant
    go();
  };
  input.addEventListener("keydown", enter);
  return el("p", { class: "begin" },
    el("label", { for: input.id }, "A chapter begins with the words"), " ", input, " ",
    el("button", { type: "button", on: { click: go } }, "Begin a chapter there"));
}

/** Where words stand in the text, at the beginning of a line if they do; undefined where they do not stand. */
function placeOf(words, { text, chunks }) {
  const parts = text === undefined ? chunks : [{ start: 0, text }];
  const pattern = words.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("\\s+");
  for (const before of ["(?<=^[^\\S\\n]*)", "(?<!\\p{L})"]) {
    const found = new RegExp(before + pattern, "mu");
    for (const part of parts) {
      const at = part.text.search(found);
      if (at >= 0) return part.start + at;
    }
  }
  return undefined;
}
