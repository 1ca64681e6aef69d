/** The marks of the timeline and of associations: told apart by their shapes, and only then by colour. */
import { svg } from "../dom.js";

const SHAPES = {
  anchor: () => svg("circle", { r: 5 }),
  awakened: () => svg("path", { d: "M0 -6.5L6.5 0L0 6.5L-6.5 0Z" }),
  kept: () => svg("rect", { x: -5, y: -5, width: 10, height: 10, rx: 1 }),
  dropped: () => svg("path", { d: "M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5" }),
  answer: () => svg("path", { d: "M0 6L-6 -5H6Z" }),
};

/**
 * A mark with its middle at `x`, `y`.
 * @param {keyof typeof SHAPES} kind
 * @param {{x: string | number, y: number, title?: string, open?: () => void}} place
 */
export const mark = (kind, { x, y, title, open }) => svg("svg", { x, y, overflow: "visible" },
  svg("g", { class: `mark ${kind}`, ...(open && { on: { click: open } }) },
    title && svg("title", {}, title),
    svg("circle", { class: "around", r: 6 }), // a cross is thin to hit
    SHAPES[kind]()));

const WAYS = {
  seed: () => svg("circle", { r: 4.5 }),
  semantic: () => svg("rect", { x: -4.5, y: -4.5, width: 9, height: 9, rx: 1 }),
  contextualized: () => svg("path", { d: "M0 -6L6 0L0 6L-6 0Z" }),
  functional: () => svg("path", { d: "M0 -5.5L5.5 4.5H-5.5Z" }),
};

/** The mark of the way by which something was reached; it stands beside the word for it. None for another way. */
export const sign = (way) => Object.hasOwn(WAYS, way) && svg("svg", { class: `sign ${way}`, viewBox: "-8 -8 16 16", width: 14, height: 14, "aria-hidden": "true", focusable: "false" }, WAYS[way]());
