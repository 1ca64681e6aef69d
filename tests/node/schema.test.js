// docs/plot.schema.json: what the package writes is valid, and what is not as described is refused by
// the schema and by the package alike.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import Ajv from "ajv/dist/2020.js";

import { Book } from "../../pkg/node.js";
import { SMALL } from "../contract/books.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const schema = JSON.parse(readFileSync(path.join(ROOT, "docs/plot.schema.json"), "utf8"));
const valid = new Ajv({ strict: true, allErrors: false, keywords: [], allowUnionTypes: true, strictTypes: false, strictTuples: false }).compile(schema);

async function indexOf(text, options) {
  const book = await Book.build(text, options);
  const index = JSON.parse(await (await book.save()).text());
  book.close();
  return index;
}

const opens = (index) => Book.open(index).then((book) => book.close(), (error) => error.code);

describe("the schema of index files", () => {
  let small;
  before(async () => (small = await indexOf(SMALL)));

  test("is met by what is written, of any book and configuration", async () => {
    const texts = {
      "the story": readFileSync(path.join(ROOT, "books/white-line.txt")),
      "headings alone": "CHAPTER I\n\nCHAPTER II\n\nCHAPTER III\n",
      "no names": "it rained all night on the slate roofs.",
      "another script": "第一章\n\n雨が降っていた。🗝 誰も来なかった。\n",
      "one long word": `${"A".repeat(9000)} met Tapp. Tapp met ${"b".repeat(9000)}.`,
      "a long title": `CHAPTER I. ${"A LONG WAY ".repeat(90)}\n\nTapp met Ines Vale.\n\nCHAPTER II\n\nInes Vale met Tapp.\n`,
    };
    for (const [name, text] of Object.entries(texts)) {
      for (const config of [{}, { chunk_tokens: 32, chunk_overlap: 256, event_words: 1, dims: 8, encoding: "f32" }]) {
        const index = await indexOf(text, { config });
        assert.ok(valid(index), `${name}: ${JSON.stringify(valid.errors)}`);
        assert.equal(await opens(index), undefined, `${name} opens again`);
      }
    }
  });

  test("and the package refuse the same: a key more, a key less, another type", async () => {
    let tried = 0;
    for (const [place, object] of objects(small)) {
      for (const key of [...Object.keys(object), "another"]) {
        const changed = structuredClone(small);
        const there = place.reduce((value, step) => value[step], changed);
        if (key === "another") there[key] = 1;
        // A file from before these were kept has none.
        else if (tried % 2 && !["synonyms", "relations", "functional"].includes(key)) delete there[key];
        else there[key] = true;
        assert.ok(!valid(changed), `${[...place, key].join(".")} passes the schema`);
        assert.match(`${await opens(changed)}`, /^(index_damaged|index_version|vector_invalid)$/, [...place, key].join("."));
        tried++;
      }
    }
    assert.ok(tried > 60, `${tried} changes`);
  });

  test("has every key that files have, and none that no file has", async () => {
    const bare = await indexOf("it rained all night on the slate roofs.");
    assert.ok(bare.issues.length > 0, "a book with something to say of it");
    const read = await indexOf(SMALL, { models: MODELS, extraction: "llm" });
    assert.ok(valid(read), JSON.stringify(valid.errors));
    assert.equal(await opens(read), undefined, "an index that a model made opens again");
    // What only some readings leave in a file.
    const tie = small.triples.find(({ subject, object }) => Array.isArray(subject) && Array.isArray(object) && subject[0] !== object[0]);
    const ends = [tie.subject[0], tie.object[0]].sort((one, other) => one - other);
    const [first, ...others] = small.entities;
    const typed = {
      ...small,
      types: [{ name: "sort", type: first.type, description: "Some." }],
      entities: [{ ...first, category: "sort" }, ...others],
      relations: [{ ends, description: "They know each other." }],
    };
    assert.ok(valid(typed), JSON.stringify(valid.errors));
    assert.equal(await opens(typed), undefined, "an index with types and described relations opens");
    const wished = {
      ...await indexOf(SMALL, { merges: { same: [{ names: [first.name, others[1].name], name: first.name, from: { chapter: 1 } }], different: [[first.name, others[0].name]] } }),
      fragments: [],
    };
    assert.ok(valid(wished), JSON.stringify(valid.errors));
    assert.equal(await opens(wished), undefined, "an index with wishes opens");
    const defined = Object.values(schema.$defs).flatMap(({ properties = {} }) => Object.keys(properties));
    const used = new Set([...objects(small), ...objects(bare), ...objects(read), ...objects(typed), ...objects(wished), ...read.spaces.map((space) => [[], space])].flatMap(([, object]) => Object.keys(object)));
    const named = new Set([...defined, ...Object.keys(schema.properties)]);
    assert.deepEqual([...named].sort(), [...used].sort());
  });
});

/** Models of the page's own: an event of each passage is its first line, and every text is like every other. */
const MODELS = {
  chat: ({ messages: [{ content: task }, { content: said }] }) => {
    const [, line] = said.split("\n");
    return task.startsWith("Task: events") ? JSON.stringify({ events: [{ label: "It begins", details: line }] }) : "[]";
  },
  embed: (texts) => texts.map(() => [1, 0]),
};

/** The first object of each list and every other object, with its place. */
function* objects(value, place = []) {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value)) yield [place, value];
  const items = Array.isArray(value) ? Object.entries(value).slice(0, 1) : Object.entries(value);
  for (const [key, item] of items) yield* objects(item, [...place, key]);
}
