// Which models are in use, and whose key goes where: the page's rules without the page.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";

import { keyFor, keysAreKept, setKeys } from "../../www/keys.js";
import { faultOf, modelsInUse, named, SERVERS } from "../../www/models.js";
import { set, settings } from "../../www/settings.js";

const usual = { ...settings };
const HERE = "http://localhost:11434/v1";
const THERE = "https://api.example.org/v1";

describe("the models that a reader has set up", () => {
  afterEach(() => {
    set(usual);
    setKeys({}, false);
  });

  test("are none until they are to be used", () => {
    assert.equal(modelsInUse(), undefined);
    set({ chatUrl: HERE, chatModel: "qwen3" });
    assert.equal(modelsInUse(), undefined);
    set({ answers: "model" });
    assert.deepEqual(modelsInUse(), { chat: { url: HERE, model: "qwen3" } });
    assert.equal(named(modelsInUse().chat), "qwen3 at localhost:11434");
    set({ answers: "book" });
    assert.equal(modelsInUse(), undefined);
  });

  test("give the embedding model the chat model's key on the same server only", () => {
    set({ answers: "model", chatUrl: THERE, chatModel: "big", embedModel: "small" });
    setKeys({ chat: { url: THERE, key: "one" } }, false);
    assert.deepEqual(modelsInUse().embed, { url: THERE, model: "small", key: "one" });
    set({ embedSame: false, embedUrl: HERE });
    assert.deepEqual(modelsInUse().embed, { url: HERE, model: "small" });
    setKeys({ chat: { url: THERE, key: "one" }, embed: { url: HERE, key: "two" } }, false);
    assert.deepEqual(modelsInUse().embed, { url: HERE, model: "small", key: "two" });
    set({ embedUrl: "nowhere" });
    assert.deepEqual(modelsInUse(), { chat: { url: THERE, model: "big", key: "one" } });
  });

  test("keep a key to the origin it was given for", () => {
    setKeys({ chat: { url: THERE, key: "one" } }, false);
    const rows = [[THERE, "one"], ["https://api.example.org/other", "one"], ["http://api.example.org/v1", ""],
      ["https://api.example.org:8443/v1", ""], ["https://example.org/v1", ""], ["", ""], ["no address", ""]];
    for (const [url, key] of rows) assert.equal(keyFor("chat", url), key, url);
    assert.equal(keyFor("embed", THERE), "");
    assert.equal(keysAreKept(), false);
    assert.doesNotMatch(JSON.stringify(settings), /one/);
  });

  test("have addresses that the page may speak to, without a key in them", () => {
    const well = [...Object.keys(SERVERS), "https://x.org", "http://127.0.0.1:1/v1?api-version=2"];
    for (const url of well) assert.equal(faultOf(url), "", url);
    const ill = ["", "localhost:11434", "/v1", "http://192.168.0.2/v1", "http://example.org/v1", "ftp://localhost/v1", "javascript:alert(1)",
      "https://me@x.org", "https://me:pass@x.org/v1", "https://x.org/v1?key=1", "https://x.org/v1?a=1&api_key=2", "https://x.org/v1?access_token=3"];
    for (const url of ill) assert.notEqual(faultOf(url), "", url);
  });
});
