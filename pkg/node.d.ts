// Node's entry has the same interface as the browser's.
export * from "./index.js";
