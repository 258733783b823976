/**
 * People and things as points in the plane of the two strongest patterns of U V^T after the last step. The axes are
 * those of the last step at all steps, so points move and axes do not. Where a row and a column lie in one direction,
 * the estimate is above the mean; in opposite directions, below.
 */
import { extent, range } from "d3-array";
import { scaleLinear } from "d3-scale";

import { pairOf } from "./colour.js";
import { framed, numbersIn } from "./figure.js";
import { drawing, h, pure, textAt } from "./html.js";
import { afterStep, colName, namesOf, rowName, shortened } from "./words.js";
import { signed, within } from "./numbers.js";
import { once, product } from "./run.js";

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
 * values, by simultaneous power iteration. Signs are those of the patterns `before` of as many columns, so that what was
 * at the left stays there after an edit; otherwise the largest entry of each vector over columns is positive.
 */
export function patternsOf(A, m, before = /** @type {{cols: number[]}[]|null} */ (null)) {
  let right = [range(m).map((j) => 1 + 0.01 * j), range(m).map((j) => (j % 2 ? 1 : -1) + 0.01 * j)].map(sized);
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = right.map((vector) => timesTransposed(A, m, times(A, m, vector)));
    const one = sized(first);
    const along = dot(second, one);
    right = [one, sized(second.map((value, k) => value - along * one[k]))];
  }
  return right.map((vector, k) => {
    const known = before && before[k].cols.length === m ? dot(vector, before[k].cols) : 0;
    const largest = vector.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
    const cols = scaled(vector, Math.sign(known) || Math.sign(largest) || 1);
    const image = times(A, m, cols);
    const strength = Math.sqrt(dot(image, image));
    return { cols, rows: sized(image), strength };
  });
}

/** @type {ReturnType<typeof patternsOf>|null} */
let latest = null; // the patterns that were drawn before

/** Those of the estimates after the last step. @param {Run} run */
const patternsIn = (run) => once(run, "patterns", () => (latest = patternsOf(standardised(run, run.T), run.m, latest)));

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

/** Names as they fit beside points. @param {Run} run @param {Look} look */
const labelsOf = (run, { font, measure }) => once(run, `points ${font}`, () => {
  const { rows, cols } = namesOf(run);
  return [...shortened(rows, LONGEST_NAME, measure, run.top), ...shortened(cols, LONGEST_NAME, measure, run.left)];
});

let last = 0; // the point that keys go on from

/**
 * The figure of the points, linked to the maps by what the state says is lit. `choose` is called with the row, or the
 * column, of a point, the other null; `dispatch` with what is pointed at.
 */
export const PointsFigure = pure(({ run, t, look, side, size, hover, cell, choose, dispatch }) => {
  const { n, m } = run;
  const reach = reachOf(run);
  const x = scaleLinear([-reach, reach], [10, side - 10]);
  const y = scaleLinear([-reach, reach], [side - 10, 10]);
  const { rows, cols } = pointsAt(run, t);
  const points = [...rows, ...cols];
  const names = labelsOf(run, look);
  const spots = points.map(([across, up], k) => ({ x: x(across), y: y(up), w: size * look.measure(names[k]) }));
  const places = labelPlaces(spots, size, side, side);
  const [ofRows, ofCols] = pairOf(look.dark);
  const lit = hover ? [hover.row, hover.col === null ? null : hover.col + n] : [];
  const chosen = cell ? [cell[0], cell[1] + n] : [];
  const placeOf = (index) => (index < n ? { row: index, col: null } : { row: null, col: index - n });
  const indexOf = ({ target }) => Number(target.closest("[data-point]")?.dataset.point ?? -1);
  const leave = () => dispatch({ type: "hover" });
  const chooseAt = (index) => index >= 0 && choose(placeOf(index));
  function point(index, spoken) {
    if (index < 0) return leave();
    last = index;
    const { row, col } = placeOf(index);
    const said = `${row === null ? colName(run, col) : rowName(run, row)}; ${points[index].map((value) => signed(value)).join(", ")}`;
    dispatch({ type: "hover", row, col, at: spoken ? { said } : null });
  }
  function onkeydown(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -n - m, End: n + m }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || (by === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    if (by === undefined) chooseAt(last);
    else point(within(last + by, n + m), true);
  }
  const mark = (name, k) => {
    const fill = k < n ? ofRows : ofCols;
    const place = places[k];
    const classes = { "map-point-bare": place === null, "map-point-lit": lit.includes(k), "map-point-chosen": chosen.includes(k) };
    return h("g.map-point", {
      class: Object.keys(classes).filter((one) => classes[one]).join(" "),
      style: `transform: translate(${spots[k].x.toFixed(1)}px, ${spots[k].y.toFixed(1)}px)`,
      "data-point": k,
      "data-side": k < n ? "row" : "col",
    },
    h("circle", { r: 11, fill: "transparent" }),
    k < n ? h("circle", { r: 5, fill }) : h("path", { d: "M0 -6L6 0L0 6L-6 0Z", fill }),
    textAt(place?.dx ?? 8, place?.dy ?? 0, size, name, { fill, "text-anchor": place?.anchor ?? "start" }));
  };
  const axis = { stroke: "currentColor", "stroke-opacity": 0.25 };
  const strengths = patternsIn(run).map(({ strength }) => signed(strength)).join(" and ");
  const all = namesOf(run);
  return framed("points", {
    class: "map-points",
    style: { width: `${side}px` },
    title: "Who is near what",
    detail: afterStep(run, t),
    plot: h("div.map-plot", {
      class: lit.some((at) => at !== null) ? "map-points-pointed" : "",
      style: { width: `${side}px`, height: `${side}px` },
      role: "application",
      "aria-roledescription": "map of points",
      "aria-label":
        `${n} rows and ${m} columns as points in the plane of the two strongest patterns (${strengths}) ` +
        `${afterStep(run, t)}. Arrow keys move from point to point; Enter chooses one.`,
      tabIndex: 0,
      onpointerover: (event) => point(indexOf(event), false),
      onpointerleave: leave,
      onclick: (event) => chooseAt(indexOf(event)),
      onkeydown,
      onfocus: ({ target }) => target.matches(":focus-visible") && point(within(last, n + m), true),
      onblur: leave,
    }, drawing(side, side, {}, h("path", { d: `M0 ${y(0)}H${side}M${x(0)} 0V${side}`, ...axis }), names.map(mark))),
    below: h("p.map-points-key",
      h("span", { style: `color: ${ofRows}` }, "● rows"),
      h("span", { style: `color: ${ofCols}` }, "◆ columns"),
      "Same direction: high estimate. Opposite: low."),
    numbers: numbersIn(() => [{
      caption: "Places of the points",
      cols: ["pattern 1", "pattern 2"],
      rows: [...all.rows, ...all.cols].map((name, k) => [name, ...points[k].map((value) => signed(value))]),
    }]),
  });
});
