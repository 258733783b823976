/**
 * People and things as points in the plane of the two strongest patterns of U V^T after the last step. The axes are
 * those of the last step at all steps, so points move and axes do not. Where a row and a column lie in one direction,
 * the estimate is above the mean; in opposite directions, below.
 */
import { extent, range } from "d3-array";
import { scaleLinear } from "d3-scale";

import { pairOf } from "./colour.js";
import { dom, write } from "./dom.js";
import { Plot } from "./figure.js";
import { shortened } from "./names.js";
import { signed, within } from "./numbers.js";
import { once, product } from "./run.js";
import { picture, svg, textAt } from "./svg.js";
import { afterStep, colName, namesOf, rowName } from "./words.js";

const MOST_POINTS = 150; // rows and columns together; more would hide each other
const ROUNDS = 60; // of the iteration for the patterns
const LONGEST_NAME = 9; // in widths of a letter M

/** Whether there is a plane. @param {Run} run */
export const hasPoints = ({ K, n, m, maps }) => K >= 2 && !maps.length && Math.min(n, m) >= 3 && n + m <= MOST_POINTS;

/** U(t) V(t)^T in standardised units. @param {Run} run */
const standardised = (run, t) => product(run, t).map((value) => (value - run.mean) / (run.std || 1));

const scaled = (vector, by) => vector.map((value) => value * by);
const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
const sized = (vector) => scaled(vector, 1 / (Math.sqrt(dot(vector, vector)) || 1));

/** A x, and A^T y, of a matrix with m columns. */
const times = (A, m, x) => range(A.length / m).map((i) => dot(A.subarray(i * m, (i + 1) * m), x));
const timesTransposed = (A, m, y) => range(m).map((j) => y.reduce((sum, value, i) => sum + value * A[i * m + j], 0));

/**
 * The two strongest singular directions of a matrix: unit vectors over its columns and over its rows, and singular
 * values, by simultaneous power iteration. The largest entry of each vector over columns is positive.
 */
export function patternsOf(A, m) {
  let right = [range(m).map((j) => 1 + 0.01 * j), range(m).map((j) => (j % 2 ? 1 : -1) + 0.01 * j)].map(sized);
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = right.map((vector) => timesTransposed(A, m, times(A, m, vector)));
    const one = sized(first);
    const along = dot(second, one);
    right = [one, sized(second.map((value, k) => value - along * one[k]))];
  }
  return right.map((vector) => {
    const largest = vector.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
    const cols = scaled(vector, Math.sign(largest) || 1);
    const image = times(A, m, cols);
    const strength = Math.sqrt(dot(image, image));
    return { cols, rows: sized(image), strength };
  });
}

/** Those of the estimates after the last step. @param {Run} run */
const patternsIn = (run) => once(run, "patterns", () => patternsOf(standardised(run, run.T), run.m));

/** The points of a step: [x, y] of each row and of each column. @param {Run} run */
export function pointsAt(run, t) {
  const patterns = patternsIn(run);
  const A = standardised(run, t);
  const pair = (of) => patterns.map(({ strength, ...vectors }) => scaled(of(vectors), 1 / Math.sqrt(strength || 1)));
  const rows = pair((one) => times(A, run.m, one.cols));
  const cols = pair((one) => timesTransposed(A, run.m, one.rows));
  return { rows: range(run.n).map((i) => [rows[0][i], rows[1][i]]), cols: range(run.m).map((j) => [cols[0][j], cols[1][j]]) };
}

/** How far the points of any step reach: half the side of the square that is drawn. @param {Run} run */
const reachOf = (run) => once(run, "reach", () => {
  const all = range(run.T + 1).flatMap((t) => Object.values(pointsAt(run, t)).flat(2));
  const [low = -1, high = 1] = extent(all);
  return 1.06 * Math.max(-low, high, 1e-6);
});

const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/**
 * A place for the label of each point where it covers nothing before it: right, left, above or below the point; null
 * where there is none. `points` are {x, y, w}, w the width of the label.
 */
