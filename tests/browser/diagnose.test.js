// What is wrong with a model's server, found out in the page, where a failed request gives no reason.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";

import { modelServer } from "../node/model-server.js";
import { launch, objections, open, PHONE, skip, state, tooSmall, tooWide } from "./browser.js";
import { host } from "./host.js";

describe("faults of a model's server", { skip }, () => {
  let browser;
  let site;
  let server;
  before(async () => {
    [browser, site, server] = await Promise.all([launch(), host(), modelServer()]);
  });
  after(() => Promise.all([browser?.close(), site?.close(), server?.close()]));

  /** Fills the fields and finds faults, by keyboard; gives what the page says. */
  async function found(page, { url = server.url, model = "scripted-chat", rules = [] } = {}) {
    await server.script(rules);
    await page.getByRole("link", { name: "Model", exact: true }).click();
    await page.getByRole("radio", { name: /^A language model/ }).check();
    await page.getByLabel("Server’s address", { exact: true }).fill(url);
    await page.getByLabel("Model", { exact: true }).fill(model);
    await page.getByRole("button", { name: "Find faults" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Find faults" }).waitFor();
    return { items: await page.locator(".trial li").allTextContents(), ill: await page.locator(".trial .ill").allTextContents(), copy: await page.locator(".trial pre").allTextContents() };
  }

  test("a server that lets no page in, one that is not there and a wrong path are told apart, with what to copy", async () => {
    const { page } = await open(browser, site.url);
    await state(page, "ready");
    const cors = await found(page, { rules: [{ fault: "no-cors" }] });
    assert.equal(cors.ill.length, 1, cors.items.join("\n"));
    assert.match(cors.ill[0], /^Connection: .*is there, but does not let pages of .*CORS/);
    assert.ok(cors.copy[0].startsWith(`Access-Control-Allow-Origin: ${site.origin}\n`), cors.copy[0]);

    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address();
    await new Promise((resolve) => closed.close(resolve));
    const nobody = await found(page, { url: `http://127.0.0.1:${port}/v1` });
    assert.match(nobody.ill.join(), /^Connection: Nothing answers at http:\/\/127\.0\.0\.1:\d+\./);

    const wrong = await found(page, { url: server.url.replace("/v1", "/api") });
    assert.match(wrong.ill.join(), /^Path: /);
    assert.deepEqual(wrong.copy, [server.url]);
    assert.deepEqual(await objections(page), []);
    await page.setViewportSize(PHONE);
    assert.deepEqual(await page.evaluate(tooWide), []);
    assert.deepEqual(await page.evaluate(tooSmall), []);
    await page.context().close();
  });

  test("a server that sends a page's request on is told as that, and nobody is asked there", async () => {
    const { page } = await open(browser, site.url);
    await state(page, "ready");
    await server.forget();
    const on = await found(page, { rules: [{ fault: "redirect", on: "chat" }] });
    assert.match(on.ill.join(), /^Connection: .*sends requests on to another address, where none follows/);
    assert.doesNotMatch(on.items.join(), /CORS/);
    const { requests } = await server.log();
    assert.ok(requests.every(({ host }) => !/^localhost/.test(host ?? "")), "nobody else was asked");
    await page.context().close();
  });

  for (const [leave, unreachable, check] of [["denied", false, "browser local_network"], ["prompt", true, "browser local_network"], ["granted", true, "connection unreachable"]]) {
    test(`the leave for the local network is looked at in a page from elsewhere: ${leave}`, async () => {
      const context = await browser.newContext();
      await context.addInitScript((state) => {
        globalThis.asked = [];
        const query = async ({ name }) => {
          globalThis.asked.push(name);
          if (name !== "loopback-network") throw new TypeError(`${name} is not known`);
          return { state };
        };
        Object.defineProperty(navigator, "permissions", { value: { query } });
      }, leave);
      // The built site as if it came from a host on the net; nothing of it leaves this computer.
      await context.route("https://books.example.org/**", async (route) => {
        const { pathname } = new URL(route.request().url());
        const response = await fetch(new URL(pathname, site.url));
        await route.fulfill({ status: response.status, contentType: response.headers.get("content-type"), body: Buffer.from(await response.arrayBuffer()) });
      });
      const page = await context.newPage();
      await page.goto("https://books.example.org/shelf/story/index.html");
      await server.script([]);
      await server.forget();
      const url = unreachable ? "http://127.0.0.1:9/v1" : server.url;
      const { checks, asked } = await page.evaluate(async (url) => {
        const { diagnose } = await import(new URL("pkg/index.js", location.href));
        const found = await diagnose({ url, model: "scripted-chat" }, { as: "chat", worker: false });
        return { checks: found.checks, asked: globalThis.asked };
      }, url);
      const ill = checks.filter(({ ok }) => !ok);
      assert.deepEqual(ill.map(({ check, code }) => `${check} ${code}`), [check], JSON.stringify(checks, null, 1));
      assert.ok(asked.length > 0 && asked.every((name) => name === "loopback-network"));
      if (check.startsWith("browser")) assert.match(ill[0].fix, /Site settings.*Local network access/);
      if (leave === "denied") assert.equal((await server.log()).requests.length, 0, "nothing is sent");
      await context.close();
    });
  }

  test("a server without a fault passes every check, and a context that cuts is found", async () => {
    const { page, faults } = await open(browser, site.url);
    await state(page, "ready");
    const well = await found(page);
    assert.deepEqual(well.ill, []);
    for (const name of ["Address", "Browser", "Connection", "Path", "Key", "Model", "Reply", "Long prompts"]) {
      assert.ok(well.items.some((item) => item.startsWith(`${name}: `)), name);
    }
    const cut = await found(page, { rules: [{ fault: "window", value: 2500, on: "chat" }] });
    assert.match(cut.ill.join(), /^Long prompts: .*silently cuts a prompt of 4000 tokens/);
    assert.deepEqual(faults, []);
    await page.context().close();
  });
});
