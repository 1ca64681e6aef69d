// The engines that the tests run in. One that is missing is skipped, with the reason; in CI (CI=true)
// that is a failure. `cargo xtask test` installs them where it can, and names them in these variables.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";

import { DESKTOP, noSite, skip } from "../browser.js";
import { Tab } from "./tab.js";

const { env } = process;
const LIBRARIES = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;

const FIREFOX = { file: env.PLOTBRIDGE_FIREFOX ?? "/usr/bin/firefox-esr" };
const WEBKIT = { file: env.PLOTBRIDGE_WEBKIT ?? `${LIBRARIES}/webkit2gtk-4.1/MiniBrowser`, driver: "WebKitWebDriver", screen: "Xvfb" };
const WPE = { file: env.PLOTBRIDGE_WPE ?? `${LIBRARIES}/wpe-webkit-1.1/MiniBrowser`, driver: "WPEWebDriver" };

/**
 * Each: why it cannot run, if it cannot; how it is driven; what it or its driver is without.
 * The last is the oldest that the package runs in: WebKit as in Safari 16.0, of 2022, without SIMD in
 * WebAssembly, trusted types, `DecompressionStream`, `light-dark()` and nested styles. Workers of
 * WebKit fail at what their policy forbids, but report nothing.
 */
const ENGINES = {
  Chromium: { lacks: skip, without: [], drive: async (how) => (await import("./chromium.js")).driveChromium(how) },
  Firefox: { lacks: lacking(FIREFOX), without: [], drive: async (how) => (await import("./firefox.js")).driveFirefox({ ...FIREFOX, ...how }) },
  WebKitGTK: {
    lacks: lacking(WEBKIT),
    without: ["reports of workers"],
    drive: async (how) => (await import("./webkit.js")).driveWebKit({ ...WEBKIT, ...how }),
  },
  "WPE WebKit": {
    lacks: lacking(WPE),
    without: ["trusted types", "reports of workers", "dropping of files", "a size and a colour scheme to choose"],
    drive: async () => (await import("./webkit.js")).driveOldWebKit(WPE),
  },
};

function lacking({ file, driver, screen }) {
  if (!existsSync(file)) return `there is no browser at ${file}`;
  const absent = [driver, screen].filter(Boolean).find((name) => !env.PATH.split(path.delimiter).some((folder) => existsSync(path.join(folder, name))));
  return absent ? `${absent} is not on the PATH` : noSite;
}

/** A suite in each engine; `open({ size, dark })` gives a tab of it, `has(what)` says whether a test makes sense there. */
export function inEachEngine(title, body) {
  for (const [engine, { lacks, without, drive }] of Object.entries(ENGINES)) {
    if (lacks) {
      test(`${title}: ${engine}`, { skip: env.CI === "true" ? false : lacks }, () => assert.fail(lacks));
      continue;
    }
    const open = async ({ size = DESKTOP, dark = false } = {}) => new Tab(await drive({ size, dark }));
    describe(`${title}: ${engine}`, () => body({ engine, open, has: (what) => !without.includes(what) }));
  }
}
