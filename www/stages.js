/**
 * The engine's stages in plain words, and how much of the whole work each is. The shares are of the
 * time a long novel takes, in the engine's order; one that is not listed leaves the bar where it is.
 */
const STEPS = {
  "Reading the text": { read: 5, chunks: 16, tokens: 17 },
  "Finding who is in it": { names: 2, signs: 1, people: 1, mentions: 2 },
  "Finding what happens": { events: 3, triples: 1, clusters: 3 },
  "Learning its words": { words: 8, embed: 6 },
  "Making it searchable": { passages: 4, graph: 1, chunk_vectors: 8, entity_vectors: 2, event_vectors: 8, cluster_vectors: 5, fact_vectors: 2, means: 1 },
  "Tying people to events": { pons: 13, ties: 1, contexts: 1 },
};

const STAGES = Object.entries(STEPS).flatMap(([words, shares]) => Object.entries(shares).map(([stage, share]) => ({ words, stage, share })));
const ALL = STAGES.reduce((sum, { share }) => sum + share, 0);

/** A listener for `onProgress` that never goes back: calls `show(share, words)`, share 0 to 1. */
export function wholeProgress(show) {
  let furthest = 0;
  let words = STAGES[0].words;
  return ({ stage, done, total }) => {
    const at = STAGES.findIndex((each) => each.stage === stage);
    if (at >= 0) {
      const before = STAGES.slice(0, at).reduce((sum, { share }) => sum + share, 0);
      const share = (before + STAGES[at].share * (total > 0 ? done / total : 1)) / ALL;
      if (share >= furthest) [furthest, words] = [share, STAGES[at].words];
    }
    show(furthest, words);
  };
}
