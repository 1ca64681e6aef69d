// The declarations against what the package does: its exports, the keys of its documents, and the
// README's examples compiled against the packed package as a user would.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import ts from "typescript";

import * as browser from "../../pkg/index.js";
import * as node from "../../pkg/node.js";
import { QUESTION, SMALL } from "../contract/books.js";
import { folder, run } from "./command.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DECLARATIONS = path.join(ROOT, "pkg/index.d.ts");
const TSC = path.join(ROOT, "node_modules/typescript/bin/tsc");

const program = ts.createProgram([DECLARATIONS], { strict: true, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], types: [] });
const checker = program.getTypeChecker();
const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(DECLARATIONS)));
const typeOf = (name) => checker.getDeclaredTypeOfSymbol(exported.find((symbol) => symbol.name === name));

test("every exported name stands in the test that finds any", () => {
  const source = readFileSync(path.join(ROOT, "tests/types/no-any.ts"), "utf8");
  for (const { name } of exported) assert.match(source, new RegExp(`\\bapi\\.${name}\\b`), name);
  assert.ok(exported.length > 30);
});

test("both entries export the declared values and no others", () => {
  const values = exported.filter((symbol) => symbol.flags & ts.SymbolFlags.Value).map(({ name }) => name);
  assert.deepEqual(Object.keys(browser).sort(), values.sort());
  assert.deepEqual(Object.keys(node).sort(), [...values, "engineModule"].sort());
});

test("the class has the declared members and no others", () => {
  const own = (object) => Object.getOwnPropertyNames(object).filter((name) => !["constructor", "length", "name", "prototype"].includes(name));
  const declared = typeOf("Book").getProperties().map(({ name }) => name).filter((name) => !name.startsWith("__"));
  assert.deepEqual([...own(browser.Book.prototype), "info", "coverage"].sort(), declared.sort());
  assert.deepEqual(own(browser.Book).sort(), ["build", "estimate", "open", "read"]);
});

/** Throws where the value has a key that is not declared, or lacks one that is and is not optional. */
function compare(value, type, where) {
  if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.Union)) return;
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type);
    return value.forEach((item, at) => compare(item, element, `${where}[${at}]`));
  }
  if (checker.getIndexInfosOfType(type).length) return;
  const properties = type.getProperties();
  const names = properties.map(({ name }) => name);
  assert.deepEqual(Object.keys(value).filter((key) => !names.includes(key)), [], `${where}: not declared`);
  for (const property of properties) {
    const optional = property.flags & ts.SymbolFlags.Optional;
    if (!(property.name in value)) assert.ok(optional, `${where} lacks ${property.name}`);
    else compare(value[property.name], checker.getTypeOfSymbol(property), `${where}.${property.name}`);
  }
}

describe("the keys of the documents are the declared ones", () => {
  let index;
  let book;
  before(async () => {
    const home = folder();
    book = path.join(home, "ferry.txt");
    index = path.join(home, "ferry.plot.json");
    writeFileSync(book, SMALL);
    assert.equal((await run(["index", book, "-o", index])).status, 0);
  });
  const printed = async (...args) => JSON.parse((await run([...args, "--json"])).out);

  test("chunks", async () => compare(await printed("chunks", book), typeOf("Chunks"), "chunks"));
  test("inspect", async () => compare(await printed("inspect", index), typeOf("Inspect"), "inspect"));
  for (const method of ["pons", "dense", "bm25"]) {
    test(`retrieve with ${method}`, async () => compare(await printed("retrieve", index, QUESTION, "--method", method), typeOf("Trace"), "trace"));
  }
  test("ask", async () => {
    const { answer, usage, ...trace } = await printed("ask", index, QUESTION, "--choices", "in the chapel|in the stove");
    compare(trace, typeOf("Trace"), "trace");
    compare({ ...answer, usage, issues: trace.issues, trace }, typeOf("Answer"), "answer");
  });
  test("info", async () => {
    const { index: _, bytes, seconds, tokens, replies, ledger, coverage, ...info } = await printed("index", book, "-o", index);
    compare(info, typeOf("Info"), "info");
    assert.deepEqual([typeof bytes, typeof seconds, tokens, replies], ["number", "number", 0, null]);
    compare(ledger, typeOf("LedgerDocument"), "ledger");
    compare(coverage, typeOf("Coverage"), "coverage");
  });
});

describe("the packed package, as a user installs it", () => {
  const examples = ["README.md", "pkg/README.md"].flatMap((name) => {
    const blocks = [...readFileSync(path.join(ROOT, name), "utf8").matchAll(/^```(?:js|javascript|mjs)\n([\s\S]*?)^```$/gm)];
    return blocks.map(([, source]) => source).filter((source) => /^import /m.test(source));
  });
  let home;

  before(() => {
    home = folder();
    const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", home], { cwd: path.join(ROOT, "pkg"), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    const place = path.join(home, "node_modules/plotbridge");
    mkdirSync(place, { recursive: true });
    execFileSync("tar", ["-xzf", path.join(home, filename), "-C", place, "--strip-components=1"]);
  });

  test("compiles the READMEs' examples, strictly", () => {
    assert.ok(examples.length >= 2);
    const names = examples.map((source, at) => {
      writeFileSync(path.join(home, `example-${at}.mts`), source.replace(/from "[./]*pkg\/index\.js"/, 'from "plotbridge"'));
      return `example-${at}.mts`;
    });
    for (const resolution of [["--module", "nodenext"], ["--module", "esnext", "--moduleResolution", "bundler"]]) {
      const { status, stdout } = spawnSync(process.execPath, [TSC, "--strict", "--skipLibCheck", "false", "--noEmit", "--target", "es2022", ...resolution, ...names], { cwd: home, encoding: "utf8" });
      assert.equal(status, 0, stdout);
    }
  });

  test("runs in Node by its name", () => {
    const script = 'import { Book } from "plotbridge"; const book = await Book.build("Ines Vale rowed to the chapel. Ines Vale found a box."); process.stdout.write(book.engine); book.close();';
    writeFileSync(path.join(home, "run.mjs"), script);
    assert.equal(execFileSync(process.execPath, ["run.mjs"], { cwd: home, encoding: "utf8" }), "thread");
  });
});

describe("the example", () => {
  const example = readFileSync(path.join(ROOT, "examples/node/ask.mjs"), "utf8");

  test("is the README's", () => {
    const asShown = example.replace("../../pkg/node.js", "plotbridge");
    assert.ok(readFileSync(path.join(ROOT, "pkg/README.md"), "utf8").includes(asShown));
    assert.ok(example.trimEnd().split("\n").length <= 16);
  });

  test("runs, and answers with a place of the book", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["examples/node/ask.mjs"], { cwd: ROOT, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /comma/i);
    assert.match(stdout, /, \d+ to \d+: /);
    assert.match(stdout, /\d+ %  .+ — .+/);
  });
});
