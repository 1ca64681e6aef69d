// plotbridge serve: the headers of every answer, and nothing from outside the folder.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { folder, run, start, until } from "./command.js";

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self' https: http://localhost:* http://127.0.0.1:*; worker-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

let running;
let port;

before(async () => {
  const home = folder();
  const site = path.join(home, "site");
  mkdirSync(path.join(site, "sub dir"), { recursive: true });
  writeFileSync(path.join(home, "secret.txt"), "secret");
  mkdirSync(path.join(home, "site-2"));
  writeFileSync(path.join(home, "site-2", "secret.txt"), "secret");
  for (const [name, text] of Object.entries({ "index.html": "<h1>home</h1>", "a.js": "1", "p.wasm": "\0asm", "b.plot.json": "{}", ".env": "key", "sub dir/index.html": "sub" })) {
    writeFileSync(path.join(site, name), text);
  }
  symlinkSync(path.join(home, "secret.txt"), path.join(site, "link.txt"));
  running = start(["serve", site, "--port", "0", "--json"]);
  const [line] = await until(running, "out", /^.*\n/);
  const { url, dir } = JSON.parse(line);
  port = new URL(url).port;
  assert.equal(new URL(url).hostname, "127.0.0.1");
  assert.equal(path.basename(dir), "site");
});

after(() => running.child.kill("SIGKILL"));

/** A request with the path as it is: fetch would tidy it. */
const get = (target, method = "GET") =>
  new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: target, method }, (response) => {
      let body = "";
      response.on("data", (part) => (body += part)).on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    })
      .on("error", reject)
      .end();
  });

/** What is answered to these very bytes. */
const raw = (text) =>
  new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("latin1").on("data", (part) => {
      answer += part;
      if (answer.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("close", () => resolve(answer)).on("error", (error) => (answer ? resolve(answer) : reject(error)));
  });

describe("serve", () => {
  test("sends every answer with the policy and nosniff, and files with their types", async () => {
    const types = { "/": "text/html", "/index.html?x=1": "text/html", "/a.js": "text/javascript", "/p.wasm": "application/wasm", "/b.plot.json": "application/json", "/sub%20dir/": "text/html" };
    for (const [target, type] of Object.entries(types)) {
      const { status, headers } = await get(target);
      assert.equal(status, 200, target);
      assert.ok(headers["content-type"].startsWith(type), target);
    }
    for (const target of ["/", "/none", "/sub%20dir"]) {
      const { headers } = await get(target);
      assert.equal(headers["content-security-policy"], POLICY);
      assert.equal(headers["x-content-type-options"], "nosniff");
    }
  });

  test("answers HEAD without a body, and no other method", async () => {
    const { status, headers, body } = await get("/", "HEAD");
    assert.deepEqual([status, headers["content-length"], body], [200, "13", ""]);
    const post = await get("/", "POST");
    assert.deepEqual([post.status, post.headers.allow], [405, "GET, HEAD"]);
  });

  test("sends a folder on to its slash, on this host", async () => {
    const { status, headers } = await get("/sub%20dir?a=1");
    assert.deepEqual([status, headers.location], [301, "/sub%20dir/?a=1"]);
    const double = await get("//sub%20dir");
    assert.ok(!double.headers.location?.startsWith("//"));
  });

  test("gives nothing outside the folder, nothing hidden, nothing malformed", async () => {
    const targets = [
      "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/sub%20dir/../../secret.txt", "/..\\secret.txt", "/%5c..%5csecret.txt",
      "/../site-2/secret.txt", "/link.txt", "/.env", "/%00", "/%", "/none", "//etc/passwd", "/a.js/",
    ];
    for (const target of targets) {
      const { status, body } = await get(target);
      assert.equal(status, 404, target);
      assert.doesNotMatch(body, /secret|key|root:/);
    }
  });

  test("sends the policy with what it refuses to read, too", async () => {
    const requests = {
      400: ["nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\nHost: x\r\n\r\n"],
      417: ["GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n"],
      431: [`GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(100_000)}\r\n\r\n`],
    };
    for (const [status, list] of Object.entries(requests)) {
      for (const text of list) {
        const answer = await raw(text);
        assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), `${text.slice(0, 30)} gives ${answer.slice(0, 40)}`);
        assert.ok(answer.includes(`\r\nContent-Security-Policy: ${POLICY}\r\n`), `${text.slice(0, 30)} has the policy`);
        assert.ok(answer.includes("\r\nX-Content-Type-Options: nosniff\r\n"));
      }
    }
    assert.equal((await get("/")).status, 200, "it serves on");
  });

  test("has no port above 65535, and takes one folder", async () => {
    const high = await run(["serve", folder(), "--port", "99999"]);
    assert.equal(high.status, 2);
    assert.match(high.err, /--port is 99999, but must be at most 65535/);
    const two = await run(["serve", folder(), "more"]);
    assert.equal(two.status, 2);
    assert.match(two.err, /"more" is one too many; see/);
  });

  test("says that a port is in use", async () => {
    const { status, out, err } = await run(["serve", folder(), "--port", port]);
    assert.equal(status, 1);
    assert.equal(out, "");
    assert.match(err, new RegExp(`port ${port} is in use`));
  });

  test("ends on Ctrl-C, also while a page holds a connection", async () => {
    const open = request({ host: "127.0.0.1", port, path: "/", agent: false, headers: { connection: "keep-alive" } }).on("error", () => {});
    open.end();
    await new Promise((resolve) => open.on("response", (response) => response.on("end", resolve).resume()));
    running.child.kill("SIGINT");
    assert.equal((await running.done).status, 130);
  });
});
