/** The marks of the timeline: told apart by their shapes, and only then by colour. */
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
