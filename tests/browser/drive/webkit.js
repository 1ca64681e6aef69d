// WebKit by the classic WebDriver protocol: WebKitGTK in a virtual X server of its own, and WPE, whose
// old release in Debian 12 stands for the oldest engine that the page runs in, without one.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { key, pressed, typed } from "./actions.js";
import { freePort, start, stop } from "./process.js";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf"; // the protocol's name for an element's id

export async function driveWebKit({ file, driver, size, dark }) {
  const home = homeOfItsOwn();
  const screen = await screenOf(size);
  const args = ["--automation", "--full-screen", ...(dark ? ["--dark-mode"] : [])];
  const session = await begun(driver, { ...home.env, DISPLAY: screen.display }, { "webkitgtk:browserOptions": { binary: file, args } });
  // Full screen on a screen of that size is the one way to a narrow window.
  await session.post("/window/rect", { x: 0, y: 0, ...size });
  return driven("WebKitGTK", session, [screen, home]);
}

/** Its viewport cannot be chosen, nor a colour scheme. */
export async function driveOldWebKit({ file, driver }) {
  const home = homeOfItsOwn();
  const session = await begun(driver, home.env, { "wpe:browserOptions": { binary: file, args: ["--headless", "--automation"] } });
  return driven("WPE WebKit", session, [home]);
}

function driven(name, session, others) {
  const { post, get } = session;
  return {
    name,
    version: session.version,
    goto: (url) => post("/url", { url }),
    evaluate: async (expression) => {
      const script = `(async () => (${expression}))().then((value) => arguments[0]({ value }), (error) => arguments[0]({ error: String(error) }))`;
      const { value, error } = await post("/execute/async", { script, args: [] });
      if (error) throw new Error(error);
      return value;
    },
    run: (source) => post("/execute/sync", { script: source, args: [] }),
    press: (which) => post("/actions", { actions: key(which) }),
    type: (text) => post("/actions", { actions: typed(text) }),
    point: (x, y) => post("/actions", { actions: pressed(x, y) }),
    choose: async (css, files) => {
      const { [ELEMENT]: input } = await post("/element", { using: "css selector", value: css });
      await post(`/element/${input}/value`, { text: files.join("\n") });
    },
    shot: () => get("/screenshot"),
    close: async () => {
      await session.end();
      for (const each of others) await each.end();
    },
  };
}

/** A driver with one session in it. */
async function begun(driver, env, options) {
  const port = await freePort();
  const child = start(driver, [`--port=${port}`], { stdio: "ignore", env });
  const died = new Promise((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${driver} ended with ${code}`)));
  });
  died.catch(() => {}); // its end is no fault once it is asked for
  const call = async (method, address, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${address}`, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  await Promise.race([listening(call), died]);
  const { sessionId, capabilities } = await call("POST", "/session", { capabilities: { alwaysMatch: options } });
  const session = `/session/${sessionId}`;
  await call("POST", `${session}/timeouts`, { script: 60_000, pageLoad: 30_000 });
  return {
    version: capabilities.browserVersion,
    get: (address) => call("GET", session + address),
    post: (address, body) => call("POST", session + address, body),
    end: async () => {
      await call("DELETE", session).catch(() => {});
      await stop(child);
    },
  };
}

/** It takes a moment until a driver that was started answers. */
async function listening(call) {
  for (let tries = 0; ; tries++) {
    try {
      return await call("GET", "/status");
    } catch (error) {
      if (tries > 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

/** An X server with one screen; it says itself which number it took. */
async function screenOf({ width, height }) {
  const server = start("Xvfb", ["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const number = await new Promise((resolve, reject) => {
    server.stdio[3].once("data", resolve);
    server.once("error", reject);
    server.once("exit", () => reject(new Error("Xvfb ended before it had a screen")));
  });
  return {
    display: `:${String(number).trim()}`,
    end: () => stop(server),
  };
}

/** A folder for settings and data, so that nothing of the user's is read or written. */
function homeOfItsOwn() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "plotbridge-webkit-"));
  mkdirSync(path.join(folder, "gtk-3.0"));
  writeFileSync(path.join(folder, "gtk-3.0/settings.ini"), "[Settings]\ngtk-enable-animations=0\n"); // reduced motion
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder, NO_AT_BRIDGE: "1" };
  return { env, end: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}
