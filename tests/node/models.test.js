// The models a page names, asked through the engine's own transport: an address, or a function.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { engineModule } from "../../pkg/node.js";
import { modelServer } from "./model-server.js";

const { complete, embed } = engineModule();
const REQUEST = { messages: [{ role: "system", content: "Task: any" }, { role: "user", content: "Who rang?" }], max_tokens: 32 };
const KEY = "sk-hidden-key";

const code = (expected) => (error) => {
  assert.equal(error.code, expected, error.message);
  assert.doesNotMatch(`${error.message} ${JSON.stringify(error.details)}`, /hidden|Who rang/);
  return true;
};

describe("an endpoint", () => {
  let server, models;
  before(async () => {
    server = await modelServer();
    const { url } = server;
    models = { chat: { url, model: "scripted-chat", key: KEY, headers: { "X-Title": "test" } }, embed: { url, model: "scripted-embed" } };
  });
  after(() => server.close());

  const script = async (...rules) => {
    await server.script(rules);
    await server.forget();
  };

  test("completes a conversation, whole and in pieces of single bytes", async () => {
    await script({ reply: "Größe, 渡し舟 🛶" }, { fault: "split", value: 1 });
    const whole = await complete(models, REQUEST);
    assert.deepEqual([whole.text, whole.finish_reason], ["Größe, 渡し舟 🛶", "stop"]);
    assert.ok(whole.usage.prompt_tokens > 0);
    const heard = [];
    const streamed = await complete(models, REQUEST, undefined, (piece) => heard.push(piece));
    assert.equal(heard.join(""), streamed.text);
    assert.equal(streamed.text, "Größe, 渡し舟 🛶");
    assert.ok(streamed.usage.completion_tokens > 0);
  });

  test("embeds texts as unit vectors", async () => {
    await script();
    const [first, second] = await embed(models, ["the ferry", "the bell"]);
    assert.ok(first instanceof Float32Array && first.length === second.length);
    assert.ok(Math.abs(Math.hypot(...first) - 1) < 1e-5);
    await script({ fault: "zeros", value: undefined });
    await assert.rejects(embed(models, ["the ferry"]), code("vector_invalid"));
  });

  test("keeps what a stream that breaks has said", async () => {
    await script({ reply: "one two three four five six seven eight nine ten" }, { fault: "cut", value: 700 });
    const heard = [];
    const reply = await complete(models, REQUEST, undefined, (piece) => heard.push(piece));
    assert.equal(reply.finish_reason, "cut");
    assert.ok(reply.text.startsWith("one ") && reply.text === heard.join(""));
  });

  test("is cancelled at once, and asked no more", async () => {
    await script({ fault: "hang" });
    const controller = new AbortController();
    const seen = (await server.log()).count;
    const waiting = assert.rejects(complete(models, REQUEST, controller.signal), code("aborted"));
    assert.equal((await server.log(seen + 1)).in_flight, 1);
    controller.abort();
    await waiting;
    await assert.rejects(complete(models, REQUEST, controller.signal), code("aborted"));
    assert.equal((await server.log()).count, seen + 1);
  });

  test("that is not there says where and why, and nothing more", async () => {
    const gone = await modelServer();
    await gone.close();
    const chat = { url: `${gone.url}?key=hidden`, model: "m", key: KEY };
    const origin = new URL(gone.url).origin;
    await assert.rejects(complete({ chat }, REQUEST), (error) => {
      assert.equal(error.message, `no answer from ${origin}: is the server running there?`);
      return code("endpoint_unreachable")(error);
    });
  });

  test("does not go to where it is sent on, with a key or without, and says so", async () => {
    const { chat: { key: _, headers: __, ...bare } } = models;
    for (const chat of [models.chat, bare]) {
      await script({ fault: "redirect" });
      await assert.rejects(complete({ chat }, REQUEST), (error) => {
        assert.match(error.message, /sends the request on to another address, which is not followed/);
        return code("endpoint_refused")(error);
      });
      assert.equal((await server.log()).requests.length, 1, "nothing arrived elsewhere, and nothing was tried again");
    }
  });

  test("asks for a key that expires, and once more where it is refused", async () => {
    await script({ fault: "key", value: "second-token" });
    const given = ["first-token", "second-token"];
    const key = async () => given.shift();
    const chat = { ...models.chat, key };
    assert.ok((await complete({ chat }, REQUEST)).text);
    assert.deepEqual(given, []);
    for (const wrong of [() => "first-token", () => { throw new Error("hidden"); }, async () => 5]) {
      await assert.rejects(complete({ chat: { ...chat, key: wrong } }, REQUEST), code("endpoint_auth"));
    }
    await script();
    for (const none of [() => undefined, async () => null, () => ""]) {
      await complete({ chat: { ...chat, key: none } }, REQUEST);
      assert.ok(!(await server.log()).requests.at(-1).headers.includes("authorization"));
    }
    const never = new AbortController();
    const waiting = assert.rejects(complete({ chat: { ...chat, key: () => new Promise(() => queueMicrotask(() => never.abort())) } }, REQUEST, never.signal), code("aborted"));
    await waiting;
  });

  test("is refused for what is no endpoint", async () => {
    const rows = [{ chat: {} }, { chat: { url: "/v1", model: "m" } }, { chat: "x" }, { chat: { url: "http://x/v1", model: "" } }, {}, null,
      { chat: { url: "http://x/v1", model: "m", headers: { a: 1 } } }];
    for (const wrong of rows) await assert.rejects(complete(wrong, REQUEST), code("usage"), JSON.stringify(wrong));
  });
});

