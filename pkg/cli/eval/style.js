// The report's style: light and dark by the reader's choice, black on white on paper.

import { markup } from "./markup.js";

export const STYLE = markup`
:root { --ink: #1c1d21; --soft: #595d66; --paper: #fff; --rule: #d6d9df; --bar: #7fa7d9; --first: #2f5f9e;
  --s0: #1f5fa8; --s1: #a8480f; --s2: #1d7a4b; --s3: #8a3b8f; --s4: #6b5b00; --s5: #b0234b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e9ec; --soft: #a9adb7; --paper: #17181b; --rule: #3a3d44; --bar: #48688f; --first: #8db8ee;
  --s0: #8db8ee; --s1: #f0a878; --s2: #7fd3a5; --s3: #d9a3dd; --s4: #d8c860; --s5: #f391ab; } }
@media print { :root { --ink: #000; --soft: #333; --paper: #fff; --rule: #999; --bar: #bbb; --first: #555;
  --s0: #000; --s1: #000; --s2: #000; --s3: #000; --s4: #000; --s5: #000; } section, figure { break-inside: avoid; } .wide { overflow: visible; } body { font-size: 11px; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
dl div { display: flex; gap: 1rem; } dt { flex: 0 0 7rem; color: var(--soft); } dd { margin: 0; }
.wide { overflow-x: auto; } .wide:focus-visible { outline: 2px solid var(--first); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { padding: .25rem .45rem; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: top; }
thead th { font-weight: 600; vertical-align: bottom; }
tbody th { text-align: left; font: inherit; font-family: ui-monospace, monospace; overflow-wrap: anywhere; min-width: 9rem; }
small { color: var(--soft); white-space: nowrap; display: block; } strong { display: block; }
p, li { max-width: 46rem; overflow-wrap: anywhere; }
figure { margin: 1.2rem 0; } figcaption { color: var(--soft); }
svg { width: 100%; max-width: 720px; height: auto; font: 12px ui-monospace, monospace; }
svg text { fill: var(--ink); } svg .name, svg .tick { text-anchor: end; } svg .mark { text-anchor: middle; } svg .mark, svg .tick { fill: var(--soft); }
.grid { stroke: var(--rule); fill: none; } .bar { fill: var(--bar); } .bar.first { fill: var(--first); } .whisker { stroke: var(--ink); fill: none; stroke-width: 1.3; }
.stroke { fill: none; stroke-width: 2; }
.s0 { --line: var(--s0); } .s1 { --line: var(--s1); } .s2 { --line: var(--s2); } .s3 { --line: var(--s3); } .s4 { --line: var(--s4); } .s5 { --line: var(--s5); }
.line .stroke, .line .whisker { stroke: var(--line); } .line .dot { fill: var(--line); } .line .whisker { opacity: .55; }
.s1 .stroke { stroke-dasharray: 7 3; } .s2 .stroke { stroke-dasharray: 2 3; } .s3 .stroke { stroke-dasharray: 9 3 2 3; } .s4 .stroke { stroke-dasharray: 4 2; } .s5 .stroke { stroke-dasharray: 1 4; }
`;
