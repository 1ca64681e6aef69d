/**
 * Elements by node calls only. Text from a book, a question or a model becomes a text node, never
 * markup, so nothing in it can run and the page's `require-trusted-types-for 'script'` has nothing
 * to object to.
 */

/**
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined | Record<string, EventListener>>} [attributes]
 *   `true` sets an empty attribute, `false`, `null` and `undefined` set none; `on: {click: f}` listens.
 * @param {...(Node | string | null | undefined | false)} children absent ones are left out
 */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for a drawing. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  const { on = {}, ...rest } = attributes ?? {};
  for (const [type, listener] of Object.entries(on)) node.addEventListener(type, listener);
  for (const [name, value] of Object.entries(rest)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null && child !== false));
  return node;
}
