// A build that is killed goes on: no request whose reply had arrived is sent again, and the index is that of
// a build that nobody stopped. The server's own log counts. Some 120 processes are started: 80 seconds of a
// processor.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { long } from "../contract/books.js";
import { folder, run, start } from "./command.js";
import { modelServer } from "./model-server.js";

const KILLS = 50;
let server, book, env, whole;

before(async () => {
  server = await modelServer();
  book = path.join(folder(), "book.txt");
  writeFileSync(book, long(9_000));
  env = { PLOTBRIDGE_CHAT_URL: server.url, PLOTBRIDGE_CHAT_MODEL: "scripted-chat", PLOTBRIDGE_EMBED_URL: server.url, PLOTBRIDGE_EMBED_MODEL: "scripted-embed" };
  whole = await uninterrupted();
});
after(() => server.close());

async function uninterrupted() {
  const out = anywhere();
  const { status, err } = await run(["index", book, "-o", out], { env });
  assert.equal(status, 0, err);
  const index = readFileSync(out);
  const requests = await asked();
  assert.ok(requests.length >= 30 && new Set(requests).size === requests.length, `${requests.length} requests, none twice`);
  return { index, requests: new Set(requests) };
}

let places = 0;

function anywhere() {
  const place = path.join(path.dirname(book), String(++places));
  mkdirSync(place);
  return path.join(place, "x.plot.json");
}

/** Every request that arrived, as a text, oldest first. */
const asked = async () => (await server.log()).requests.map(({ path, body }) => JSON.stringify([path, body]));

/** Numbers that are the same in every run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** A run that is killed once `more` requests have arrived; whether it was, or had ended before. */
async function killed(args, more) {
  const seen = (await server.log()).count;
  const running = start(args, { env });
  const arrived = server.log(seen + more).then(() => true);
  if (await Promise.race([arrived, running.done.then(() => false)])) running.child.kill("SIGKILL");
  const { status, err } = await running.done;
  assert.ok(status === "SIGKILL" || status === 0, err);
  return status === "SIGKILL";
}

describe("killed at 50 random requests", () => {
  for (const concurrency of [1, 4]) {
    test(`with ${concurrency} at once`, async () => {
      const draw = numbers(7_919 * concurrency);
      let [kills, builds, repeated] = [0, 0, 0];
      while (kills < KILLS) {
        const out = anywhere();
        const args = ["index", book, "-o", out, "--concurrency", String(concurrency)];
        await server.forget();
        let here = 0;
        while (kills + here < KILLS && await killed(args, 1 + draw(9))) {
          here += 1;
          assert.equal(existsSync(out), false, "an index is whole or not there");
        }
        const { status, err } = await run(args, { env });
        assert.equal(status, 0, err);
        assert.ok(readFileSync(out).equals(whole.index), "the index of a build that nobody stopped");
        const requests = await asked();
        assert.deepEqual(new Set(requests), whole.requests, "what is asked is the same");
        const twice = requests.length - whole.requests.size;
        assert.ok(twice <= concurrency * here, `${twice} requests were sent again after ${here} kills`);
        [kills, builds, repeated] = [kills + here, builds + 1, repeated + twice];
      }
      console.log(`# ${kills} kills in ${builds} builds of ${whole.requests.size} requests: ${repeated} sent again`);
    });
  }
});

describe("what is kept", () => {
  const built = async (args = [], more = {}) => {
    await server.forget();
    const { status, out, err } = await run(["index", book, "-o", place, "--json", ...args], { env: { ...env, ...more } });
    assert.equal(status, 0, err);
    return { document: JSON.parse(out), requests: await asked() };
  };
  let place;
  before(async () => {
    place = anywhere();
    await built();
  });

  test("answers the same build again, whole, and says where it is", async () => {
    const { document, requests } = await built();
    assert.deepEqual(requests, []);
    assert.equal(document.replies, `${place}.replies`);
    assert.ok(readFileSync(place).equals(whole.index));
    const { out } = await run(["index", book, "-o", place], { env });
    assert.match(out.replace(/\s+/g, " "), /replies kept in .*x\.plot\.json\.replies, .* asks only for what is new/);
  });

  test("is used for what is the same: another embedder, another model, another text", async () => {
    const paths = (requests) => [...new Set(requests.map((request) => JSON.parse(request)[0]))];
    const embed = await built([], { PLOTBRIDGE_EMBED_MODEL: "other-embed" });
    assert.deepEqual(paths(embed.requests), ["/v1/embeddings"]);
    const chat = await built([], { PLOTBRIDGE_CHAT_MODEL: "other-chat" });
    assert.equal(chat.requests.filter((request) => request.includes("/chat/completions")).length, [...whole.requests].filter((request) => request.includes("/chat/completions")).length);
    const changed = path.join(folder(), "changed.txt");
    writeFileSync(changed, readFileSync(book, "utf8").replace("number 50 was", "number fifty was"));
    await server.forget();
    const said = await run(["index", changed, "-o", place], { env });
    assert.equal(said.status, 0, said.err);
    const again = (await asked()).length;
    assert.ok(again > 0 && again < whole.requests.size / 2, `${again} of ${whole.requests.size} requests for one sentence`);
  });

  test("is let go of by --fresh", async () => {
    assert.equal((await built(["--fresh"])).requests.length, whole.requests.size);
    assert.deepEqual((await built()).requests, []);
  });

  test("is told of where the endpoint fails, and where the run is interrupted", async () => {
    const file = anywhere();
    await server.script([{ fault: "quota", nth: 5 }]);
    const failed = await run(["index", book, "-o", file, "--concurrency", "1"], { env });
    assert.deepEqual([failed.status, existsSync(file)], [4, false]);
    assert.match(failed.err, /no credit.*replies are kept in .*x\.plot\.json\.replies: the same command goes on from there/);
    await server.script([{ fault: "hang", nth: 3 }]);
    const seen = (await server.log()).count;
    const running = start(["index", book, "-o", file, "--concurrency", "1"], { env });
    await server.log(seen + 3);
    running.child.kill("SIGINT");
    const stopped = await running.done;
    assert.equal(stopped.status, 130, stopped.err);
    assert.match(stopped.err, /replies are kept in .*x\.plot\.json\.replies: the same command goes on from there/);
    await server.script([]);
    await server.forget();
    assert.equal((await run(["index", book, "-o", file], { env })).status, 0);
    assert.equal((await asked()).length, whole.requests.size - 4 - 2, "4 were answered before the failure, 2 before Ctrl-C");
    assert.ok(readFileSync(file).equals(whole.index));
    await server.script([{ fault: "key", value: "another" }]);
    const none = await run(["index", book, "-o", anywhere()], { env });
    assert.match(none.err, /nothing was replied yet that could be kept/);
    await server.script([]);
  });

  test("is not used where a file of another kind has its name, which stays as it is", async () => {
    const file = anywhere();
    writeFileSync(`${file}.replies`, "a shopping list\n");
    const { status, out, err } = await run(["index", book, "-o", file, "--json"], { env });
    assert.equal(status, 0, err);
    assert.ok(JSON.parse(out).issues.some(({ code }) => code === "store_memory"), out);
    assert.equal(readFileSync(`${file}.replies`, "utf8"), "a shopping list\n");
    assert.equal((await run(["index", book, "-o", file, "--fresh"], { env })).status, 1);
  });
});
