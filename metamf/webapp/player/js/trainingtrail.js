/**
 * The trail of a meta-training: what the held-out matrix looked like at every report, and the slider over it.
 *
 * It follows the latest report until the slider is moved back, and again once the slider is at its end.
 *
 * @typedef {import("./trainingcurve.js").Curve} Curve
 * @typedef {import("./trainingmaps.js").Matrix} Matrix
 */
import { dom, write } from "./dom.js";

const LARGEST = 65_535; // of two bytes: what the highest rating is sent as

/**
 * The estimates that a report held.
 * @param {string} sent  base64 of two bytes for each cell, row by row, from the lowest rating to the highest
 * @param {Matrix} matrix
 * @returns {number[][]}
 */
export function sentEstimates(sent, matrix) {
  const bytes = Uint8Array.from(atob(sent), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const [m, step] = [matrix.cols.length, (matrix.high - matrix.low) / LARGEST];
  return matrix.rows.map((_, i) => matrix.cols.map((__, j) => matrix.low + step * view.getUint16(2 * (i * m + j), true)));
}

/** @param {Curve} curve @param {number|null} chosen @returns {string} which report it is; null: where the training stands */
export function reportName(curve, chosen) {
  if (chosen === null && curve.kept !== null) return `the best, kept: after update ${curve.kept}`;
  const at = chosen ?? curve.update.length - 1;
  return `after update ${curve.update[at]}: error ${curve.error[at].toFixed(3)}`;
}

export class TrainingTrail {
  /** @param {HTMLElement} root @param {() => void} moved  called when another report is chosen */
  constructor(root, moved) {
    /** @type {number|null} */
    this.chosen = null; // of the reports; null: the latest
    this.slider = dom("input", { type: "range", min: "0", step: "1", className: "mft-slider" });
    this.name = dom("output");
    this.root = dom("label", { className: "mft-trail" }, dom("span", {}, "Back through the training"), this.slider, this.name);
    root.append(this.root);
    this.slider.addEventListener("input", () => {
      this.chosen = this.slider.value === this.slider.max ? null : this.slider.valueAsNumber;
      moved();
    });
  }

  /** @param {Curve} curve @returns {number} the report that is shown */
  at(curve) {
    const last = curve.update.length - 1;
    return this.chosen === null ? last : Math.min(this.chosen, last);
  }

  /** @param {Curve} curve */
  draw(curve) {
    const name = reportName(curve, this.chosen);
    this.root.hidden = curve.update.length < 2;
    this.slider.max = String(curve.update.length - 1);
    this.slider.value = String(this.at(curve));
    this.slider.setAttribute("aria-valuetext", name);
    write(this.name, name);
  }
}
