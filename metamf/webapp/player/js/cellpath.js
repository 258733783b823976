/** The estimate of a cell at the prior and after every step, as a small curve with what is known of the cell. */
import { dom, write } from "./dom.js";
import { drawLines } from "./cellsum.js";
import { asRating, spoken } from "./formula.js";
import { startName } from "./wording.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {ReturnType<typeof import("./formula.js").pathOf>} Path
 */

/**
 * @param {HTMLElement} root
 * @param {(t: number) => void} go  called with a step that the visitor points at
 */
export function createPath(root, go) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const curve = document.createElementNS(space, "polyline");
  svg.append(curve);
  const lines = dom("div", { className: "mfc-lines", "aria-hidden": "true" });
  const dot = dom("i", { className: "mfc-dot" });
  const band = dom("i", { className: "mfc-band" });
  const plot = dom("div", { className: "mfc-plot" }, band, dot);
  plot.prepend(svg);
  const frame = dom("div", { className: "mfc-curve", role: "img" }, lines, plot);
  const axis = dom("p", { className: "mfc-axis", "aria-hidden": "true" }, dom("span"), dom("span"));
  const head = dom("tr");
  const body = dom("tr");
  const table = dom("details", { className: "mfc-table" }, dom("summary", {}, "Its values as a table"), dom("table", {}, dom("tbody", {}, head, body)));
  root.append(dom("h3", {}, "Its estimate, step by step"), frame, axis, table);
  let T = 0;
  plot.addEventListener("click", (event) => {
    const { left, width } = plot.getBoundingClientRect();
    go(Math.round((T * (event.clientX - left)) / width));
  });

  return {
    /** @param {Run} run @param {Path} path @param {number} t @param {[number, number]|null} interval  after the last step */
    update(run, path, t, interval) {
      T = run.T;
      const ends = interval ? [Math.min(path.low, interval[0]), Math.max(path.high, interval[1])] : [path.low, path.high];
      const place = (/** @type {number} */ value) => (100 * (value - ends[0])) / (ends[1] - ends[0]);
      const across = (/** @type {number} */ at) => (run.T ? (100 * at) / run.T : 50);
      const points = path.values.map((value, at) => [across(at), 100 - place(value)]).filter((point) => point.every(Number.isFinite));
      curve.setAttribute("points", points.map((point) => point.map((value) => value.toFixed(2)).join(",")).join(" "));
      dot.style.left = `${across(t)}%`;
      dot.style.bottom = `${place(path.values[t])}%`;
      dot.hidden = !Number.isFinite(path.values[t]);
      band.hidden = interval === null;
      if (interval) {
        band.style.bottom = `${place(interval[0])}%`;
        band.style.height = `${place(interval[1]) - place(interval[0])}%`;
      }
      drawLines(lines, linesOf(path).map((line) => ({ ...line, at: place(line.value) })));
      write(axis.children[0], `${startName(run)}: ${spoken(path.values[0])}`);
      write(axis.children[1], `${run.round} ${run.T}: ${spoken(path.values[run.T])}`);
      frame.setAttribute("aria-label", described(run, path, t));
      if (table.open || body.children.length !== run.T + 2) fill(run, path, head, body);
    },
  };
}

/** @param {Path} path @returns {{key: string, label: string, value: number}[]} what is known of the cell */
export function linesOf(path) {
  const lines = [];
  if (path.given !== null) lines.push({ key: "given", label: `given ${asRating(path.given)}`, value: path.given });
  if (path.truth !== null) lines.push({ key: "truth", label: `true ${asRating(path.truth)}`, value: path.truth });
  return lines;
}

/** @param {Run} run @param {Path} path @param {number} t */
function described(run, path, t) {
  const known = linesOf(path).map(({ label }) => `, ${label}`).join("");
  return `The estimate goes from ${spoken(path.values[0])} at the ${startName(run)} to ${spoken(path.values[run.T])} after ${run.round} ${run.T}; ${spoken(path.values[t])} at ${t}${known}.`;
}

/** @param {Run} run @param {Path} path @param {HTMLElement} head @param {HTMLElement} body */
function fill(run, path, head, body) {
  const steps = path.values.map((_, at) => dom("th", { scope: "col" }, at ? String(at) : startName(run)));
  head.replaceChildren(dom("th", { scope: "row" }, run.round), ...steps);
  body.replaceChildren(dom("th", { scope: "row" }, "estimate"), ...path.values.map((value) => dom("td", {}, spoken(value))));
}
