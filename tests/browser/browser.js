// Chromium and the built site, for the tests of this folder. Where either is missing the tests are
// skipped and say why; in CI (CI=true) that is a failure.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const SITE = path.join(ROOT, "target/site");
const SHOTS = path.join(ROOT, "target/screenshots");

const CHROMIUM = process.env.PLOTBRIDGE_CHROMIUM ?? "/usr/bin/chromium";
// Nothing is fetched in the background, so every request seen is the page's own.
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const chromium = await import("playwright-core").then((playwright) => playwright.chromium, () => undefined);

/** Why no page can be tested, or false. */
export const noSite = !existsSync(path.join(SITE, "index.html")) && "there is no target/site: run cargo xtask site";

/** Why the tests cannot run, or false: for the `skip` of a suite. */
export const skip = lacking();
if (skip && process.env.CI === "true") throw new Error(skip);

function lacking() {
  if (noSite) return noSite;
  if (!chromium) return "playwright-core is missing: run npm ci";
  if (!existsSync(CHROMIUM)) return `there is no browser at ${CHROMIUM}: set PLOTBRIDGE_CHROMIUM`;
  return false;
}

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

/**
 * A page in a fresh context, with what went wrong on it: console errors and warnings, uncaught
 * errors, in the page and its workers. `scripts` run before any of the page's own.
 */
export async function open(browser, url, { size = DESKTOP, dark = false, scripts = [] } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  for (const script of scripts) await page.addInitScript(script);
  await page.goto(url);
  return { page, faults };
}

/** Waits until the page's element is in one of these states. */
export const state = (page, ...states) =>
  page.waitForFunction((wanted) => wanted.includes(document.querySelector("plotbridge-ask")?.state), states);

/** Asks as a reader does, and waits for the answer. */
export async function ask(page, question) {
  await state(page, "ready", "answered");
  await page.getByLabel(/^Your question/).fill(question);
  await page.keyboard.press("Enter");
  await page.waitForFunction((asked) => globalThis.answered === asked, question);
}

/** Notes the question of each answer in `globalThis.answered`, before any script of the page runs. */
export const noteAnswers = () =>
  addEventListener("plotbridge-answer", ({ detail }) => { globalThis.answered = detail.trace.question; });

/** Unfolds all that the answer has to unfold, and what that holds; sent to the page. */
export async function unfoldAll() {
  const { shadowRoot } = document.querySelector("plotbridge-ask");
  for (let folded; (folded = shadowRoot.querySelector("details:not([open])"));) {
    const unfolded = new Promise((resolve) => folded.addEventListener("toggle", resolve, { once: true }));
    folded.open = true;
    await unfolded;
  }
}

const axe = existsSync(path.join(ROOT, "node_modules/axe-core/axe.min.js")) && readFileSync(path.join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** What axe-core objects to, one line each. Stylesheets are not preloaded: that would copy them inline. */
export async function objections(page) {
  await page.evaluate(`${axe};0`);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { preload: false });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.flat().join(" ")}: ${failureSummary}`));
  });
}

/** A picture of the viewport, taken without touching the page: Playwright's own adds a style to it. */
export async function picture(page, name) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot");
  mkdirSync(SHOTS, { recursive: true });
  writeFileSync(path.join(SHOTS, `${name}.png`), Buffer.from(data, "base64"));
}

/** Scrolling boxes that are wider inside than outside; sent to the page. */
export function tooWide() {
  const boxes = [document.documentElement, ...document.querySelectorAll(".pane, .page")];
  return boxes.filter((box) => box.clientWidth > 0 && box.scrollWidth > box.clientWidth)
    .map((box) => `${box.className || box.localName}: ${box.scrollWidth} in ${box.clientWidth}`);
}

/**
 * Controls in view that are under 44 px high. Links within a sentence are as high as the sentence; a tick
 * box or radio button is pressed by its label.
 */
export function tooSmall() {
  const { shadowRoot } = document.querySelector("plotbridge-ask");
  const controls = [document, shadowRoot].flatMap((root) => [...root.querySelectorAll("button, input, select, summary, a")]);
  const seen = (control) => control.checkVisibility?.() ?? control.getClientRects().length > 0; // an old engine has no such call
  return controls.filter((control) => seen(control) && !control.matches("p a"))
    .map((control) => (control.matches("[type=checkbox], [type=radio]") ? control.closest("label") : control))
    .map((control) => [control.textContent.trim() || control.id, control.getBoundingClientRect().height])
    .filter(([, height]) => height < 43.99);
}
