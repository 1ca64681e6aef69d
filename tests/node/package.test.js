// What is shipped: the files of the package, and what browsers, bundlers and strict sites need of them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { CODES } from "../../pkg/src/errors.js";
import { engineModule } from "../../pkg/node.js";

const PACKAGE = fileURLToPath(new URL("../../pkg/", import.meta.url));
const read = (name) => readFileSync(path.join(PACKAGE, name), "utf8");

/** Comments out of a source; none of ours has `//` inside a string but in an address. */
const code = (name) => read(name).replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`\w])\/\/.*$/gm, "$1");

let files;
let scripts;

before(() => {
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: PACKAGE, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  files = packed.files.map((file) => file.path);
  scripts = files.filter((name) => name.endsWith(".js"));
});

const IMPORT = /^(?:import|export)\s*(?:[\w*{}\s,]+?from\s*)?["']([^"']+)["']/gm;

/** The modules a browser loads, starting from its entries. */
function browserModules() {
  const seen = new Set();
  const waiting = ["index.js", "ask-element.js", "worker.js", "src/worker.js"];
  for (let name = waiting.pop(); name; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const [, target] of code(name).matchAll(IMPORT)) {
      assert.ok(target.startsWith("."), `${name} imports ${target}`);
      waiting.push(path.posix.join(path.posix.dirname(name), target));
    }
  }
  return [...seen];
}

describe("the packed files", () => {
  test("are these and no others", () => {
    const odd = files.filter((name) => !/^(package\.json|README\.md|LICENSE[\w-]*|(index|node|ask-element)\.d\.ts|(index|node|ask-element|worker)\.js|ask-element\.css|wasm\/plotbridge(\.js|_bg\.wasm)|bin\/plotbridge\.js|(cli|src)\/[\w/-]+\.js)$/.test(name));
    assert.deepEqual(odd, []);
    for (const name of ["worker.js", "wasm/plotbridge.js", "wasm/plotbridge_bg.wasm", "index.js", "node.js", "index.d.ts", "node.d.ts", "bin/plotbridge.js", "README.md"]) {
      assert.ok(files.includes(name), `${name} is packed`);
    }
  });

  test("hold every file that the manifest and the modules name", () => {
    const { exports, bin } = JSON.parse(read("package.json"));
    for (const target of [...Object.values(exports["."]), ...Object.values(bin)]) {
      assert.ok(files.includes(path.posix.normalize(target)), target);
    }
    for (const name of browserModules()) assert.ok(files.includes(name), name);
    for (const [, target] of read("index.js").matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)) {
      assert.ok(files.includes(path.posix.normalize(target)), target);
    }
  });

  test("carry the project's licences", () => {
    for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) {
      assert.ok(files.includes(name), name);
      assert.equal(read(name), read(path.join("..", name)));
    }
  });

  test("have no dependencies", () => {
    const manifest = JSON.parse(read("package.json"));
    assert.deepEqual(Object.keys(manifest).filter((key) => /dependencies/i.test(key)), []);
  });

  test("hold no top-level await, eval, blob, remote address or markup from text", () => {
    for (const name of scripts) {
      const source = code(name);
      assert.doesNotMatch(source, /^(export |const .*=|let .*=|var .*=)?\s{0,1}await\b/m, `${name}: top-level await`);
      assert.doesNotMatch(source, /\beval\s*\(|new Function\b|blob:|createObjectURL|importScripts/, name);
      assert.doesNotMatch(source, /\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|DOMParser|new Worker\(\s*new URL/, name);
      const remote = [...source.matchAll(/https?:\/\/[\w.-]+/g)].map(([found]) => found);
      assert.deepEqual(remote.filter((url) => !/^http:\/\/(127\.0\.0\.1|localhost|www\.w3\.org)$/.test(url)), [], name);
    }
  });

  test("of the browser use nothing of Node and import nothing at run time", () => {
    for (const name of browserModules()) {
      assert.doesNotMatch(code(name), /["']node:|\brequire\(|\bprocess\.|\bBuffer\b/, name);
      assert.doesNotMatch(code(name), /\bimport\s*\(/, `${name}: dynamic import`);
    }
  });
});

describe("the files a bundler has to find", () => {
  test("are two constants with literal addresses at the top of index.js", () => {
    const [first, second] = read("index.js").split("\n").filter((line) => !line.startsWith("//"));
    assert.equal(first, 'const WORKER_URL = new URL("./worker.js", import.meta.url);');
    assert.equal(second, 'const WASM_URL = new URL("./wasm/plotbridge_bg.wasm", import.meta.url);');
  });

  test("worker.js is one file over 4,096 bytes without import or import.meta", () => {
    const source = code("worker.js");
    assert.ok(Buffer.byteLength(read("worker.js")) > 4096);
    assert.doesNotMatch(source, /\bimport\b/);
    assert.doesNotMatch(source, /^export\b/m);
  });

  test("the wasm file is no larger than a page can bear", () => {
    const size = gzipSync(readFileSync(path.join(PACKAGE, "wasm/plotbridge_bg.wasm"))).length;
    assert.ok(size < 1_200_000, `${size} bytes with gzip`);
  });
});

test("importing the browser's entry touches nothing of the page", () => {
  const probe = `
    const touched = [];
    for (const name of ["document", "window", "self", "location", "Worker", "trustedTypes", "fetch", "customElements", "indexedDB", "localStorage", "navigator"]) {
      Object.defineProperty(globalThis, name, { configurable: true, get: () => void touched.push(name) });
    }
    import(${JSON.stringify(new URL("../../pkg/index.js", import.meta.url).href)}).then(({ Book }) => process.stdout.write(JSON.stringify({ touched, open: typeof Book.open })));`;
  const { touched, open } = JSON.parse(execFileSync(process.execPath, ["-e", probe], { encoding: "utf8" }));
  assert.deepEqual(touched, []);
  assert.equal(open, "function");
});

describe("error codes", () => {
  test("are the engine's own, with their statuses", () => {
    for (const { code, exit, retryable } of engineModule().codes()) assert.deepEqual(CODES[code], { exit, retryable }, code);
  });

  test("are the declarations' and the README's", () => {
    const declared = /export type ErrorCode =([^;]+);/.exec(read("index.d.ts"))[1].match(/\w+/g);
    assert.deepEqual(declared.sort(), Object.keys(CODES).sort());
    const rows = [...read("README.md").matchAll(/^\| `(\w+)` \| (\d+) \| (yes|no) \|$/gm)];
    const told = rows.map(([, code, exit, again]) => [code, { exit: Number(exit), retryable: again === "yes" }]);
    assert.deepEqual(Object.fromEntries(told), CODES);
  });
});

test("the wasm module and the package are of one version", () => {
  assert.equal(engineModule().version(), JSON.parse(read("package.json")).version);
});

test("the files that are built are not in the repository by mistake", () => {
  assert.ok(existsSync(path.join(PACKAGE, "worker.js")), "cargo xtask build makes it");
  const ignored = readFileSync(path.join(PACKAGE, "../.gitignore"), "utf8");
  assert.match(ignored, /^\/pkg\/wasm$/m);
  assert.match(ignored, /^\/pkg\/worker\.js$/m);
});