export function labelPlaces(points, size, width, height) {
  const taken = points.map(({ x, y }) => ({ x: x - 4, y: y - 4, w: 8, h: 8 }));
  return points.map(({ x, y, w }) => {
    /** @type {[number, number, string][]} */
    const ways = [[8, -size / 2, "start"], [-8 - w, -size / 2, "end"], [-w / 2, -8 - size, "middle"], [-w / 2, 8, "middle"]];
    for (const [dx, dy, anchor] of ways) {
      const box = { x: x + dx, y: y + dy, w, h: size };
      const inside = box.x >= 0 && box.y >= 0 && box.x + w <= width && box.y + size <= height;
      if (!inside || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      return { dx: anchor === "start" ? 8 : anchor === "end" ? -8 : 0, dy: dy + size / 2, anchor };
    }
    return null;
  });
}

/** The figure of the points, linked to the maps by what the state says is lit. */
export class PointsFigure extends Plot {
  /** @type {number[][]} */ points = []; // rows, then columns
  /** @type {string[]} */ names = [];
  /** @type {SVGElement[]} */ marks = [];
  at = 0; // where keys go on
  drawn = ""; // what the marks were made for

  /** @param {import("./scene.js").Scene} scene */
  constructor(scene) {
    super("points");
    this.scene = scene;
    this.root.classList.add("map-points");
    Object.assign(this.plot, {
      role: "application",
      ariaRoleDescription: "map of points",
      tabIndex: 0,
      onpointerover: ({ target }) => this.point(this.indexOf(target)),
      onpointerleave: () => this.point(-1),
      onclick: ({ target }) => this.choose(this.indexOf(target)),
      onkeydown: (event) => this.pressed(event),
      onfocus: () => this.plot.matches(":focus-visible") && this.point(this.at, true),
      onblur: () => this.point(-1),
    });
    this.key = dom("p", { className: "map-points-key" });
    this.plot.after(this.key);
  }

  indexOf(target) {
    const found = /** @type {Element} */ (target).closest("[data-point]");
    return found ? Number(found.getAttribute("data-point")) : -1;
  }

  /** Row and column of a point, one of them null; rows come first. */
  placeOf(index) {
    const { n } = this.scene.run;
    return index < n ? { row: index, col: null } : { row: null, col: index - n };
  }

  point(index, spoken = false) {
    if (index < 0) return this.scene.dispatch({ type: "hover" });
    const { run, pointer } = this.scene;
    this.at = index;
    const { row, col } = this.placeOf(index);
    this.scene.dispatch({ type: "hover", row, col });
    const [x, y] = this.points[index];
    if (spoken) pointer.spoken.textContent = `${row === null ? colName(run, col) : rowName(run, row)}; ${signed(x)}, ${signed(y)}`;
  }

  choose(index) {
    if (index < 0) return;
    const { row, col } = this.placeOf(index);
    this.scene.pointer.choose({ part: row === null ? "V" : "U", row, col, position: null });
  }

  pressed(event) {
    const { n, m } = this.scene.run;
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -n - m, End: n + m }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || (by === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    if (by === undefined) return this.choose(this.at);
    this.point(within(this.at + by, n + m), true);
  }

  place(side, height, size) {
    super.place(side, height, size);
    this.root.style.width = `${side}px`;
  }

  /** @param {Run} run @param {Look} look */
  draw(run, t, look) {
    const { width: side, size } = this;
    const reach = reachOf(run);
    const x = scaleLinear([-reach, reach], [10, side - 10]);
    const y = scaleLinear([-reach, reach], [side - 10, 10]);
    const { rows, cols } = pointsAt(run, t);
    this.points = [...rows, ...cols];
    const wanted = [run.id, look.dark, side, size].join();
    if (wanted !== this.drawn) this.build(run, look, x(0), y(0));
    this.drawn = wanted;
    const spots = this.points.map(([across, up], k) => ({ x: x(across), y: y(up), w: size * look.measure(this.names[k]) }));
    const places = labelPlaces(spots, size, side, side);
    this.marks.forEach((mark, k) => {
      const place = places[k];
      mark.style.transform = `translate(${spots[k].x.toFixed(1)}px, ${spots[k].y.toFixed(1)}px)`;
      mark.classList.toggle("map-point-bare", place === null);
      const label = /** @type {Element} */ (mark.lastElementChild);
      label.setAttribute("x", String(place?.dx ?? 8));
      label.setAttribute("y", String(place?.dy ?? 0));
      label.setAttribute("text-anchor", place?.anchor ?? "start");
    });
    write(this.title, "Who is near what");
    write(this.detail, afterStep(run, t));
    const [ofRows, ofCols] = pairOf(look.dark);
    this.key.replaceChildren(
      dom("span", { style: `color: ${ofRows}` }, "● rows"),
      dom("span", { style: `color: ${ofCols}` }, "◆ columns"),
      "Same direction: high estimate. Opposite: low.");
    const [one, two] = patternsIn(run);
    const strengths = `${signed(one.strength)} and ${signed(two.strength)}`;
    this.plot.setAttribute("aria-label",
      `${run.n} rows and ${run.m} columns as points in the plane of the two strongest patterns (${strengths}) ` +
      `${afterStep(run, t)}. Arrow keys move from point to point; Enter chooses one.`);
    this.drawTables();
  }

  /** @param {Run} run @param {Look} look */
  build(run, { dark, measure }, x0, y0) {
    const { width: side, size } = this;
    const [ofRows, ofCols] = pairOf(dark);
    const { rows, cols } = namesOf(run);
    this.names = [...shortened(rows, LONGEST_NAME, measure, run.top), ...shortened(cols, LONGEST_NAME, measure, run.left)];
    this.marks = this.names.map((name, k) => {
      const isRow = k < run.n;
      const fill = isRow ? ofRows : ofCols;
      const sign = isRow ? svg("circle", { r: 5, fill }) : svg("path", { d: "M0 -6L6 0L0 6L-6 0Z", fill });
      const label = textAt(8, 0, size, name, { fill });
      return svg("g", { class: "map-point", "data-point": k, "data-side": isRow ? "row" : "col" }, svg("circle", { r: 11, fill: "transparent" }), sign, label);
    });
    const axis = { stroke: "currentColor", "stroke-opacity": 0.25 };
    const axes = [svg("line", { x1: 0, x2: side, y1: y0, y2: y0, ...axis }), svg("line", { x1: x0, x2: x0, y1: 0, y2: side, ...axis })];
    this.plot.replaceChildren(picture(side, side, {}, ...axes, ...this.marks));
  }

  /** @param {Hover|null} hover @param {Span|null} cell */
  light(hover, cell) {
    const { n } = this.scene.run;
    const lit = [hover?.row ?? null, hover?.col === null || hover === null ? null : hover.col + n];
    const chosen = cell ? [cell[0], cell[1] + n] : [];
    this.marks.forEach((mark, k) => {
      mark.classList.toggle("map-point-lit", lit.includes(k));
      mark.classList.toggle("map-point-chosen", chosen.includes(k));
    });
    this.plot.classList.toggle("map-points-pointed", lit.some((at) => at !== null));
  }

  numbers() {
    const { run } = this.scene;
    const { rows, cols } = namesOf(run);
    const lines = [...rows, ...cols].map((name, k) => [name, ...this.points[k].map((value) => signed(value))]);
    return [{ caption: "Places of the points", cols: ["pattern 1", "pattern 2"], rows: lines }];
  }
}
