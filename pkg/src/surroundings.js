// From where servers are asked: the page's origin, its browser and system, and one look at a server.
//
// Only facts are gathered here; what they mean is decided in src/diagnose. A look never throws for what a
// server does or a browser forbids. In Node it says the system's word for a failure; in a page there is
// none, but whether the page's own policy was broken can be heard.

const SYSTEMS = { darwin: "mac", win32: "windows", linux: "linux" };

/** `{ page?, browser, system, leave }` for an endpoint at `url`. */
export async function surroundings(url) {
  const page = globalThis.location?.origin;
  if (!page) return { browser: "", system: SYSTEMS[globalThis.process?.platform] ?? "", leave: "" };
  const words = globalThis.navigator?.userAgent ?? "";
  return { page, browser: browserOf(words), system: systemOf(words), leave: await leave(url) };
}

function browserOf(words) {
  if (/iPhone|iPad/.test(words)) return "safari"; // whatever it is called there
  if (/Firefox\//.test(words)) return "firefox";
  if (/Chrom(e|ium)\//.test(words)) return "chromium";
  return /Safari\//.test(words) ? "safari" : "";
}

function systemOf(words) {
  if (/iPhone|iPad|Android/.test(words)) return "";
  return (/Windows/.test(words) && "windows") || (/Mac OS X/.test(words) && "mac") || (/Linux/.test(words) && "linux") || "";
}

/** Whether this page may reach the user's own network: `granted`, `denied`, `prompt`, or `` where no browser says. */
async function leave(url) {
  const here = /^https?:\/\/(localhost|127\.|\[::1\])/i.test(url);
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
export async function look({ way, url, headers, body }, signal) {
  const options = { signal, headers, cache: "no-store", redirect: headers.length ? "error" : "follow" };
  if (way === "blind") Object.assign(options, { mode: "no-cors", headers: undefined, credentials: "omit" });
  if (way === "post") Object.assign(options, { method: "POST", body, headers: [["content-type", "application/json"], ...headers] });
  const policy = hearPolicy();
  try {
    const response = await fetch(url, options);
    if (response.type === "opaque") return { opaque: true };
    return { status: response.status, headers: [...response.headers], body: new Uint8Array(await response.arrayBuffer()) };
  } catch (thrown) {
    const why = (await policy.broken()) ? "policy" : reason(thrown);
    return { why, leave: globalThis.location ? await leave(url) : "" };
  } finally {
    policy.end();
  }
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
  const code = cause?.code ?? cause?.errors?.[0]?.code;
  return code ?? (/redirect/.test(cause?.message ?? "") ? "redirect" : "");
}
