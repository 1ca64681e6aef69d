// A page's elements, read strictly: what is not closed, quoted or escaped is an error.

const VOID = ["meta"];

/** `[{ name, attributes }]` in order; throws where the page is not whole. */
export function elements(text) {
  const open = [];
  const found = [];
  const source = text.replace(/^<!doctype html>\s*/, "").replace(/<style>[^<]*<\/style>/g, "<style></style>");
  for (const [piece] of source.matchAll(/<[^>]*>|[^<]+/g)) {
    const [, closed] = /^<\/([a-z][a-z0-9]*)>$/.exec(piece) ?? [];
    const [, name, rest, self] = /^<([a-z][a-z0-9]*)((?:\s+[a-zA-Z:-]+="[^"<]*")*)\s*(\/?)>$/.exec(piece) ?? [];
    if (closed) {
      if (open.at(-1) !== closed) throw new Error(`</${closed}> closes ${open.at(-1)}`);
      open.pop();
    } else if (name) {
      const attributes = Object.fromEntries([...rest.matchAll(/([a-zA-Z:-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
      found.push({ name, attributes });
      if (!self && !VOID.includes(name)) open.push(name);
    } else if (piece.startsWith("<") || /&(?!(amp|lt|gt|quot|#39);)/.test(piece) || piece.includes(">")) {
      throw new Error(`neither an element nor text: ${piece.slice(0, 80)}`);
    }
  }
  if (open.length) throw new Error(`not closed: ${open.join(" ")}`);
  return found;
}
