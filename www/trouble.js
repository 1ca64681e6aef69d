/** What went wrong with a file or a model, in words a reader can act on. The engine's own words follow them. */

const HELP = {
  encoding: ["The letters of this file could not be read.", "Choose how they are stored and read it again, or save it as plain text in UTF-8 and choose it again."],
  unsupported_format: ["This is not a plain-text file.", "Plotbridge reads plain text (.txt) and books saved from this page (.plot.json). A word processor or e-book program can save a book as plain text."],
  unreadable: ["Nothing could be read from this file.", "If it is empty, choose another one."],
  too_large: ["This file is too large.", "Choose one of 64 MiB or less: that is some sixty long novels."],
  index_version: ["This book was saved by another version of Plotbridge.", "Choose the book’s text file and index it again."],
  index_damaged: ["This saved book is damaged, or was not saved by Plotbridge.", "Choose another copy, or the book’s text file to index it again."],
  usage: ["That was more than one file.", "One book is open at a time: choose one."],
  storage: ["Your book is not in this browser any more.", "Choose its file again."],
  endpoint_unreachable: ["The story did not come.", "Check that you are connected, and try again."],
};
HELP.vector_invalid = HELP.index_damaged;

/** Where a model was asked, these count first. */
const MODEL_HELP = {
  usage: ["The model is not set up right.", "Check its address and its name under Model."],
  endpoint_unreachable: ["The model’s server did not answer.", "Check its address under Model; for Ollama, OLLAMA_ORIGINS lets this page in."],
  endpoint_auth: ["The model’s server wants another key.", "Check the key under Model."],
  endpoint_rate_limited: ["The model’s server takes no more requests for now.", "Wait a little, or send fewer at a time, and try again."],
  endpoint_refused: ["The model’s server refused the request.", "Check the model’s name under Model."],
  endpoint_reply: ["The model’s reply could not be used.", "Try again, or try another model."],
  endpoint_timeout: ["The model did not answer in time.", "Try again, send fewer requests at a time, or try a smaller model."],
  budget: ["The tokens that you allowed are spent.", "Nothing more was sent. Allow more to go on from what is kept."],
  vector_invalid: ["The embedding model’s vectors could not be used.", "Check that it is an embedding model, or try another."],
};
const OTHER = ["That did not work.", "Try again. If it fails again, close other tabs or try another browser."];

/** @returns {{what: string, advice: string}} */
export const helpFor = ({ code }) => words(HELP[code] ?? OTHER);

/** The same where a model was asked. */
export const helpForModel = ({ code }) => words(MODEL_HELP[code] ?? HELP[code] ?? OTHER);

const words = ([what, advice]) => ({ what, advice });
