// The last step of `cargo xtask build`: pkg/src/worker.js and all it imports become the one file
// pkg/worker.js, which a page can start as a module worker from any place. What bundlers and
// browsers need of it is checked here: no import, no import.meta, and more than 4,096 bytes
// (vite writes smaller files into the page as data: URLs, which the page's policy forbids).

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

const SOURCE = "pkg/src/worker.js";
const BUNDLE = "pkg/worker.js";
const WASM = "pkg/wasm/plotbridge_bg.wasm";
const LEAST_BYTES = 4097;

/** Ends the build with one sentence. */
function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}

function bundle() {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [SOURCE],
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    write: false,
    outfile: BUNDLE,
  });
  const imports = metafile.outputs[BUNDLE].imports.map(({ path }) => path);
  if (imports.length > 0) fail(`${BUNDLE} must have no imports, but has ${imports.join(", ")}`);
  const text = outputFiles[0].text;
  if (/\bimport\s*\.\s*meta\b/.test(text)) fail(`${BUNDLE} must not use import.meta`);
  if (Buffer.byteLength(text) < LEAST_BYTES) {
    fail(`${BUNDLE} has ${Buffer.byteLength(text)} bytes, and must have ${LEAST_BYTES} or more`);
  }
  return text;
}

/** One line: the file's bytes as they are and as a host sends them. */
function weigh(file) {
  const bytes = readFileSync(file);
  const [raw, sent] = [bytes.length, gzipSync(bytes, { level: 9 }).length].map((n) =>
    n.toLocaleString("en-US"),
  );
  console.log(`${file}: ${raw} bytes, ${sent} with gzip`);
}

if (!existsSync(SOURCE)) fail(`${SOURCE} is missing`);
writeFileSync(BUNDLE, bundle());
[WASM, BUNDLE].forEach(weigh);
