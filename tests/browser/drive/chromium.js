// Chromium by Playwright, as far as the tests that run in every engine need it.

import { launch } from "../browser.js";

export async function driveChromium({ size, dark }) {
  const browser = await launch();
  const page = await browser.newPage({ viewport: size, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  const session = await page.context().newCDPSession(page);
  return {
    name: "Chromium",
    version: browser.version(),
    goto: (url) => page.goto(url),
    evaluate: (expression) => page.evaluate(expression),
    run: (source) => page.evaluate(`${source};0`),
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    point: (x, y) => page.mouse.click(x, y),
    choose: (css, files) => page.locator(css).setInputFiles(files),
    shot: async () => (await session.send("Page.captureScreenshot")).data,
    close: () => browser.close(),
  };
}
