// Marked keys are given in every way there is, to a server that sends them back in every way it can: then
// all that comes out is searched for them: both outputs, every file, results, traces, errors.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { inspect } from "node:util";

import { QUESTION, SMALL } from "../contract/books.js";
import { Book, diagnose } from "../../pkg/node.js";
import { folder, run } from "./command.js";

const CHAT = "mark-chat-key-8c1f0a77";
const EMBED = "mark-embed-key-51d2e9b0";
const HEADER = "mark-header-f00dcafe1234";
const QUERY = "mark-query-9a8b7c6d5e";
const MARK = /mark-|8c1f0a77|51d2e9b0|f00dcafe|9a8b7c6d/;

/** Everything that was sent to the server, which it knows how to say again. */
const sent = (request) => `${request.headers.authorization} ${request.headers["x-secret"]} ${request.url}`;
const error = (said) => JSON.stringify({ error: { message: `Incorrect API key provided: ${said}`, type: "invalid_request_error", code: said, param: said } });

const TASKS = {
  entities: { entities: [{ name: "Ines Vale", type: "person", description: "Ines Vale rows." }] },
  triples: { triples: [] },
  gleaning: { entities: [], triples: [] },
  events: { events: [{ label: "rowing", details: "Ines Vale rowed the small boat." }] },
};

function reply(request, body, said) {
  if (request.url.includes("/embeddings")) {
    const { input } = JSON.parse(body);
    return JSON.stringify({ model: said, data: input.map((text, index) => ({ index, embedding: [1, text.length % 7, index % 3] })), usage: { prompt_tokens: 1 } });
  }
  const task = /Task: (\w+)/.exec(body)?.[1];
  const content = TASKS[task] ? JSON.stringify(TASKS[task]) : "### Final Answer\nUnder the chapel floor.";
  return { content, usage: { prompt_tokens: 3, completion_tokens: 2 } };
}

const chat = ({ content, usage }, said) => JSON.stringify({ id: said, model: said, choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }], usage });

/** What the server does: a status, headers and a body of what was sent to it. */
const MODES = {
  "answers, and says the key beside the answer": (request, body, said) => {
    const made = reply(request, body, said);
    return [200, {}, typeof made === "string" ? made : chat(made, said)];
  },
  "answers with the key": (request, body, said) => {
    const made = reply(request, body, said);
    const entity = { name: "Ines Vale", type: "person", description: said };
    if (typeof made === "string") return [200, {}, made];
    return [200, {}, chat({ ...made, content: /Task: entities/.test(body) ? JSON.stringify({ entities: [entity] }) : `### Final Answer\n${said}` }, said)];
  },
  "refuses it": (_, __, said) => [401, { "www-authenticate": `Bearer realm="${said}"` }, error(said)],
  "forbids": (_, __, said) => [403, {}, said],
  "takes no such field": (_, __, said) => [400, {}, error(said)],
  "takes no more": (_, __, said) => [429, { "retry-after": "3600", "retry-after-ms": said }, error(said)],
  "fails within a success": (_, __, said) => [200, {}, error(said)],
  "is a page": (_, __, said) => [404, { "content-type": "text/html" }, `<html><title>${said}</title>${said}`],
  "sends it on": (_, __, said) => [307, { location: `/v1/elsewhere?${encodeURIComponent(said)}` }, said],
  "says what is none": (_, __, said) => [200, {}, `{"choices": [{"message": {"content": ${said}`],
};

let server, url, mode, book, index, asked;

