// A build whose page is left in the middle, ten times, in every engine: its worker ends as with a closed tab.
// On the next visit it goes on; the server's own log counts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { modelServer } from "../node/model-server.js";
import { inEachEngine } from "./drive/engines.js";
import { host } from "./host.js";

const VISITS = 10;
const AT_ONCE = 4;

inEachEngine("a build whose page is left", ({ open }) => {
  let site;
  let tab;
  let server;
  before(async () => {
    server = await modelServer({ rules: [{ fault: "slow", value: 30 }] }); // so that some are always on their way
    [tab, site] = await Promise.all([open(), host()]);
    site.pages.set("/contract/", '<!doctype html><title>contract</title><script type="module" src="in-page.js"></script>');
  });
  after(() => Promise.all([tab?.close(), site?.close(), server?.close()]));

  async function visit(subject) {
    await tab.goto(`${site.origin}/contract/`);
    await tab.until(() => "index" in globalThis);
    await tab.eval((url, how) => globalThis.index(url, how), server.url, subject);
  }

  const made = async () => {
    await tab.until(() => "made" in globalThis);
    return tab.eval(() => globalThis.made);
  };
  const asked = async () => (await server.log()).requests.filter(({ method }) => method === "POST").map(({ path, body }) => JSON.stringify([path, body]));

  for (const [place, options] of Object.entries({ "in a worker": {}, "in the page's thread": { worker: false } })) {
    test(`${place}: it goes on, and asks for nothing twice but what was on its way`, async () => {
      await server.forget();
      await visit({ options });
      const whole = await made();
      const requests = new Set(await asked());
      assert.ok(requests.size > 20 && whole.startsWith("{"), `${requests.size} requests: ${whole.slice(0, 200)}`);
      await server.forget();
      for (let left = 0; left < VISITS; left++) {
        const { count } = await server.log();
        await visit({ options, resume: place });
        await server.log(count + 1 + (left * 7) % 3);
      }
      await visit({ options, resume: place });
      assert.equal(await made(), whole, "the index of a build that nobody stopped");
      const again = await asked();
      assert.deepEqual(new Set(again), requests, "what is asked is the same");
      const twice = again.length - requests.size;
      assert.ok(twice <= AT_ONCE * VISITS, `${twice} requests were sent again after ${VISITS} visits`);
      console.log(`# ${VISITS} visits to a build of ${requests.size} requests: ${twice} sent again`);
    });
  }
});
