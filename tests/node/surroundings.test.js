// What a page knows of its surroundings: its browser and system by what they call themselves, and what the
// browser says of the leave for the local network. The strings are those that the browsers send.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browserOf, leave, surroundings, systemOf } from "../../pkg/src/surroundings.js";

const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/** Browser, system, user agent, fingers that the screen feels. */
const AGENTS = [
  ["chromium", "windows", `${WINDOWS} ${CHROME}`],
  ["chromium", "mac", `${MAC} ${CHROME}`],
  ["chromium", "linux", `Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`],
  ["chromium", "windows", `${WINDOWS} ${CHROME} Edg/142.0.0.0`],
  ["chromium", "mac", `${MAC} ${CHROME} Edg/142.0.0.0`],
  ["chromium", "windows", `${WINDOWS} ${CHROME} OPR/125.0.0.0`],
  ["chromium", "", `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME}`],
  ["chromium", "linux", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36"],
  ["chromium", "", "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36", 5],
  ["chromium", "", "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36", 5],
  ["chromium", "windows", `${WINDOWS} ${CHROME}`, 10], // a computer with a screen for fingers
  ["firefox", "windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"],
  ["firefox", "mac", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0"],
  ["firefox", "linux", "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  ["firefox", "", "Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", 5],
  ["safari", "mac", `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15`],
  ["safari", "", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1", 5],
  ["safari", "", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1", 5],
  ["safari", "", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Mobile/15E148 Safari/604.1", 5],
  ["safari", "", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 EdgiOS/142.0.0.0 Mobile/15E148 Safari/604.1", 5],
  ["safari", "", "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1", 5],
  ["safari", "", `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15`, 5], // an iPad, by its fingers
  ["safari", "linux", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15"],
  ["", "", "curl/8.9.1"],
  ["", "", ""],
];

test("each browser and its system are known by what they call themselves", () => {
  for (const [browser, system, words, touch] of AGENTS) {
    assert.deepEqual([browserOf(words, touch), systemOf(words, touch)], [browser, system], `${words} ${touch ?? ""}`);
  }
});

/** Runs with another `navigator` and `location`. */
async function within(own, work) {
  const before = new Map(Object.keys(own).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  for (const [name, value] of Object.entries(own)) Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    return await work();
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else delete globalThis[name];
    }
  }
}

/** A browser that knows these permissions by name; others throw, as browsers do. */
function knowing(states) {
  const asked = [];
  const query = async ({ name }) => {
    asked.push(name);
    if (!Object.hasOwn(states, name)) throw new TypeError(`'${name}' is not a valid value for enumeration PermissionName`);
    return { state: states[name] };
  };
  return { asked, navigator: { permissions: { query } } };
}

test("the leave for the local network is asked for by the name that the browser knows", async () => {
  const [here, there] = ["http://localhost:11434/v1", "http://192.168.1.5:8080/v1"];
  for (const [states, url, state, names] of [
    // since the permission is one for this computer and one for the network
    [{ "loopback-network": "denied", "local-network": "granted" }, here, "denied", ["loopback-network"]],
    [{ "loopback-network": "denied", "local-network": "granted" }, there, "granted", ["local-network"]],
    // while it was one for both
    [{ "local-network-access": "prompt" }, here, "prompt", ["loopback-network", "local-network-access"]],
    [{ "local-network-access": "denied" }, there, "denied", ["local-network", "local-network-access"]],
    // Firefox, Safari and older ones
    [{ geolocation: "granted" }, here, "", ["loopback-network", "local-network-access"]],
  ]) {
    const { navigator, asked } = knowing(states);
    assert.equal(await within({ navigator }, () => leave(url)), state, url);
    assert.deepEqual(asked, names);
  }
  for (const navigator of [undefined, {}, { permissions: {} }]) assert.equal(await within({ navigator }, () => leave(here)), "");
});

test("which addresses are of this computer", async () => {
  for (const [url, name] of [
    ["http://LOCALHOST:1/v1", "loopback-network"], ["http://127.0.0.1", "loopback-network"], ["https://127.1.2.3/v1", "loopback-network"],
    ["http://[::1]:8080", "loopback-network"], ["http://models.localhost:1", "loopback-network"],
    ["http://localhost.example.org", "local-network"], ["http://127.example.org", "local-network"], ["http://10.0.0.2/?at=http://localhost", "local-network"],
  ]) {
    const { navigator, asked } = knowing({ "loopback-network": "granted", "local-network": "granted" });
    await within({ navigator }, () => leave(url));
    assert.deepEqual(asked, [name], url);
  }
});

test("a page tells its origin, its browser and the leave; Node its system alone", async () => {
  const { navigator } = knowing({ "loopback-network": "prompt" });
  const page = { location: { origin: "https://books.example.org" }, navigator: { ...navigator, userAgent: `${MAC} ${CHROME}`, maxTouchPoints: 0 } };
  assert.deepEqual(await within(page, () => surroundings("http://localhost:1")), { page: "https://books.example.org", browser: "chromium", system: "mac", leave: "prompt" });
  const own = await surroundings("http://localhost:1");
  assert.deepEqual([own.page, own.browser, own.leave], [undefined, "", ""]);
});
