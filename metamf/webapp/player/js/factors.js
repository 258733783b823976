/**
 * The picture of a product: the factors U(t) and V(t)^T, what is apart in them, and U(t) V(t)^T where they meet.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./parts.js").Picture} Picture
 * @typedef {import("./parts.js").Colouring} Colouring
 */
import { difference, product } from "./run.js";
import { signedScale } from "./colour.js";
import { afterStep, altProduct, altSigned } from "./alttext.js";
import { coloured, differenceScale, markKeys, runMarks, signedLegend } from "./parts.js";

/**
 * U(t), V(t)^T and their product. Coordinates that are constants or effects stand apart, in front of the factors.
 * @param {Run} run
 * @param {number} t
 * @param {Colouring} colouring
 * @param {"prior"|"now"} id
 * @param {boolean} [differs]  whether the difference to the run on the data stands where U and V^T meet
 * @returns {Picture}
 */
export function productPicture(run, t, colouring, id, differs = false) {
  const apart = specialFactors(run);
  const order = [...apart, ...Array.from({ length: run.K }, (_, k) => k).filter((k) => !apart.includes(k))];
  const scale = signedScale(run.limits.factor);
  const constant = (/** @type {number[]} */ which) => order.flatMap((k, position) => (which.includes(k) ? [position] : []));
  const shown = differs ? changedByEdits(run, t) : coloured(run, t, colouring, product(run, t));
  const legend = signedLegend(scale, "", "");
  legend.name = apart.length ? `factors and effects of U(${t}) and V(${t})` : `factors U(${t}) and V(${t})`;
  legend.keys = run.constants.U.length || run.constants.V.length ? [{ mark: "constant", text: "always 1" }] : [];
  const name = colouring === "levels" ? "estimate minus row and column level" : colouring === "span" ? "estimate, as far as it spans" : "estimate";
  const when = t === 0 ? "no step taken yet" : afterStep(run, t);
  return {
    id,
    form: "product",
    title: `U(${t}) V(${t})ᵀ`,
    detail: id === "prior" ? "the prior, as the network proposes it" : differs ? `${when}: what your edits changed` : when,
    alt: altProduct(run, t, product(run, t)) + (differs ? ` ${altSigned(run, "Shown there is what your edits changed", shown.values)}` : ""),
    blocks: [
      { part: "U", name: `U(${t})`, values: factorsOf(run, "U", t, order), scale, marks: null, constant: constant(run.constants.U) },
      { part: "V", name: `V(${t})ᵀ`, values: factorsOf(run, "V", t, order), scale, marks: null, constant: constant(run.constants.V) },
      { part: "UV", name: `U(${t}) V(${t})ᵀ`, values: shown.values, scale: shown.scale, marks: runMarks(run), constant: [] },
    ],
    legend: [legend, { ...shown.legend, name: differs ? "what your edits changed" : name, keys: markKeys(run, false).filter(({ mark }) => mark !== "empty") }],
    factorOrder: order,
    special: apart.length,
  };
}

/** @param {Run} run @param {number} t @returns {ReturnType<typeof coloured>} */
function changedByEdits(run, t) {
  const scale = differenceScale(run);
  return { values: difference(run, t), scale, legend: signedLegend(scale, "lower", "higher") };
}

/** @param {Run} run @returns {number[]} factors that are constants or effects of the extension: effects of rows, then of columns */
const specialFactors = (run) => [...new Set([...run.constants.V, ...run.effects.U, ...run.constants.U, ...run.effects.V])];

/**
 * @param {Run} run
 * @param {"U"|"V"} side
 * @param {number} t
 * @param {number[]} order
 * @returns {Float32Array} U: n by K; V: K by m
 */
function factorsOf(run, side, t, order) {
  const { K } = run;
  const count = side === "U" ? run.n : run.m;
  const all = side === "U" ? run.U : run.V;
  const constants = run.constants[side];
  const values = new Float32Array(count * K);
  for (let i = 0; i < count; i++) {
    for (let position = 0; position < K; position++) {
      const k = order[position];
      const value = constants.includes(k) ? NaN : all[(t * count + i) * K + k];
      values[side === "U" ? i * K + position : position * count + i] = value;
    }
  }
  return values;
}

/** @param {Run} run @param {number} k @returns {{U: string, V: string}} what factor k is in U and in V */
export function factorWords(run, k) {
  const name = (/** @type {"U"|"V"} */ side) => {
    if (run.constants[side].includes(k)) return "always 1";
    if (run.effects[side].includes(k)) return side === "U" ? "effect of the row" : "effect of the column";
    return `factor ${k + 1}`;
  };
  return { U: name("U"), V: name("V") };
}
