// The report: one HTML file without scripts, addresses or anything to load, for screens, paper and readers
// that speak. Tables come first, each plot after the table that it draws.

import { count } from "../print.js";
import { MEASURES, NONE, ends, measured, ofJudge, share, signed, tenths, verdict, whole } from "./measures.js";
import { markup, pageOf } from "./markup.js";
import { TABLES } from "./paper.js";
import { barPlot, linePlot } from "./plots.js";
import { STYLE } from "./style.js";
import { typedBy } from "./tables.js";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The file's text. */
export function report(document) {
  const title = `${count(document.questions, "question")}, ${Object.keys(document.methods).length} ways to answer them`;
  return pageOf(markup`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${POLICY}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>plotbridge eval: ${title}</title>
    <style>${STYLE}</style>
    </head>
    <body><main>
    <h1>${title}</h1>
    ${facts(document)}
    ${[scores, differences, byType, byQuestionType, paper, sweeps, costs, failures, toKnow, settings].map((part) => part(document))}
    </main></body>
    </html>`);
}

function facts({ generator, judge, embedder, books, index_tokens: { text, knowledge }, context_tokens: room }) {
  const rows = [
    ["answers by", generator === "none" ? "no chat model: sentences of the book" : generator],
    ...(judge ? [["judged by", judge]] : []),
    ["embedder", embedder],
    ["asked of", count(books, "index", "indexes")],
    ["in the index", `about ${count(text, "token")} of text and ${count(knowledge, "token")} of what is known of it, as this program estimates them; what making it cost is not in an index`],
    ["context", `${count(room, "token")} at most`],
  ];
  return markup`<dl>${rows.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const entries = ({ methods }) => Object.entries(methods);

function scores(document) {
  const measures = measured(Object.values(document.methods));
  const rows = entries(document).map(([name, method]) => [name, ...measures.map(({ of }) => cell(share(of(method)), ends(of(method.intervals))))]);
  const plots = measures.map(({ key, name, of }, at) => {
    const bars = entries(document).filter(([, method]) => of(method) !== null);
    const first = bars[0]?.[0];
    return barPlot(`bars${at}`, `${capital(name)}, with 95 % intervals`, bars.map(([name, method]) => ({ name, mean: of(method), interval: of(method.intervals), first: name === first })));
  });
  const missing = MEASURES.filter((one) => !measures.includes(one) && (document.judge || !ofJudge(one))).map(({ name }) => name);
  const note = missing.length ? markup`<p>Nothing in these questions is marked for: ${missing.join(", ")}.</p>` : "";
  return section("Scores", markup`${table("Means and 95 % intervals", ["", ...measures.map(heading)], rows)}${note}${intervalNote(document)}${plots}`);
}

function intervalNote({ methods }) {
  const books = Object.values(methods).some((method) => MEASURES.some(({ of }) => of(method.books) >= 5));
  return markup`<p>Intervals are of the mean with ${books ? "books drawn again with all their questions, where five or more have gold for a measure, else questions" : "questions drawn again"}, 1,000 times. They say how far a figure would move with others of the kind.</p>`;
}

function differences({ differences: list }) {
  if (!list.length) return "";
  const measures = measured(list);
  const rows = list.map((one) => [`${one.of} − ${one.against}`, ...measures.map(({ of }) => cell(signed(of(one)), ends(of(one.intervals)), verdict(of(one), of(one.claimed))))]);
  return section("Differences", markup`${table("Mean difference, question by question, with its 95 % interval", ["", ...measures.map(heading)], rows)}
    <p>A difference is called higher or lower only where its interval leaves out 0 and six or more of what was resampled differ. Nothing may be claimed of the others, and of twenty comparisons one lies outside by chance.</p>`);
}

const byType = (document) => byTypes(document, "by_type", "By type of question", `Means and 95 % intervals by type; who says the type: ${typedBy(document.methods)}`);

const byQuestionType = (document) => byTypes(document, "by_question_type", "By question_type", "Means and 95 % intervals by the benchmark's types");

function byTypes(document, key, title, caption) {
  const figures = entries(document).flatMap(([name, method]) => Object.entries(method[key]).map(([type, means]) => [name, type, means]));
  if (!figures.length) return "";
  const measures = measured(figures.map(([, , means]) => means));
  const rows = figures.map(([name, type, means]) => [name, type, String(means.questions), ...measures.map(({ of }) => cell(share(of(means)), ends(of(means.intervals))))]);
  return section(title, table(caption, ["", "type", "questions", ...measures.map(heading)], rows));
}

function paper({ table: number, methods }) {
  if (number === null) return "";
  const { title, heads, published } = TABLES[number];
  const ours = ["acc", "f1", "em", "recall_context"].map((key) => MEASURES.find((one) => one.key === key));
  const rows = Object.entries(methods).map(([name, method]) => [
    name, ...(published[name] ?? heads.map(() => NONE)).map(String), ...ours.map(({ of }) => share(of(method))), whole(method.context_tokens_mean),
  ]);
  return section(`Table ${number} of the paper: ${title}`, markup`${table("Published and measured here", ["", ...heads.map((head) => `paper: ${head}`), ...ours.map(heading), "context tokens"], rows)}
    <p>The paper’s figures are in per cent, of another model, another embedder and other books. They show an order, and are not to be reached.</p>`);
}

function sweeps(document) {
  const keys = [...new Set(document.runs.filter(({ sweep }) => sweep).map(({ sweep }) => sweep.key))];
  return keys.map((key, nth) => {
    const runs = document.runs.filter(({ sweep }) => sweep?.key === key);
    const methods = runs.map(({ name }) => document.methods[name]);
    const measures = measured(methods);
    const rows = runs.map(({ sweep }, at) => [sweep.value, ...measures.map(({ of }) => cell(share(of(methods[at])), ends(of(methods[at].intervals))))]);
    const line = (one) => ({ name: heading(one), points: methods.map((method) => ({ mean: one.of(method), interval: one.of(method.intervals) })) });
    const values = runs.map(({ sweep }) => sweep.value);
    // More than six lines cannot be told apart.
    const judged = measures.filter(ofJudge).filter(({ key }) => !/ (factual|similarity)$/.test(key));
    const groups = [measures.filter((one) => !one.key.startsWith("recall") && !ofJudge(one)), judged, measures.filter(({ key }) => key.startsWith("recall_at "))];
    groups.push(measures.filter((one) => !groups.flat().includes(one) && !ofJudge(one)));
    const plots = groups.filter((group) => group.length).map((group, at) => linePlot(`sweep${nth}-${at}`, `${capital(group.map(heading).join(", "))}, by ${key}`, key, values, group.map(line)));
    return section(`Sweep of ${key}`, markup`${table(`Means and 95 % intervals by ${key}`, [key, ...measures.map(heading)], rows)}${plots}`);
  });
}

function costs(document) {
  const heads = ["", "tokens of a passage", "tokens of the context", "ms, half", "ms, 19 of 20", "seconds", "requests", "tokens sent", "tokens received", "failed"];
  const rows = entries(document).map(([name, method]) => [
    name, whole(method.passage_tokens_mean), whole(method.context_tokens_mean), tenths(method.ms_p50), tenths(method.ms_p95), tenths(method.seconds),
    whole(method.requests), whole(method.prompt_tokens), whole(method.completion_tokens), String(method.failures),
  ]);
  return section("Sizes, times and cost", table("Sizes as means over questions; time to half and to nineteen of twenty answers; requests and tokens of all questions together", heads, rows));
}

function failures(document) {
  const rows = entries(document).flatMap(([name, { failed }]) => failed.map(({ id, code, message }) => [name, id, code, message]));
  if (!rows.length) return "";
  return section("Not asked", markup`${table(`Failures: each counts as 0${rows.length > 100 ? "; the first 100" : ""}`, ["", "question", "code", "why"], rows.slice(0, 100))}`);
}

function toKnow({ left_out: out, issues, methods }) {
  const told = Object.entries(methods).flatMap(([name, { issues }]) => Object.entries(issues).map(([code, times]) => `${name}: ${count(times, "answer")} came with the issue ${code}`));
  const lines = [...out.map(({ what, reason }) => `${what} is left out: ${reason}`), ...issues.map(({ message }) => message), ...told];
  return lines.length ? section("To know", markup`<ul>${lines.map((line) => markup`<li>${line}</li>`)}</ul>`) : "";
}

function settings({ runs }) {
  const rows = runs.map(({ name, method, ablate, config }) => [
    name, method ?? "the chat model alone", ablate ?? NONE, Object.entries(config).map(([key, value]) => `${key}=${value}`).join(", ") || NONE,
  ]);
  return section("Settings", table("What each run is", ["", "method", "without", "set"], rows));
}

const section = (title, body) => markup`<section><h2>${title}</h2>${body}</section>`;

/** A table that may be wider than the page: then it is moved by keyboard too. */
const table = (caption, heads, rows) => markup`
  <div class="wide" role="region" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption>
  <thead><tr>${heads.map((head) => (head === "" ? markup`<td></td>` : markup`<th scope="col">${head}</th>`))}</tr></thead>
  <tbody>${rows.map(([name, ...cells]) => markup`<tr><th scope="row">${name}</th>${cells.map((one) => markup`<td>${one}</td>`)}</tr>`)}</tbody></table></div>`;

const cell = (figure, small, word = "") => markup`${figure}${small && markup` <small>${small}</small>`}${word && markup` <strong>${word}</strong>`}`;

const heading = ({ short }) => short;

const capital = (text) => text[0].toUpperCase() + text.slice(1);
