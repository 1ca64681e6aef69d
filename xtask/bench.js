// `cargo xtask bench`: times and sizes of the package as people run it, in Node.
//
//   node xtask/bench.js [--runs N] [--json]
//
// Every run is a process of its own, so that none finds another's compiled code or memory. What is
// printed is the median of the runs with the least and the most. A machine that does other things
// too gives other numbers each time: how much so, a yardstick tells, which is a fixed loop that each run
// times as well.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const SELF = fileURLToPath(import.meta.url);
const ROOT = path.dirname(path.dirname(SELF));
const PKG = path.join(ROOT, "pkg");

/** What travels to a page, by what it is for. */
const PARTS = {
  "engine (wasm)": ["wasm/plotbridge_bg.wasm"],
  "worker": ["worker.js"],
  "client (index.js and what it imports)": ["index.js", ...scripts("src")],
  "element (and its style)": ["ask-element.js", "ask-element.css", ...scripts("src/element")],
};

function scripts(folder) {
  return readdirSync(path.join(PKG, folder)).filter((name) => name.endsWith(".js") && name !== "worker.js").sort().map((name) => `${folder}/${name}`);
}

/** The bundled story with its questions, and the largest of the shared books where they are there. */
function booksHere() {
  const texts = (folder) => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".txt")).map((name) => path.join(folder, name)) : []);
  const [story] = texts(path.join(ROOT, "books"));
  const shared = texts(path.join(process.env.PLOTBRIDGE_SHARED ?? path.join(ROOT, "../shared"), "data/books"));
  const largest = shared.sort((a, b) => statSync(b).size - statSync(a).size)[0];
  return [story, largest].filter(Boolean);
}

// One run, in a process of its own.

async function measure(file) {
  const yardstick = [timeYardstick()];
  const { Book } = await import("../pkg/node.js");
  const text = new Uint8Array(readFileSync(file));
  const cpu = process.cpuUsage();
  const [build_ms, built] = await timed(() => Book.build(text));
  const { user, system } = process.cpuUsage(cpu);
  const index = new Uint8Array(await (await built.save()).arrayBuffer());
  built.close();
  const [open_ms, book] = await timed(() => Book.open(index));
  const questions = await questionsOf(file, book);
  const times = [];
  for (const question of questions) times.push((await timed(() => book.retrieve(question)))[0]);
  times.sort((a, b) => a - b);
  yardstick.push(timeYardstick());
  return {
    questions: questions.length, index_bytes: index.length, index_gzip: gzipSync(index).length,
    build_ms, build_cpu_ms: (user + system) / 1e3, open_ms,
    retrieve_p50_ms: rank(times, 0.5), retrieve_p95_ms: rank(times, 0.95), yardstick_ms: Math.min(...yardstick),
  };
}

/**
 * What an open index takes, in a process that does nothing else: all pages of WebAssembly, which are never
 * given back, so they tell the most that was ever held; and what the collected JavaScript heap has grown
 * by since the package was loaded, before the engine was. `whole` counts all of the heap, with Node's own.
 */
async function measureMemory(file) {
  const heap = () => {
    for (let round = 0; round < 3; round++) globalThis.gc();
    return process.memoryUsage().heapUsed;
  };
  const { Book, engineModule } = await import("../pkg/node.js");
  heap();
  const before = heap();
  const pages = () => engineModule().initSync().memory.buffer.byteLength;
  const empty = pages();
  const book = await Book.open(new Uint8Array(readFileSync(file)));
  const heap_whole = heap();
  const [pages_open, heap_open] = [pages(), heap_whole - before];
  await book.ask("Who is it, and where?");
  const index = statSync(file).size;
  return { index, empty, pages_open, heap_open, open: pages_open + heap_open, whole: pages_open + heap_whole, asked: pages() + heap() - before };
}

/** The book's own questions where it has a file of them, else three about each of its ten chief persons. */
async function questionsOf(file, book) {
  const beside = file.replace(/\.txt$/, ".questions.jsonl");
  if (existsSync(beside)) return readFileSync(beside, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line).question);
  const { entities } = await book.inspect();
  const persons = entities.filter(({ type }) => type === "person").slice(0, 10);
  return persons.flatMap(({ name }) => [`Who is ${name}?`, `Why did ${name} leave?`, `What happened after ${name} read the letter?`]);
}

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

/** Milliseconds of a fixed computation that allocates nothing. */
function timeYardstick() {
  const start = performance.now();
  let state = 1;
  for (let at = 0; at < 3e7; at++) state = (Math.imul(state, 48_271) + at) | 0;
  return performance.now() - start + (state === 0.5 ? 1 : 0);
}

const rank = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];

// All runs.

