// Plots as SVG, drawn by hand: bars with intervals for runs, lines with intervals for sweeps.
//
// Colours come from the page's classes, so that they follow its theme; every plot repeats a table that stands
// before it, and has a title that says what is to be seen.

import { ends, share } from "./measures.js";
import { markup } from "./markup.js";

const WIDTH = 720;
const ROW = 26;
const LETTER = 7.3;

const px = (value) => String(Math.round(value * 10) / 10);

/** One bar for each of `[{ name, mean, interval, first }]`, on a scale from 0 to 1. */
export function barPlot(id, title, rows) {
  const left = Math.min(290, 14 + LETTER * Math.max(...rows.map(({ name }) => name.length)));
  const right = WIDTH - 150;
  const x = (value) => left + value * (right - left);
  const bottom = ROW * rows.length + 6;
  const bar = ({ name, mean, interval: [low, high], first }, at) => {
    const [top, middle] = [at * ROW + 8, at * ROW + 17];
    return markup`
      <text class="name" x="${px(left - 8)}" y="${px(middle + 4)}">${short(name)}</text>
      <rect class="${first ? "bar first" : "bar"}" x="${px(left)}" y="${px(top)}" width="${px(Math.max(x(mean) - left, 0.5))}" height="18"/>
      <path class="whisker" d="M${px(x(low))} ${px(middle - 5)}v10M${px(x(low))} ${px(middle)}H${px(x(high))}M${px(x(high))} ${px(middle - 5)}v10"/>
      <text x="${px(right + 10)}" y="${px(middle + 4)}">${share(mean)} (${ends([low, high])})</text>`;
  };
  const marks = [0, 0.25, 0.5, 0.75, 1].map((value) => markup`
    <path class="grid" d="M${px(x(value))} 4V${px(bottom)}"/><text class="mark" x="${px(x(value))}" y="${px(bottom + 15)}">${value}</text>`);
  return figure(id, title, bottom + 22, markup`${marks}${rows.map(bar)}`);
}

/** How many lines are told apart by colour, dash and mark. */
const STYLES = 6;

/**
 * Lines over the values of a sweep: `lines` are `[{ name, points: [{ mean, interval }] }]`, a point for each of
 * `values`. Values that are numbers in order keep their distances, others stand evenly.
 */
export function linePlot(id, title, key, values, lines) {
  const [left, right, top, bottom] = [44, WIDTH - 200, 12, 252];
  const places = spread(values);
  const x = (at) => left + 14 + places[at] * (right - left - 28);
  const y = (value) => bottom - value * (bottom - top);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((value) => markup`
    <path class="grid" d="M${left} ${px(y(value))}H${right}"/><text class="tick" x="${left - 8}" y="${px(y(value) + 4)}">${value}</text>`);
  const tilted = values.some((value) => value.length > 6);
  const marks = values.map((value, at) => markup`
    <text class="${tilted ? "tick tilted" : "mark"}" ${tilted ? markup`transform="translate(${px(x(at) + 4)} ${bottom + 14}) rotate(-40)"` : markup`x="${px(x(at))}" y="${bottom + 18}"`}>${short(value, 14)}</text>`);
  const drawn = lines.map(({ points }, place) => {
    const there = points.map((point, at) => ({ ...point, at })).filter(({ mean }) => mean !== null);
    const path = there.map(({ mean, at }, nth) => `${nth ? "L" : "M"}${px(x(at))} ${px(y(mean))}`).join("");
    // Intervals of several lines at one value stand beside each other.
    const aside = (place - (lines.length - 1) / 2) * 3;
    const point = ({ mean, interval: [low, high], at }) => markup`
      <path class="whisker" d="M${px(x(at) + aside)} ${px(y(low))}V${px(y(high))}"/><circle class="dot" cx="${px(x(at))}" cy="${px(y(mean))}" r="3.5"/>`;
    return markup`<g class="line s${place % STYLES}"><path class="stroke" d="${path}"/>${there.map(point)}</g>`;
  });
  const legend = lines.map(({ name }, place) => markup`
    <g class="line s${place % STYLES}"><path class="stroke" d="M${right + 12} ${top + 8 + place * 20}h24"/></g>
    <text x="${right + 42}" y="${top + 12 + place * 20}">${short(name, 21)}</text>`);
  const height = bottom + (tilted ? 96 : 46);
  return figure(id, title, height, markup`${grid}${marks}<text class="mark" x="${px((left + right) / 2)}" y="${height - 6}">${short(key)}</text>${drawn}${legend}`);
}

/** Places from 0 to 1. */
function spread(values) {
  const numbers = values.map(Number);
  const rising = numbers.every((value, at) => Number.isFinite(value) && (at === 0 || value > numbers[at - 1]));
  if (values.length < 2) return [0.5];
  if (!rising) return values.map((_, at) => at / (values.length - 1));
  const [first, last] = [numbers[0], numbers.at(-1)];
  return numbers.map((value) => (value - first) / (last - first));
}

const figure = (id, title, height, drawn) => markup`
  <figure><svg viewBox="0 0 ${WIDTH} ${Math.ceil(height)}" role="img" aria-labelledby="${id}"><title id="${id}">${title}</title>${drawn}</svg><figcaption>${title}</figcaption></figure>`;

const short = (text, length = 40) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
