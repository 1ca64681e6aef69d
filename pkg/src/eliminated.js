// What was taken out, told apart: interference, and what only did not fit (docs/trace.md, `eliminated`).

const NO_ROOM = "beyond the tokens of its kind";

/** `{ gone, crowded, back }`: taken out as interference, for lack of room, and put back. */
export function told(eliminated) {
  const out = eliminated.filter(({ restored }) => !restored);
  const gone = out.filter(({ reason }) => reason !== NO_ROOM);
  return { gone, crowded: out.length - gone.length, back: eliminated.length - out.length };
}
