// The scripted model server as later tests use it: started, asked, scripted, ended.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { folder } from "./command.js";
import { modelServer } from "./model-server.js";

const PASSAGE = "It rained when Mr. Bell met Ada in Dover.";

const chat = (url, more = {}) =>
  fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer hidden-key" },
    body: JSON.stringify({
      model: "scripted-chat",
      messages: [
        { role: "system", content: "Task: triples\nReply with JSON." },
        { role: "user", content: `<<<q1\n${PASSAGE}\nq1>>>` },
      ],
      ...more,
    }),
  });

describe("the scripted model server", () => {
  let server;
  before(async () => (server = await modelServer({ faults: ["rate-limit:3@2"] })));
  after(() => server.close());

  test("answers, fails when told to, and tells what it was asked", async () => {
    const reply = await (await chat(server.url)).json();
    assert.deepEqual(JSON.parse(reply.choices[0].message.content).triples[0], { subject: "Mr. Bell", predicate: "met", object: "Ada" });
    const limited = await chat(server.url);
    assert.deepEqual([limited.status, limited.headers.get("retry-after")], [429, "3"]);
    const log = await server.log(2);
    assert.deepEqual(log.requests.map(({ task, faults }) => [task, faults]), [["triples", []], ["triples", ["rate-limit"]]]);
    assert.doesNotMatch(JSON.stringify(log), /hidden-key/);
    await server.forget();
    assert.deepEqual((await server.log()).requests, []);
  });

  test("takes a new script, streams it in single bytes, and refuses one with a slip", async () => {
    await server.script([{ reply: "Straße, 雨" }, { fault: "split", value: 1 }]);
    const text = await (await chat(server.url, { stream: true })).text();
    const data = text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
    assert.equal(data.pop(), "[DONE]");
    assert.equal(data.map((json) => JSON.parse(json).choices[0].delta.content ?? "").join(""), "Straße, 雨");
    await assert.rejects(server.script([{ fault: "gone" }]), /there is no fault `gone`/);
  });

  test("breaks a stream off, and ends while a client waits", async () => {
    await server.script([{ fault: "cut", value: 50, nth: 1 }, { fault: "hang", nth: 2 }]);
    await server.forget();
    const cut = await chat(server.url, { stream: true });
    await assert.rejects(cut.text());
    const seen = (await server.log()).count;
    const waiting = assert.rejects(chat(server.url));
    assert.equal((await server.log(seen + 1)).in_flight, 1);
    await server.close();
    await waiting;
  });

  test("takes its script from a file, writes its log to one, and ends with its starter", async () => {
    const [script, log] = ["script.json", "log.jsonl"].map((name) => path.join(folder(), name));
    writeFileSync(script, JSON.stringify({ rules: [{ reply: "from the file" }] }));
    const other = await modelServer({ args: ["--script", script, "--log", log] });
    const reply = await (await chat(other.url)).json();
    assert.equal(reply.choices[0].message.content, "from the file");
    assert.equal(JSON.parse(readFileSync(log, "utf8")).path, "/v1/chat/completions");
    assert.equal(await other.letGo(), 0);
    await assert.rejects(fetch(`${other.url}/models`));
  });

  test("says what is wrong with its options", async () => {
    await assert.rejects(modelServer({ faults: ["gone"] }), /there is no fault `gone`/);
    await assert.rejects(modelServer({ args: ["--port", "70000"] }), /--port is `70000`, but must be 0 to 65535/);
  });
});