before(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push(request);
    const said = sent(request);
    const [status, headers, text] = MODES[mode](request, body, said);
    response.writeHead(status, { "content-type": "application/json", "x-echo": said, ...headers }).end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/v1?token=${QUERY}`;
  book = path.join(folder(), "ferry.txt");
  writeFileSync(book, SMALL);
  asked = [];
  mode = Object.keys(MODES)[0];
  const place = folder();
  index = path.join(place, "ferry.plot.json");
  const said = await command(["index", book, "-o", index], place);
  assert.equal(said.status, 0, said.err);
});
after(() => {
  server.closeAllConnections();
  server.close();
});

/** Runs a command with every key, and searches what it left in a folder. */
async function command(args, place) {
  asked = [];
  const env = { PLOTBRIDGE_CHAT_URL: url, PLOTBRIDGE_CHAT_MODEL: "c", PLOTBRIDGE_EMBED_URL: url, PLOTBRIDGE_EMBED_MODEL: "e", PLOTBRIDGE_KEY: CHAT, PLOTBRIDGE_EMBED_KEY: EMBED };
  const said = await run(args, { env, cwd: place });
  clean(said.out + said.err, "what is printed");
  for (const file of readdirSync(place, { recursive: true })) clean(`${file} ${readFileSync(path.join(place, file))}`, file);
  assert.ok(asked.length > 0 && asked.every(({ headers }) => [`Bearer ${CHAT}`, `Bearer ${EMBED}`].includes(headers.authorization)), "the keys were sent");
  assert.ok(asked.every(({ url }) => !url.includes(CHAT) && !url.includes(EMBED)), "and in no address");
  return said;
}

function clean(text, where) {
  assert.doesNotMatch(text, MARK, where);
}

/** All that can be seen of a value, its causes and what is not listed with them. */
const seen = (value) => inspect(value, { depth: 20, showHidden: true, maxArrayLength: null, maxStringLength: null }) + JSON.stringify(value);

for (const name of Object.keys(MODES)) {
  describe(`a server that ${name}`, () => {
    const works = name === "answers, and says the key beside the answer";

    test("the command line", async () => {
      mode = name;
      const place = folder();
      const built = await command(["index", book, "-o", path.join(place, "x.plot.json"), "--json"], place);
      assert.equal(built.status === 0, works, built.err);
      for (const args of [["ask", index, QUESTION, "--json"], ["ask", index, QUESTION], ["retrieve", index, QUESTION, "--json"]]) await command(args, place);
      const questions = path.join(place, "questions.jsonl");
      writeFileSync(questions, `${JSON.stringify({ id: "a", question: QUESTION, answers: ["the chapel"] })}\n`);
      await command(["eval", index, questions, "--method", "bm25", "--html", path.join(place, "r.html"), "--rows", path.join(place, "r.jsonl")], place);
      await command(["diagnose", index, "--json"], place);
      const shown = await run(["inspect", works ? path.join(place, "x.plot.json") : index, "--json"], { cwd: place });
      assert.equal(shown.status, 0, shown.err);
      clean(shown.out + shown.err, "inspect");
    });

    test("the package", async () => {
      mode = name;
      asked = [];
      const keep = path.join(folder(), "kept");
      const headers = { "X-Secret": HEADER };
      let given = 0;
      const key = async () => {
        given += 1;
        return CHAT;
      };
      const models = { chat: { url, model: "c", key, headers }, embed: { url, model: "e", key: EMBED, headers } };
      const told = [];
      const hear = (event) => told.push(event);
      const results = [];
      const work = async () => {
        const made = await Book.build(SMALL, { models, extraction: "llm", resume: keep, onProgress: hear });
        results.push(made.info, made.ledger, made.coverage, await made.inspect(), await (await made.save()).text());
        results.push(await made.ask(QUESTION, { onEvent: (event) => event.type !== "text" && hear(event) }));
        made.close();
      };
      await work().catch((thrown) => results.push(thrown, String(thrown), thrown.stack));
      for (const [as, endpoint] of Object.entries(models)) results.push(await diagnose(endpoint, { as }));
      results.push(told);
      results.forEach((result) => clean(seen(result), "a result"));
      for (const file of readdirSync(path.dirname(keep))) clean(readFileSync(path.join(path.dirname(keep), file), "utf8"), "the kept replies");
      assert.ok(asked.every(({ headers }) => headers["x-secret"] === HEADER) && given > 0, "the header and the key were sent");
    });
  });
}
