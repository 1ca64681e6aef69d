// Progress on stderr: one line that updates on a terminal, one line for each stage elsewhere.

import { count } from "./print.js";

/** `{ hear(progress), end() }` for one call. */
export function progressOn(stream = process.stderr) {
  let stage;
  let left; // of the wait that was told last
  const hear = (progress) => {
    const name = progress.stage.replaceAll("_", " ");
    if (stream.isTTY) stream.write(`\r\x1b[K${name} ${far(progress)}`);
    else if (progress.waiting > 0) waits(name, progress);
    else if (progress.stage !== stage) stream.write(`${name} …\n`);
    else if (progress.tokens !== undefined && progress.done === progress.total) stream.write(`${name} ${far(progress)}\n`);
    stage = progress.stage;
  };
  /** One line for each wait, not for each of its seconds. */
  const waits = (name, { waiting }) => {
    if (waiting > (left ?? 0)) stream.write(`${name}: waiting, ${time(waiting)}\n`);
    left = waiting;
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
