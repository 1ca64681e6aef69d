// Progress on stderr: one line that updates on a terminal, one line for each stage elsewhere.

import { count } from "./print.js";

/** `{ hear(progress), end() }` for one call. */
export function progressOn(stream = process.stderr) {
  let stage;
  let told = 0; // the longest wait that was told since it went on
  const hear = (progress) => {
    const name = progress.stage.replaceAll("_", " ");
    if (stream.isTTY) stream.write(`\r\x1b[K${name} ${far(progress)}`);
    else if (progress.waiting > 0) waits(name, progress);
    else if (progress.stage !== stage) stream.write(`${name} …\n`);
    else if (progress.tokens !== undefined && progress.done === progress.total) stream.write(`${name} ${far(progress)}\n`);
    stage = progress.stage;
    if (!(progress.waiting > 0)) told = 0;
  };
  /** One line for each wait, not for each of its seconds, nor for each request that waits beside others. */
  const waits = (name, { waiting }) => {
    if (waiting > told) stream.write(`${name}: waiting, ${time(waiting)}\n`);
    told = Math.max(told, waiting);
  };
  const end = () => {
    if (stream.isTTY && stage) stream.write("\r\x1b[K");
  };
  return { hear, end };
}

/** How far: in percent, and where a model is asked in its units, with what it cost and how long it may take. */
function far({ done, total, tokens, seconds_left: left, waiting }) {
  if (waiting > 0) return `${done.toLocaleString("en")} of ${total.toLocaleString("en")}, waiting, ${time(waiting)}`;
  if (tokens === undefined) return `${total ? Math.floor((100 * done) / total) : 100} %`;
  const parts = [`${done.toLocaleString("en")} of ${total.toLocaleString("en")}`, count(tokens, "token")];
  if (left > 0 && done < total) parts.push(`${time(left)} left`);
  return parts.join(", ");
}

/** Seconds for people, in the unit that suits. */
function time(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
