// How far an answer by rule is to be believed, in plain words.

/**
 * A quoted sentence is right about as often as not at this confidence: of those that cover the whole question
 * (0.75) seven in ten lay in the evidence of FairytaleQA's questions, of those that cover half one in three.
 */
const EVEN = 0.55;

/** Whether the sentence that is the answer is more likely wrong than right. A choice has a confidence of its own kind. */
export const isWeak = ({ confidence, choice }) => choice === undefined && confidence !== undefined && confidence < EVEN;

/** Whether an option was chosen by rule: by how far the book's words support each. */
export const isGuess = ({ choice, usage }) => choice !== undefined && !usage?.requests;

/** What to say of that: of the bundled story's questions with four options fewer than half are chosen right so. */
export const GUESS = "Chosen by the book’s words alone, without a language model: a weak sign.";

/** What to say of it then. */
export const WEAK = "It covers only a part of what was asked, and may well not be the answer.";
