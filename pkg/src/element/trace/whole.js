/** A trace of an engine that does not tell all yet: what is absent is empty. */

/** @param {object} trace */
export const whole = (trace) => ({
  query_type: { type: "", by: "" }, recognition: { by: "" }, facts: [], filter: { by: "rule" }, steps: [], ...trace,
});
