/** Saving a book's index as a file of the reader's. */
import { el } from "./pkg/src/element/dom.js";

/** `The Ferry.plot.json`: the title without what file names cannot hold. */
export function fileName({ info }) {
  const name = info.title.replace(/[\p{Cc}\p{Cs}\\/:*?"<>|]+/gu, " ").replace(/\s+/g, " ").trim().replace(/^\.+/, "");
  return `${[...name].slice(0, 80).join("").trim() || "book"}.plot.json`;
}

/** Hands the index to the browser's downloads; resolves to the file's name. */
export async function download(book) {
  return hand(fileName(book), await book.save());
}

/** Hands what the models cost to the browser's downloads; gives the file's name. */
export function saveLedger(book) {
  const json = `${JSON.stringify(book.ledger, null, 1)}\n`;
  return hand(fileName(book).replace(/\.plot\.json$/, ".ledger.json"), new Blob([json], { type: "application/json" }));
}

function hand(name, blob) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // by then the browser has taken it
  return name;
}