describe("a function of the page", () => {
  test("is asked as an endpoint would be, and heard piece by piece", async () => {
    const asked = [];
    const chat = async (request, { signal, onText }) => {
      asked.push(request, signal);
      for (const piece of ["<think>Ann?</think>", "Ben ", "did."]) onText(piece);
      return { text: "<think>Ann?</think>Ben did. Yes.", finish_reason: "length", usage: { prompt_tokens: 3, completion_tokens: 4 } };
    };
    const { signal } = new AbortController();
    const heard = [];
    const reply = await complete({ chat }, REQUEST, signal, (piece) => heard.push(piece));
    assert.deepEqual(reply, { text: "Ben did. Yes.", finish_reason: "length", usage: { prompt_tokens: 3, completion_tokens: 4 } });
    assert.equal(heard.join(""), reply.text);
    assert.deepEqual(asked[0], { model: "page", ...REQUEST, temperature: 0, stream: true });
    assert.equal(asked[1], signal);
  });

  test("may give a text at once, and its faults are its own", async () => {
    assert.equal((await complete({ chat: () => "Ben." }, REQUEST)).text, "Ben.");
    for (const chat of [() => "", () => 7, () => null, () => ({}), () => { throw new Error("no model"); }, async () => { throw "no"; }]) {
      await assert.rejects(complete({ chat }, REQUEST), code("endpoint_reply"));
    }
  });

  test("may give vectors that throw when they are looked at", async () => {
    const detached = () => {
      const numbers = new Float32Array(4).fill(1);
      structuredClone(numbers, { transfer: [numbers.buffer] });
      return numbers;
    };
    const thrower = (target) => new Proxy(target, { get: (_, key) => { if (key === "then") return undefined; throw new Error("hidden"); } });
    const rows = [() => [detached()], () => [[1n, 2n]], () => [[Symbol("a")]], () => [[{ valueOf() { throw new Error("hidden"); } }]], () => [thrower([])],
      () => thrower([]), () => [{ length: 1e12 }], () => ({ length: 2 ** 31 }), () => [new ArrayBuffer(7)], () => [new Float32Array(8193).fill(1)]];
    for (const vectors of rows) {
      await assert.rejects(embed({ embed: async () => vectors() }, ["the ferry"]), ({ code }) => ["endpoint_reply", "vector_invalid"].includes(code), String(vectors));
    }
    assert.equal((await embed({ embed: () => [[3, 4]] }, ["the ferry"]))[0].length, 2);
  });

  test("is left alone once the call is cancelled, whether it heeds the signal or not", async () => {
    let tell;
    for (const heeds of [true, false]) {
      const controller = new AbortController();
      const chat = (_, { signal, onText }) => new Promise((_, reject) => {
        tell = onText;
        if (heeds) signal.addEventListener("abort", () => reject(signal.reason));
        queueMicrotask(() => controller.abort());
      });
      await assert.rejects(complete({ chat }, REQUEST, controller.signal), code("aborted"));
      tell("nobody listens");
    }
  });

  test("embeds, and what it gives is checked", async () => {
    const vectors = await embed({ embed: async (texts) => texts.map((_, n) => (n ? [0, 2] : new Float32Array([3, 4]))) }, ["a", "b"]);
    assert.deepEqual(vectors.map((vector) => [...vector].map((x) => x.toFixed(2))), [["0.60", "0.80"], ["0.00", "1.00"]]);
    for (const wrong of [() => [], () => [[0, 0], [1, 0]], () => [[1], [1, 2]], () => [[NaN], [1]], () => [[1], "x"]]) {
      await assert.rejects(embed({ embed: wrong }, ["a", "b"]), code("vector_invalid"));
    }
    await assert.rejects(embed({ embed: () => 1 }, ["a"]), code("endpoint_reply"));
  });
});
