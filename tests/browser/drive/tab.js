// A tab of some engine, as the tests drive it: the same calls whatever is beneath. Beneath is a driver
// (chromium.js, firefox.js, webdriver.js) with few primitives:
//
//   name, version
//   goto(url)              resolves when the page has loaded
//   evaluate(expression)   a JavaScript expression in the page, awaited; its value as JSON carries it
//   run(source)            a script in the page, past its policy
//   press(key)             "Tab", "Enter", "Home", "End"
//   type(text)
//   point(x, y)            moves the pointer there, and presses
//   choose(css, files)     gives files to a file input of the page
//   shot()                 a picture of the viewport, PNG in base64
//   close()                ends what it started, and nothing else

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { ROOT } from "../browser.js";

const AXE = path.join(ROOT, "node_modules/axe-core/axe.min.js");
const SHOTS = path.join(ROOT, "target/screenshots");
const LIMIT = 30_000; // milliseconds; nothing that is waited for takes a tenth of it

export class Tab {
  #driver;

  constructor(driver) {
    this.#driver = driver;
  }

  get version() {
    return `${this.#driver.name} ${this.#driver.version}`;
  }

  goto(url) {
    return this.#driver.goto(url);
  }

  /** The result of a function that is sent to the page; may be a promise. */
  eval(work, ...args) {
    return this.#driver.evaluate(`(${work})(${args.map((arg) => JSON.stringify(arg)).join(", ")})`);
  }

  /** Waits in the page until the function gives something true, which is the result as JSON carries it. */
  async until(check, ...args) {
    const found = await this.#driver.evaluate(`(${poll})(() => (${check})(${args.map((arg) => JSON.stringify(arg)).join(", ")}), ${LIMIT})`);
    if (!found) throw new Error(`waited for in vain: ${check} ${JSON.stringify(args)}`);
    return found;
  }

  /** Waits for an element; `host >>> selector` looks into a shadow root, `selector "words"` at its text. */
  find(place) {
    return this.until(lookUp, place);
  }

  press(key) {
    return this.#driver.press(key);
  }

  type(text) {
    return this.#driver.type(text);
  }

  /** Brings the element into view and presses on its middle. */
  async click(place) {
    await this.find(place);
    const { x, y } = await this.#driver.evaluate(`(${middle})((${lookUp})(${JSON.stringify(place)}, true))`);
    await this.#driver.point(x, y);
  }

  /** The text of each element, as its place says. */
  texts(place) {
    return this.#driver.evaluate(`(${lookUp})(${JSON.stringify(place)}, true, true).map((found) => found.textContent)`);
  }

  choose(css, ...files) {
    return this.#driver.choose(css, files);
  }

  /** The name of what has the focus, through shadow roots. */
  focused() {
    return this.eval(() => {
      let active = document.activeElement;
      while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      return (active.labels?.[0] ?? active).textContent.trim();
    });
  }

  /** Presses Tab until something whose name starts so has the focus. */
  async tabTo(name) {
    for (let stops = 0; stops < 100; stops++) {
      await this.press("Tab");
      if ((await this.focused()).startsWith(name)) return;
    }
    throw new Error(`nothing named ${name} is reached by Tab`);
  }

  /** What axe-core objects to, one line each. Stylesheets are not preloaded: that would copy them inline. */
  async objections() {
    await this.#driver.run(readFileSync(AXE, "utf8"));
    return this.eval(async () => {
      const { violations } = await globalThis.axe.run(document, { preload: false });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.flat().join(" ")}: ${failureSummary}`));
    });
  }

  async picture(name) {
    mkdirSync(SHOTS, { recursive: true });
    writeFileSync(path.join(SHOTS, `${name}.png`), Buffer.from(await this.#driver.shot(), "base64"));
  }

  close() {
    return this.#driver.close();
  }
}

/** These three are sent to the page. */
async function poll(check, limit) {
  const end = performance.now() + limit;
  for (;;) {
    const found = await check();
    if (found || performance.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function lookUp(place, element = false, all = false) {
  const [, path, words = ""] = /^(.*?)(?: "(.*)")?$/.exec(place);
  const parts = path.split(" >>> ");
  const root = parts.slice(0, -1).reduce((within, host) => within?.querySelector(host)?.shadowRoot, document);
  const found = [...(root?.querySelectorAll(parts.at(-1)) ?? [])].filter((each) => each.textContent.includes(words));
  if (all) return found;
  return element ? found[0] : found.length > 0;
}

function middle(element) {
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };
}
