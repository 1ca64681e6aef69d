// Markup as values: a text becomes markup only by being escaped, so that none of it can be read as a tag.

class Markup {
  constructor(text) {
    this.text = text;
  }
}

const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A text as it may stand in an element or an attribute; control characters, which HTML has no place for, are replaced. */
const escaped = (text) =>
  text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\uFFFD").replace(/[&<>"']/g, (sign) => SIGNS[sign]);

function written(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(written).join("");
  return value === undefined || value === null || value === false ? "" : escaped(String(value));
}

/** A template whose values are escaped, unless they are markup themselves; lists are joined. */
export const markup = ({ raw }, ...values) => new Markup(raw.map((part, at) => part + (at < values.length ? written(values[at]) : "")).join(""));

/** The text of a whole page. */
export const pageOf = ({ text }) => `${text.replace(/^\s+/gm, "")}\n`;
