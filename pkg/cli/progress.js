// Progress on stderr: one line that updates on a terminal, one line for each stage elsewhere.

/** `{ hear(progress), end() }` for one call. */
export function progressOn(stream = process.stderr) {
  let stage;
  const hear = ({ stage: now, done, total }) => {
    const name = now.replaceAll("_", " ");
    if (stream.isTTY) stream.write(`\r\x1b[K${name} ${total ? Math.floor((100 * done) / total) : 100} %`);
    else if (now !== stage) stream.write(`${name} …\n`);
    stage = now;
  };
  const end = () => {
    if (stream.isTTY && stage) stream.write("\r\x1b[K");
  };
  return { hear, end };
}
