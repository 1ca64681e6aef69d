// The Markdown of models: what is read as what, at every point of its coming; and that hostile text stays
// text, in a tree of bounded depth.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { parsed } from "../../pkg/src/element/markdown.js";

/** A tree as one line, tags in brackets that no text of these tests holds. */
const line = (parts) => parts.map((part) => (typeof part === "string" ? part : `⟨${part.tag}${part.start ?? ""} ${line(part.children)}⟩`)).join("");

const READ = {
  "a paragraph": ["One.", "⟨p One.⟩"],
  "two paragraphs": ["One.\n\n \nTwo.", "⟨p One.⟩⟨p Two.⟩"],
  "a line break": ["One,\n  two.", "⟨p One,⟨br ⟩two.⟩"],
  "other line ends": ["One,\r\ntwo.\r\rThree.", "⟨p One,⟨br ⟩two.⟩⟨p Three.⟩"],
  "emphasis": ["a *b* _c_ **d** __e__ ***f***", "⟨p a ⟨em b⟩ ⟨em c⟩ ⟨strong d⟩ ⟨strong e⟩ ⟨strong ⟨em f⟩⟩⟩"],
  "emphasis in emphasis": ["**a *b* c**", "⟨p ⟨strong a ⟨em b⟩ c⟩⟩"],
  "emphasis that ends together": ["**a *b***", "⟨p ⟨strong a ⟨em b⟩⟩⟩"],
  "emphasis within a word": ["a*b*c d_e_f", "⟨p a⟨em b⟩c d_e_f⟩"],
  "emphasis that never ends": ["a *b and **c", "⟨p a *b and **c⟩"],
  "marks that cross": ["*a _b* c_", "⟨p ⟨em a _b⟩ c_⟩"],
  "marks between spaces": ["2 * 3 ** 4 _ 5", "⟨p 2 * 3 ** 4 _ 5⟩"],
  "escaped marks": ["\\*a\\* \\\\ \\b", "⟨p *a* \\ \\b⟩"],
  "code": ["a `b *c*` ``d`e``", "⟨p a ⟨code b *c*⟩ ⟨code d`e⟩⟩"],
  "code that never ends": ["a `b *c*", "⟨p a `b ⟨em c⟩⟩"],
  "a list": ["- a\n* b\n+ c", "⟨ul ⟨li a⟩⟨li b⟩⟨li c⟩⟩"],
  "a numbered list": ["1. a\n2) b", "⟨ol ⟨li a⟩⟨li b⟩⟩"],
  "a list that begins at three": ["3. a\n4. b", "⟨ol3 ⟨li a⟩⟨li b⟩⟩"],
  "a list after a paragraph": ["These:\n- a", "⟨p These:⟩⟨ul ⟨li a⟩⟩"],
  "a list with empty lines": ["- a\n\n- b\n\nc", "⟨ul ⟨li a⟩⟨li b⟩⟩⟨p c⟩"],
  "an item of two lines": ["- a\n  b", "⟨ul ⟨li a⟨br ⟩b⟩⟩"],
  "lists in lists": ["- a\n  1. b\n  2. c\n- d", "⟨ul ⟨li a⟨ol ⟨li b⟩⟨li c⟩⟩⟩⟨li d⟩⟩"],
  "lists beyond the third": ["- a\n  - b\n    - c\n      - d", "⟨ul ⟨li a⟨ul ⟨li b⟨ul ⟨li c⟩⟨li d⟩⟩⟩⟩⟩⟩"],
  "another kind of list": ["- a\n1. b", "⟨ul ⟨li a⟩⟩⟨ol ⟨li b⟩⟩"],
  "headings": ["# A *b*\nc\n###### d", "⟨p ⟨strong A ⟨em b⟩⟩⟩⟨p c⟩⟨p ⟨strong d⟩⟩"],
  "no heading": ["#a\n####### b", "⟨p #a⟨br ⟩####### b⟩"],
  "a fence": ["```js\n*a*\n\n# b\n```\nc", "⟨pre ⟨code *a*\n\n# b⟩⟩⟨p c⟩"],
  "a fence that never ends": ["~~~\n- a\n```", "⟨pre ⟨code - a\n```⟩⟩"],
  "no text": ["", ""],
  "white space": [" \n\t\n", ""],
};

const HOSTILE = {
  "an image that runs": "<img src=x onerror=alert(1)>",
  "a script": "<script>alert(1)</script>",
  "a link that runs": "[x](javascript:alert(1))",
  "an image": "![x](https://example.invalid/leak?of=the+question)",
  "an address": "<https://example.invalid/>",
  "a reference": "[x]: https://example.invalid/",
  "an entity": "&lt;b&gt; &#x3c;",
  "a quotation": "> a > b",
  "a table": "|a|b|",
};

const LONG = 100_000;
const HUGE = {
  "stars": "*".repeat(LONG),
  "stars apart": "* ".repeat(LONG / 2),
  "stars that begin": "*a ".repeat(LONG / 3),
  "marks that cross": "*a _b **c __d ***e ".repeat(LONG / 20),
  "ticks of every length": Array.from({ length: 440 }, (_, at) => "`".repeat(at + 1)).join("a"),
  "brackets": "[".repeat(LONG),
  "quotation marks": "> ".repeat(LONG / 2),
  "items on one line": "- ".repeat(LONG / 2) + "a",
  "items ever deeper": Array.from({ length: 440 }, (_, at) => `${" ".repeat(at)}- a`).join("\n"),
  "backslashes": "\\".repeat(LONG),
  "spaces": `a${" ".repeat(LONG)}b`,
  "empty lines": "\n".repeat(LONG),
};

const depth = (parts) => Math.max(0, ...parts.map((part) => (typeof part === "string" ? 0 : 1 + depth(part.children))));
const TAGS = new Set(["p", "ul", "ol", "li", "pre", "code", "em", "strong", "br"]);
const tags = (parts) => parts.flatMap((part) => (typeof part === "string" ? [] : [part.tag, ...tags(part.children)]));

describe("the Markdown of models", () => {
  for (const [name, [text, wanted]] of Object.entries(READ)) test(name, () => assert.equal(line(parsed(text)), wanted));

  for (const [name, text] of Object.entries(HOSTILE)) {
    test(`${name} stays text`, () => assert.deepEqual(parsed(text), [{ tag: "p", children: [text] }]));
  }

  for (const [name, text] of Object.entries(HUGE)) {
    test(`${name}, very many, make no deep tree`, () => {
      const tree = parsed(text);
      assert.ok(depth(tree) <= 14, `${depth(tree)} deep`);
      assert.deepEqual(tags(tree).filter((tag) => !TAGS.has(tag)), []);
    });
  }

  test("text that is coming has only tags that are known", () => {
    for (const [text] of Object.values(READ)) {
      for (let end = 0; end <= text.length; end++) {
        const strange = tags(parsed(text.slice(0, end), { growing: true })).filter((tag) => !TAGS.has(tag));
        assert.deepEqual(strange, [], text.slice(0, end));
      }
    }
  });

  test("what has no end yet is shown as it will be, and a mark that may begin something is not shown", () => {
    const rows = [["a **b", "⟨p a ⟨strong b⟩⟩"], ["a\n-", "⟨p a⟩"], ["a\n\n1.", "⟨p a⟩"], ["a **", "⟨p a **⟩"], ["```\na", "⟨pre ⟨code a⟩⟩"]];
    for (const [text, wanted] of rows) assert.equal(line(parsed(text, { growing: true })), wanted, text);
  });
});