function benchmark(runs) {
  const all = [];
  const books = booksHere().map((file) => {
    const made = Array.from({ length: runs }, (_, at) => {
      process.stderr.write(`${path.basename(file)}, run ${at + 1} of ${runs}\n`);
      return runApart("--measure", file);
    });
    all.push(...made.map(({ yardstick_ms }) => yardstick_ms));
    const { questions, index_bytes, index_gzip } = made[0];
    const names = ["build_ms", "build_cpu_ms", "open_ms", "retrieve_p50_ms", "retrieve_p95_ms"];
    const figures = Object.fromEntries(names.map((name) => [name, spread(made.map((one) => one[name]))]));
    return { book: path.basename(file), bytes: statSync(file).size, questions, index_bytes, index_gzip, memory: memoryOf(file, runs), ...figures };
  });
  const machine = { cpu: os.cpus()[0]?.model.trim() ?? "unknown", cores: os.cpus().length, load: os.loadavg()[0], node: process.version, system: `${os.type()} ${os.arch()}` };
  return { runs, machine, yardstick_ms: spread(all), sizes: sizes(), books };
}

/** The index of a book as a file, made by a process of its own, and what each of several others takes to open it. */
function memoryOf(file, runs) {
  const place = mkdtempSync(path.join(os.tmpdir(), "plotbridge-bench-"));
  try {
    const index = path.join(place, "book.plot.json");
    runApart("--index", file, index);
    const made = Array.from({ length: runs }, () => runApart("--memory", index));
    return Object.fromEntries(Object.keys(made[0]).map((name) => [name, spread(made.map((one) => one[name]))]));
  } finally {
    rmSync(place, { recursive: true });
  }
}

async function writeIndex(file, out) {
  const { Book } = await import("../pkg/node.js");
  const book = await Book.build(new Uint8Array(readFileSync(file)));
  writeFileSync(out, new Uint8Array(await (await book.save()).arrayBuffer()));
  return {};
}

function runApart(...how) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", SELF, ...how], { encoding: "utf8", maxBuffer: 1e7 });
  if (status === 0) return JSON.parse(stdout);
  process.stderr.write(`error: a run failed\n${stderr}`);
  return process.exit(1);
}

function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: rank(sorted, 0.5), min: sorted[0], max: sorted.at(-1) };
}

function sizes() {
  return Object.entries(PARTS).map(([part, files]) => {
    const bytes = files.map((file) => readFileSync(path.join(PKG, file)));
    const total = (weigh) => bytes.reduce((sum, one) => sum + weigh(one), 0);
    return { part, files: files.length, bytes: total((one) => one.length), gzip: total((one) => gzipSync(one, { level: 9 }).length) };
  });
}

// For people.

const whole = (n) => Math.round(n).toLocaleString("en");
const ms = ({ median, min, max }) => `${figure(median)} (${figure(min)} to ${figure(max)})`;
const figure = (n) => (n < 100 ? n.toFixed(1) : whole(n));

function print({ runs, machine, yardstick_ms, sizes: parts, books }) {
  const rows = [["What travels", "bytes", "with gzip"], ...parts.map(({ part, bytes, gzip }) => [part, whole(bytes), whole(gzip)])];
  const head = ["Median of runs (least to most), ms", ...books.map(({ book }) => book)];
  const line = (name, of) => [name, ...books.map(of)];
  const times = [
    head,
    line("text, bytes", ({ bytes }) => whole(bytes)),
    line("index, bytes", ({ index_bytes }) => whole(index_bytes)),
    line("index with gzip", ({ index_gzip }) => whole(index_gzip)),
    line("build", ({ build_ms }) => ms(build_ms)),
    line("build, processor time", ({ build_cpu_ms }) => ms(build_cpu_ms)),
    line("open", ({ open_ms }) => ms(open_ms)),
    line("retrieve, p50 of questions", ({ retrieve_p50_ms }) => ms(retrieve_p50_ms)),
    line("retrieve, p95 of questions", ({ retrieve_p95_ms }) => ms(retrieve_p95_ms)),
    line("memory after open, bytes", ({ memory }) => whole(memory.open.median)),
    line("  of it pages of WebAssembly", ({ memory }) => whole(memory.pages_open.median)),
    line("  in sizes of the index", ({ memory, index_bytes }) => (memory.open.median / index_bytes).toFixed(2)),
    line("  with all of Node's heap", ({ memory, index_bytes }) => (memory.whole.median / index_bytes).toFixed(2)),
    line("memory after a question", ({ memory }) => whole(memory.asked.median)),
    line("questions", ({ questions }) => whole(questions)),
  ];
  const noise = 100 * ((yardstick_ms.max - yardstick_ms.min) / yardstick_ms.median);
  const where = `${machine.cpu}, ${machine.cores} cores, load ${machine.load.toFixed(1)}, ${machine.system}, Node ${machine.node}`;
  console.log(`${table(rows)}\n\n${table(times)}\n\n${runs} runs of each, every one a process of its own. ${where}.`);
  console.log(`Noise of this machine: the same loop took ${ms(yardstick_ms)} ms, a spread of ${noise.toFixed(0)} %.`);
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => row.map((text, column) => (column ? text.padStart(widths[column]) : text.padEnd(widths[0]))).join("  ")).join("\n");
}

const given = process.argv.slice(2);
const alone = { "--measure": measure, "--memory": measureMemory, "--index": writeIndex }[given[0]];
if (alone) {
  console.log(JSON.stringify(await alone(...given.slice(1))));
} else {
  const at = given.indexOf("--runs");
  const document = benchmark(at < 0 ? 5 : Number(given[at + 1]));
  if (given.includes("--json")) console.log(JSON.stringify(document));
  else print(document);
}
