// Ask a book: index it, ask, and see what the answer rests on.
import { Book } from "../../pkg/node.js";

const source = new URL("../../books/white-line.txt", import.meta.url);
const book = await Book.build(source, { onProgress: ({ stage, done, total }) => console.error(stage, done, "of", total) });

const answer = await book.ask("Why was the clerk Lambert Tapp called Comma in the office?");
console.log(answer.text);
for (const { start, end, chapter } of answer.citations) {
  console.log(`  ${book.info.chapters[chapter]?.title}, ${start} to ${end}: ${await book.text(start, end)}`);
}
for (const { character, event, position } of answer.trace.pairs) {
  console.log(`  ${Math.round(100 * position)} %  ${character} — ${event}`);
}
book.close();
