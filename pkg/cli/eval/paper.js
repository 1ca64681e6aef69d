// The paper's tables 3, 4, 5 and 8, each as the runs that make it, with its published figures.
//
// Theirs are of GPT-4o-mini and BGE-M3 on EN.MC and EN.QA (arXiv 2608.25486): another model, another
// embedder, other books. They are shown for their order, not to be reached.

const AND_CONTEXT = ["EN.MC acc", "EN.QA F1", "context tokens"];

export const TABLES = {
  3: {
    title: "what each part of PonsRAG is worth",
    ablate: ["no-filter", "no-awaken", "no-match", "no-pons", "plot-only", "char-only"],
    heads: ["EN.MC acc", "EN.QA F1", "EN.QA EM"],
    published: {
      pons: [77.73, 35.13, 26.21],
      "pons:no-filter": [70.74, 32.93, 25.07],
      "pons:no-awaken": [65.5, 29.52, 24.22],
      "pons:no-match": [64.19, 30.9, 21.65],
      "pons:no-pons": [61.13, 28.59, 19.37],
      "pons:plot-only": [55.02, 23.37, 18.23],
      "pons:char-only": [52.4, 21.73, 17.95],
    },
  },
  4: {
    title: "the least cosine of a pons edge, tau",
    sweep: "tau=0,.25,.5,.75,.8,.9",
    // Without edges by cosine tau decides nothing.
    set: { edges: "cosine" },
    heads: ["EN.MC acc", "EN.QA F1"],
    published: {
      "pons:tau=0": [72.73, 31.75],
      "pons:tau=0.25": [73.62, 32.58],
      "pons:tau=0.5": [77.31, 34.61],
      "pons:tau=0.75": [77.6, 34.03],
      "pons:tau=0.8": [74.63, 33.12],
      "pons:tau=0.9": [74.2, 32.35],
    },
  },
  5: {
    title: "one to one, one to N, or all edges",
    ablate: ["match-2", "match-3", "dense-edges"],
    heads: AND_CONTEXT,
    published: {
      pons: [77.73, 35.13, 1187],
      "pons:match-2": [74.24, 32.28, 2438],
      "pons:match-3": [73.03, 30.34, 3856],
      "pons:dense-edges": [68.12, 28.65, 5203],
    },
  },
  8: {
    title: "the weights of event, summary and surroundings",
    sweep: "alpha/beta/gamma=1/0/0,0/1/0,0/0/1,.5/.1/.4,.5/.2/.3,.6/.1/.3,.6/.2/.2,.7/.2/.1",
    heads: ["EN.MC acc", "EN.QA F1"],
    published: {
      "pons:alpha/beta/gamma=1/0/0": [74.02, 33.95],
      "pons:alpha/beta/gamma=0/1/0": [69.53, 32.08],
      "pons:alpha/beta/gamma=0/0/1": [67.74, 31.15],
      "pons:alpha/beta/gamma=0.5/0.1/0.4": [74.25, 33.36],
      "pons:alpha/beta/gamma=0.5/0.2/0.3": [74.89, 34.01],
      "pons:alpha/beta/gamma=0.6/0.1/0.3": [75.78, 34.67],
      "pons:alpha/beta/gamma=0.6/0.2/0.2": [76.22, 34.35],
      "pons:alpha/beta/gamma=0.7/0.2/0.1": [77.51, 35.13],
    },
  },
};
