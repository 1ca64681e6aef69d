// The package's contract, in a real page: with the engine in a worker and in the page's own thread.

import { after, before, describe, test } from "node:test";

import { contract } from "../contract/suite.js";
import { launch, open, skip } from "./browser.js";
import { host } from "./host.js";

const PLACES = {
  "in a worker": { options: {}, engine: "worker" },
  "in the page's thread": { options: { worker: false }, engine: "thread" },
};

describe("the contract in a page", { skip }, () => {
  let browser;
  let site;
  let page;
  before(async () => {
    [browser, site] = await Promise.all([launch(), host()]);
    ({ page } = await open(browser, `${site.url}embed.html`));
  });
  after(() => Promise.all([browser?.close(), site?.close()]));

  for (const [place, { options, engine }] of Object.entries(PLACES)) {
    describe(place, () => {
      for (const name of Object.keys(contract)) {
        test(name, () => page.evaluate(check, { name, options, engine, base: site.url }));
      }
    });
  }
});

/** Runs one check of the contract; this function is sent to the page. */
async function check({ name, options, engine, base }) {
  const { Book, PlotbridgeError } = await import(`${base}pkg/index.js`);
  const { contract } = await import("/contract/suite.js");
  const urls = { index: `${base}story.plot.json`, html: base, missing: `${base}none.plot.json` };
  await contract[name]({ Book, PlotbridgeError, options, engine, urls });
}
