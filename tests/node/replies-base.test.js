// The replies in IndexedDB where it fails: at once, late, by never answering, because another tab holds it,
// amid a build. The build goes on all the same, and says what is held in memory only.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";

import { PATIENCE_MS } from "../../pkg/src/patience.js";
import { forgetReplies, keptReplies, openReplies } from "../../pkg/src/replies-base.js";

/** Settles what is under way: as many turns of the microtask queue as any chain here takes. */
const turns = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

/** An IndexedDB whose open requests end by `ends(request)`, and count what was closed. */
function base(ends) {
  const requests = [];
  const indexedDB = {
    closed: 0,
    open() {
      const request = { result: { close: () => (indexedDB.closed += 1) } };
      requests.push(request);
      queueMicrotask(() => ends?.(request));
      return request;
    },
    requests,
  };
  globalThis.indexedDB = indexedDB;
  return indexedDB;
}

/** Tables whose requests never answer. */
const silent = () => ({ get: () => ({}), put: () => ({}), getAll: () => ({}), getAllKeys: () => ({}), delete: () => ({}) });

describe("replies in a browser's storage", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => {
    mock.timers.reset();
    delete globalThis.indexedDB;
  });

  /** A build that puts and gets one reply; gives what it got and what it says. */
  async function build(replies) {
    await replies.put("a", "one");
    return { got: await replies.get("a"), issues: await replies.issues() };
  }

  const held = ({ got, issues }, why) => {
    assert.equal(got, "one", "nothing is lost to the build");
    assert.deepEqual(issues.map(({ code }) => code), ["store_memory"]);
    assert.match(issues[0].message, why);
    assert.match(issues[0].message, /1 of the replies are held in memory only/);
  };

  test("that is forbidden", async () => {
    Object.defineProperty(globalThis, "indexedDB", { get() { throw new DOMException("not here", "SecurityError"); }, configurable: true });
    held(await build(await openReplies("a build")), /not here/);
  });

  test("that fails, at once or late", async () => {
    for (const late of [false, true]) {
      const fails = (request) => {
        request.error = new DOMException("an internal error opening the backing store", "UnknownError");
        request.onerror();
      };
      const { requests } = base(late ? undefined : fails);
      const opening = openReplies("a build");
      if (late) {
        await turns();
        mock.timers.tick(PATIENCE_MS - 1);
        fails(requests[0]);
      }
      held(await build(await opening), /an internal error opening the backing store/);
    }
  });

  test("that never answers is waited for so long and no longer, and what comes after is closed", async () => {
    const indexedDB = base();
    let opened;
    const opening = openReplies("a build").then((replies) => (opened = replies));
    await turns();
    mock.timers.tick(PATIENCE_MS - 1);
    await turns();
    assert.equal(opened, undefined);
    mock.timers.tick(1);
    held(await build(await opening), /it does not answer/);
    indexedDB.requests[0].onsuccess();
    assert.equal(indexedDB.closed, 1, "a connection that nobody has would keep others out");
    for (const asked of [() => keptReplies(), () => forgetReplies()]) {
      const done = asked();
      await turns();
      mock.timers.tick(PATIENCE_MS);
      assert.deepEqual((await done) ?? [], []);
    }
  });

  test("that another tab holds", async () => {
    const indexedDB = base((request) => request.onblocked());
    held(await build(await openReplies("a build")), /another tab holds it/);
    indexedDB.requests[0].onsuccess();
    assert.equal(indexedDB.closed, 1);
  });

  test("that opens and then never answers is given up for the rest of the build", async () => {
    const indexedDB = base((request) => {
      request.result.transaction = () => ({ objectStore: silent });
      request.onsuccess();
    });
    const replies = await openReplies("a build");
    let got = "nothing yet";
    const getting = replies.get("a").then((value) => (got = value));
    await turns();
    assert.equal(got, "nothing yet");
    mock.timers.tick(PATIENCE_MS);
    await getting;
    assert.equal(got, undefined, "it is asked of the model");
    held(await build(replies), /it does not answer/); // without a further wait: no clock moves here
    assert.equal(indexedDB.requests.length, 1);
    await replies.close();
  });
});
