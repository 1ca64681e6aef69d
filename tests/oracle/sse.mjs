// Makes tests/data/sse.json: event streams of our own, in the forms that servers of chat models send, and
// the events that another implementation reads in each: the package eventsource-parser 4.1.3.
//
//   npm install --no-save eventsource-parser@4.1.3 && node tests/oracle/sse.mjs
import { writeFileSync } from "node:fs";
import { createParser } from "eventsource-parser";

const chunk = (delta, finish = null) => JSON.stringify({ object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
const words = ["The ", "ferry", " — größer", " 渡し舟", " 🛶 ", "came."];
const chat = words.map((content) => `data: ${chunk({ content })}`);

const STREAMS = {
  plain: `${chat.join("\n\n")}\n\ndata: [DONE]\n\n`,
  "carriage returns and line feeds": `${chat.join("\r\n\r\n")}\r\n\r\ndata: [DONE]\r\n\r\n`,
  "carriage returns": `${chat.join("\r\r")}\r\rdata: [DONE]\r\r`,
  "no space behind the colon": `${chat.join("\n\n").replaceAll("data: ", "data:")}\n\ndata:[DONE]\n\n`,
  "two spaces behind the colon": "data:  two\n\n",
  "comments between": `: waiting\n\n: waiting\n\n${chat[0]}\n\n:\n${chat[1]}\n: in the middle\n\ndata: [DONE]\n\n`,
  "byte order mark": `\uFEFF${chat[0]}\n\n\uFEFFdata: not a field\n\ndata: [DONE]\n\n`,
  "error event": `${chat[0]}\n\nevent: error\ndata: {"error":{"message":"the model stopped","code":502}}\n\n`,
  "name kept for one event only": "event: ping\ndata: 1\n\ndata: 2\n\n",
  "name without data": "event: ping\n\ndata: 2\n\n",
  "several data lines": "data: {\ndata: \"a\": 1\ndata: }\n\n",
  "several data lines, both endings": "event: a\r\ndata: {\r\ndata: }\r\n\r\nevent: b\rdata: {\rdata: }\r\r",
  "empty data": "data\n\ndata:\n\ndata: \n\n",
  "two empty data lines": "data\ndata\n\n",
  "ids and times": `id: 7\nretry: 1000\n${chat[0]}\n\nid\n${chat[1]}\n\n`,
  "unknown fields": `foo: bar\n data: not one\n${chat[0]}\nDATA: not one\n\n`,
  "empty lines before": `\n\n\r\n${chat[0]}\n\n\n\n${chat[1]}\n\n`,
  "broken off behind a line": `${chat[0]}\n\n${chat[1]}\n`,
  "broken off in a line": `${chat[0]}\n\n${chat[1].slice(0, 30)}`,
  "broken off in an ending": `${chat[0]}\r\n\r\n${chat[1]}\r\n\r`,
  "mixed endings": `${chat[0]}\r\n\n${chat[1]}\n\r\n${chat[2]}\r\n\rdata: [DONE]\n\n`,
  nothing: "",
};

// Fed as one string: how the parser copes with cuts is our own test's business.
function read(text) {
  const events = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ name: event ?? "message", data }) });
  parser.feed(new TextDecoder("utf-8").decode(new TextEncoder().encode(text)));
  return events;
}

const rows = Object.entries(STREAMS).map(([name, stream]) => ({ name, stream, events: read(stream) }));
const made = { by: "tests/oracle/sse.mjs", with: "eventsource-parser 4.1.3", rows };
writeFileSync(new URL("../data/sse.json", import.meta.url), `${JSON.stringify(made, null, 1)}\n`);
