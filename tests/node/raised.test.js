// What became of each event that a retrieval raised: the data of the timeline and of its table.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { raised } from "../../pkg/src/element/trace/raised.js";
import { story } from "../../pkg/src/element/trace/timeline.js";

const at = (start, more) => ({ start, end: start + 10, position: start / 100, ...more });
const event = (start, label = "speech") => at(start, { label, score: 1 });
const nodes = (...events) => ({ characters: [], events });
const trace = (parts) => ({ anchors: nodes(), awakened: nodes(), pairs: [], dropped: [], ...parts });
const told = (parts) => raised(trace(parts)).map((each) => [each.start, story(each)]);

describe("the events that were raised", () => {
  test("stand in story order, those with one label apart", () => {
    assert.deepEqual(told({ anchors: nodes(event(40), event(10)), awakened: nodes(event(20)) }),
      [[10, "anchor, not matched"], [20, "awakened, not matched"], [40, "anchor, not matched"]]);
  });

  test("say what raised them and what became of them", () => {
    const parts = {
      anchors: nodes(event(10)), awakened: nodes(event(20), event(30)),
      pairs: [at(10, { character: "Ida", event: "speech" }), at(40, { character: "Corin", event: "journey" })],
      dropped: [at(20, { character: "", event: "speech", reason: "no room" }), at(30, { character: "Mott", event: "speech", reason: "no room" })],
    };
    assert.deepEqual(told(parts), [
      [10, "anchor, kept with Ida"], [20, "awakened, left out: no room"], [30, "awakened, left out with Mott: no room"], [40, "kept with Corin"],
    ]);
  });

  test("are kept when one of their pairs is, with everybody who is", () => {
    const parts = {
      pairs: [at(10, { character: "Ida", event: "speech" }), at(10, { character: "Mott", event: "speech" })],
      dropped: [at(10, { character: "Corin", event: "speech", reason: "no room" })],
    };
    assert.deepEqual(told(parts), [[10, "kept with Ida, Mott"]]);
  });
});
