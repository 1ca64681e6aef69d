// Firefox by WebDriver BiDi, which it speaks itself over a socket; no other program is needed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { key, pressed, typed } from "./actions.js";
import { start, stop } from "./process.js";

/** Nothing is asked of anywhere in the background, and nothing is written outside the profile. */
const PREFERENCES = {
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "remote.prefs.recommended": true,
  "ui.prefersReducedMotion": 1,
};

export async function driveFirefox({ file, size, dark }) {
  const profile = mkdtempSync(path.join(os.tmpdir(), "plotbridge-firefox-"));
  const preferences = { ...PREFERENCES, "layout.css.prefers-color-scheme.content-override": dark ? 0 : 1 };
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  writeFileSync(path.join(profile, "user.js"), lines.join(""));
  const firefox = start(file, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"], { stdio: ["ignore", "ignore", "pipe"] });
  const socket = await connected(await address(firefox));
  const { capabilities } = await socket.ask("session.new", { capabilities: {} });
  const { context } = await socket.ask("browsingContext.create", { type: "tab" });
  await socket.ask("browsingContext.setViewport", { context, viewport: size, devicePixelRatio: 1 });

  const perform = (actions) => socket.ask("input.performActions", { context, actions });
  const script = (expression) => socket.ask("script.evaluate", { expression, target: { context }, awaitPromise: true });
  return {
    name: "Firefox",
    version: capabilities.browserVersion,
    goto: (url) => socket.ask("browsingContext.navigate", { context, url, wait: "complete" }),
    evaluate: async (expression) => {
      const { type, result, exceptionDetails } = await script(`(async () => JSON.stringify(await (${expression})))()`);
      if (type === "exception") throw new Error(exceptionDetails.text);
      return result.value === undefined ? undefined : JSON.parse(result.value);
    },
    run: (source) => script(`${source};0`),
    press: (name) => perform(key(name)),
    type: (text) => perform(typed(text)),
    point: (x, y) => perform(pressed(x, y)),
    choose: async (css, files) => {
      const { nodes: [{ sharedId }] } = await socket.ask("browsingContext.locateNodes", { context, locator: { type: "css", value: css } });
      await socket.ask("input.setFiles", { context, element: { sharedId }, files });
    },
    shot: async () => (await socket.ask("browsingContext.captureScreenshot", { context })).data,
    close: async () => {
      await socket.ask("browser.close", {}).catch(() => {});
      socket.close();
      await stop(firefox);
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Where Firefox says that it listens. */
function address(firefox) {
  return new Promise((resolve, reject) => {
    let said = "";
    firefox.stderr.on("data", (words) => {
      said += words;
      const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? [];
      if (url) resolve(`${url}/session`);
    });
    firefox.once("error", reject);
    firefox.once("exit", () => reject(new Error(`Firefox ended before it listened: ${said}`)));
  });
}

/** A socket for commands, each with its answer. */
async function connected(url) {
  const { default: WebSocket } = await import("ws"); // Node 20 has none of its own
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const waiting = new Map();
  let last = 0;
  socket.on("message", (data) => {
    const { id, type, result, error, message } = JSON.parse(data);
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (type === "error") reject?.(new Error(`${error}: ${message}`));
    else resolve?.(result);
  });
  socket.on("close", () => waiting.forEach(({ reject }) => reject(new Error("Firefox ended"))));
  const ask = (method, params) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  return { ask, close: () => socket.terminate() };
}
