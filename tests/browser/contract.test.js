// The package's contract, in a real page of every engine: with the engine of the package in a worker
// and in the page's own thread.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { RULES } from "../contract/models.js";
import { contract } from "../contract/suite.js";
import { modelServer } from "../node/model-server.js";
import { inEachEngine } from "./drive/engines.js";
import { host } from "./host.js";

const PLACES = {
  "in a worker": { options: {}, engine: "worker" },
  "in the page's thread": { options: { worker: false }, engine: "thread" },
};

inEachEngine("the contract in a page", ({ open }) => {
  let site;
  let tab;
  let server;
  before(async () => {
    server = await modelServer({ rules: RULES }); // By itself: it is ended even where no tab opens.
    [tab, site] = await Promise.all([open(), host()]);
    site.pages.set("/contract/", '<!doctype html><title>contract</title><script type="module" src="in-page.js"></script>');
    await tab.goto(`${site.origin}/contract/`);
    await tab.until(() => "holds" in globalThis);
    console.log(tab.version);
  });
  after(() => Promise.all([tab?.close(), site?.close(), server?.close()]));

  for (const [place, subject] of Object.entries(PLACES)) {
    describe(place, () => {
      for (const name of Object.keys(contract)) {
        test(name, async () => assert.equal(await tab.eval((check, how) => globalThis.holds(check, how), name, { ...subject, models: server.url }), ""));
      }
    });
  }

  test("a stack that overflows in the engine is a crash", async () => assert.equal(await tab.eval(() => globalThis.knowsOverflow()), true));
});
