/**
 * The engine's stages in plain words, and how much of the whole work each is. The shares are of the
 * time a long novel takes, in the engine's order; one that is not listed leaves the bar where it is.
 */
import { plural } from "./pkg/src/element/places.js";

const READING = {
  "Reading the text": { read: 5, chunks: 16, tokens: 17 },
  "Finding who is in it": { names: 2, signs: 1, people: 1, mentions: 2 },
  "Finding what happens": { events: 3, triples: 1, clusters: 3 },
  "Finding who is one and the same": { merges: 1 },
};
const CHAT = {
  "The model reads the book": { types: 100, passages: 4000, assemble: 1, merges: 200 },
  "The model sums up": { descriptions: 400, summaries: 200, relations: 100 },
};
const SEARCHING = {
  "Learning its words": { words: 8, graph: 1, embed: 6 },
  "Making it searchable": { chunk_vectors: 8, entity_vectors: 2, event_vectors: 8, cluster_vectors: 5, fact_vectors: 2, relation_vectors: 2, means: 1 },
  "Tying people to events": { pons: 13, functional: 1, ties: 1, contexts: 1 },
};
const EMBED = {
  "Asking for vectors": { chunk_vectors: 100, entity_vectors: 50, event_vectors: 100, cluster_vectors: 50, fact_vectors: 50, relation_vectors: 50 },
};

/**
 * A listener for `onProgress` that never goes back: calls `show(share, words, more)`, share 0 to 1; `more`
 * tells of a model's work what else is known.
 * @param {(share: number, words: string, more: string) => void} show
 * @param {{chat?: boolean, embed?: boolean}} [models] which read the book: theirs is most of the time
 */
export function wholeProgress(show, { chat = false, embed = false } = {}) {
  const steps = [READING, chat && CHAT, SEARCHING, embed && EMBED].filter(Boolean);
  const stages = steps.flatMap(Object.entries).flatMap(([words, shares]) => Object.entries(shares).map(([stage, share]) => ({ words, stage, share })));
  const all = stages.reduce((sum, { share }) => sum + share, 0);
  let now = 0; // a name may come twice: the next one with it is meant
  let furthest = 0;
  return (progress) => {
    const { stage, done, total } = progress;
    const at = stages.findIndex((each, place) => place >= now && each.stage === stage);
    if (at >= 0) {
      const before = stages.slice(0, at).reduce((sum, { share }) => sum + share, 0);
      now = at;
      furthest = Math.max(furthest, (before + stages[at].share * (total > 0 ? done / total : 1)) / all);
    }
    show(furthest, stages[now].words, detailOf(progress));
  };
}

/** `12 of 40, 34,000 tokens, about 3 minutes left`, where a model works. */
function detailOf({ done, total, tokens, seconds_left: left, waiting }) {
  if (waiting > 0) return `${done} of ${total}, waiting for the server, ${duration(waiting)}`;
  if (typeof tokens !== "number") return "";
  return [`${done} of ${total}`, plural(tokens, "token"), done > 0 && left > 0 && `about ${duration(left)} left`].filter(Boolean).join(", ");
}

function duration(seconds) {
  if (seconds < 100) return plural(Math.max(1, Math.round(seconds)), "second");
  return seconds < 100 * 60 ? plural(Math.round(seconds / 60), "minute") : plural(Math.round(seconds / 3600), "hour");
}
