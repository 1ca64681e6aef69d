// From where servers are asked: the page's origin, its browser and system, and one look at a server.
//
// Only facts are gathered here; what they mean is decided in src/diagnose. A look never throws for what a
// server does or a browser forbids. In Node it says the system's word for a failure; in a page there is
// none, but whether the page's own policy was broken can be heard.

/** The most bytes of a body. */
const LARGEST = 4 << 20;

const SYSTEMS = { darwin: "mac", win32: "windows", linux: "linux" };

/** `{ page?, browser, system, leave }` for an endpoint at `url`. */
export async function surroundings(url) {
  const page = globalThis.location?.origin;
  if (!page) return { browser: "", system: SYSTEMS[globalThis.process?.platform] ?? "", leave: "" };
  const { userAgent: words = "", maxTouchPoints: touch = 0 } = globalThis.navigator ?? {};
  return { page, browser: browserOf(words, touch), system: systemOf(words, touch), leave: await leave(url) };
}

/** `chromium`, `firefox`, `safari` or nothing, by what a browser says of itself; `touch` is how many fingers it feels. */
export function browserOf(words, touch = 0) {
  if (/iPhone|iPad|iPod/.test(words) || isPad(words, touch)) return "safari"; // whatever it is called there
  if (/Firefox\//.test(words)) return "firefox";
  if (/Chrom(e|ium)\//.test(words)) return "chromium";
  return /Safari\//.test(words) ? "safari" : "";
}

/** `mac`, `windows`, `linux` or nothing: where Ollama and its like run, and how they are set up there. */
export function systemOf(words, touch = 0) {
  if (/iPhone|iPad|iPod|Android|CrOS/.test(words) || isPad(words, touch)) return "";
  return (/Windows/.test(words) && "windows") || (/Mac OS X/.test(words) && "mac") || (/Linux/.test(words) && "linux") || "";
}

/** An iPad calls itself a Mac; no Mac has a screen for fingers. */
const isPad = (words, touch) => /Macintosh/.test(words) && touch > 1;

/** Whether this page may reach the user's own network: `granted`, `denied`, `prompt`, or `` where no browser says. */
export async function leave(url) {
  const here = /^https?:\/\/(([^/:]+\.)?localhost|127(\.\d+){3}|\[::1\])([:/]|$)/i.test(url);
  for (const name of [here ? "loopback-network" : "local-network", "local-network-access"]) {
    try {
      return (await globalThis.navigator.permissions.query({ name })).state;
    } catch {
      // not known by this name
    }
  }
  return "";
}

/** `{ status, headers, body }`, `{ opaque: true }` for what may not be read, or `{ why, leave }` for nothing. */
export async function look({ way, url, headers, body, longest }, signal) {
  const stop = new AbortController();
  const abort = () => stop.abort();
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort(); // before: of that nothing is heard
  const timer = setTimeout(abort, Math.min(longest, 2 ** 31 - 1));
  // As a build: where a server sends a request on, nothing goes there, with a key or without one.
  const options = { signal: stop.signal, headers, cache: "no-store", redirect: "manual" };
  // Only whether anybody is there: it carries nothing, and browsers refuse it with another word for redirects.
  if (way === "blind") Object.assign(options, { mode: "no-cors", headers: undefined, credentials: "omit", redirect: "follow" });
  if (way === "post") Object.assign(options, { method: "POST", body, headers: [["content-type", "application/json"], ...headers] });
  const policy = hearPolicy();
  try {
    const response = await fetch(url, options);
    if (response.type === "opaque") return { opaque: true };
    if (leadsElsewhere(response)) return { why: "redirect", leave: "" };
    return { status: response.status, headers: [...response.headers], body: await beginning(response) };
  } catch (thrown) {
    const why = (await policy.broken()) ? "policy" : reason(thrown);
    return { why, leave: globalThis.location ? await leave(url) : "" };
  } finally {
    policy.end();
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** A page sees no status of an answer that sends the request on. */
const leadsElsewhere = ({ type, status }) => type === "opaqueredirect" || (status >= 300 && status < 400);

/** A body's bytes; of one that does not end, or is larger than any reply here, the beginning. */
async function beginning(response) {
  const reader = response.body?.getReader();
  const parts = [];
  for (let left = LARGEST; reader && left > 0;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    left -= value.length;
    if (left <= 0) reader.cancel().catch(() => {});
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Hears whether the page's own policy forbids a connection. */
function hearPolicy() {
  let broken = false;
  const hear = ({ effectiveDirective }) => (broken ||= effectiveDirective === "connect-src");
  globalThis.addEventListener?.("securitypolicyviolation", hear);
  return {
    /** The report of a violation comes in a later turn than the failure. */
    broken: async () => {
      if (globalThis.location) await new Promise((resolve) => setTimeout(resolve, 20));
      return broken;
    },
    end: () => globalThis.removeEventListener?.("securitypolicyviolation", hear),
  };
}

/** The system's word for a failure of Node's fetch; of several addresses that failed, the first one's. */
function reason(thrown) {
  const cause = thrown?.cause;
  return cause?.code ?? cause?.errors?.[0]?.code ?? "";
}
