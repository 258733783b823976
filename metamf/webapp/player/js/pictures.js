/**
 * Which pictures a scene has, and what each shows at a step: values, colours, legend, words. No document, no pixels.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./colour.js").Scale} Scale
 * @typedef {import("./parts.js").Picture} Picture
 * @typedef {import("./parts.js").LegendItem} LegendItem
 * @typedef {import("./parts.js").Colouring} Colouring
 * @typedef {import("./scenes.js").SceneName} SceneName
 */
import { change, difference, error, filled, residual } from "./run.js";
import { signedScale, spanOf } from "./colour.js";
import { afterStep, altEpisode, altError, altFilled, altGiven, altMark, altResidual, altSigned, altWidths, errorNumber, exactNumber } from "./alttext.js";
import { coloured, differenceScale, largestOf, markKeys, once, ratingLegend, ratingScale, runMarks, signedLegend } from "./parts.js";
import { productPicture } from "./factors.js";
import { stillPictures } from "./stills.js";

/** @type {Record<string, string>} */
const EPISODE_KEYS = { given: "support: given", hidden: "query: held back" };
const MAP = { form: /** @type {const} */ ("map"), factorOrder: [], special: 0 };

/**
 * A picture that does not follow the step is the same object at all of them: nobody draws it anew.
 * @param {SceneName} scene
 * @param {Run} run
 * @param {number} t
 * @param {Colouring} colouring
 * @param {boolean} [differs]  whether the difference to the run on the data takes the place of the estimates
 * @returns {Picture[]}
 */
export function picturesOf(scene, run, t, colouring, differs = false) {
  const given = () => once(run, "given", () => givenPicture(run));
  const prior = () => once(run, `prior ${colouring}`, () => productPicture(run, 0, colouring, "prior"));
  if (run.maps.length) return once(run, "maps", () => stillPictures(run));
  if (scene === "given") return [given()];
  if (scene === "episode") return [once(run, "episode", () => episodePicture(run))];
  if (scene === "prior") return [prior()];
  const now = () => productPicture(run, t, colouring, "now", differs);
  if (scene === "fit") return [now(), residualPicture(run, t)];
  if (scene === "alone") return [now(), errorPicture(run, t), residualPicture(run, t)];
  if (scene === "watch") return [prior(), now(), residualPicture(run, t), changePicture(run, t)];
  const found = [given(), differs ? differencePicture(run, t) : filledPicture(run, t, colouring), errorPicture(run, t)];
  if (run.pinned && !differs) found.push(differencePicture(run, t));
  if (run.lower && run.upper) found.push(once(run, "widths", () => widthPicture(run)));
  return found;
}

/** @param {Float32Array} values @param {Scale} scale @param {Uint8Array|null} marks @returns {Picture["blocks"]} */
const mapBlock = (values, scale, marks) => [{ part: "UV", name: "", values, scale, marks, constant: [] }];

/** @param {Run} run @returns {Picture} */
function givenPicture(run) {
  const count = run.n === run.totalRows && run.m === run.totalCols ? `${run.nGiven.toLocaleString("en")} of ${(run.n * run.m).toLocaleString("en")} cells` : "";
  return {
    ...MAP,
    id: "given",
    title: "Given",
    detail: count,
    alt: altGiven(run) + altMark(run),
    blocks: mapBlock(run.X, ratingScale(run), runMarks(run)),
    legend: [ratingLegend(ratingScale(run), "rating", markKeys(run, true))],
  };
}

/** @param {Run} run @returns {Picture} all that is rated: support and query */
function episodePicture(run) {
  const rated = run.X.map((value, at) => (Number.isNaN(value) && run.truth ? run.truth[at] : value));
  const keys = markKeys(run, true).map((key) => ({ ...key, text: EPISODE_KEYS[key.mark] ?? key.text }));
  return {
    ...MAP,
    id: "episode",
    title: run.matrix.name,
    detail: `${run.n} × ${run.m}`,
    alt: altEpisode(run),
    blocks: mapBlock(rated, ratingScale(run), runMarks(run)),
    legend: [ratingLegend(ratingScale(run), "rating", keys)],
  };
}

/** @param {Run} run @param {number} t @param {Colouring} colouring @returns {Picture} */
function filledPicture(run, t, colouring) {
  const { values, scale, legend } = coloured(run, t, colouring, filled(run, t));
  return {
    ...MAP,
    id: "filled",
    title: "Filled in",
    detail: `${afterStep(run, t)}${colouring === "levels" ? ", minus levels" : ""}`,
    alt: altFilled(run, t),
    blocks: mapBlock(values, scale, runMarks(run)),
    legend: [{ ...legend, keys: markKeys(run, false) }],
  };
}

/** @param {Run} run @param {number} t @returns {Picture} */
function errorPicture(run, t) {
  const head = { id: "error", title: "Error on hidden cells" };
  const known = run.truth && spanOf(run.truth);
  if (!known) {
    const words = run.nHidden ? "None of the hidden cells lies in this window." : "No rated cell is hidden, so no error can be measured.";
    return { ...MAP, ...head, form: "words", detail: "", alt: words, blocks: [], legend: [{ scale: null, name: "", low: "", high: "", words, keys: [] }] };
  }
  const values = error(run, t);
  const limit = once(run, "largest error", () => Math.min(largestOf(run, error), (run.high - run.low) / 2 || 1));
  const rmse = run.errors.hidden?.[t];
  const scale = signedScale(limit);
  return {
    ...MAP,
    ...head,
    detail: rmse === null || rmse === undefined ? "" : `typical error ${errorNumber(rmse)}`,
    alt: altError(run, t, values),
    blocks: mapBlock(values, scale, runMarks(run).map((mark) => (mark === 1 ? 1 : 0))),
    legend: [signedLegend(scale, "too low", "too high", markKeys(run, true).filter(({ mark }) => mark === "given"))],
  };
}

/** @param {Run} run @param {number} t @returns {Picture} */
function differencePicture(run, t) {
  const values = difference(run, t);
  const scale = differenceScale(run);
  return {
    ...MAP,
    id: "difference",
    title: "What your edits changed",
    detail: afterStep(run, t),
    alt: altSigned(run, `What your edits changed in the estimates ${afterStep(run, t)}`, values),
    blocks: mapBlock(values, scale, runMarks(run).map((mark) => (mark === 1 ? 1 : 0))),
    legend: [signedLegend(scale, "lower", "higher", markKeys(run, true).filter(({ mark }) => mark === "given"))],
  };
}

/** @param {Run} run @returns {Picture} */
function widthPicture(run) {
  const lower = /** @type {Float32Array} */ (run.lower);
  const upper = /** @type {Float32Array} */ (run.upper);
  const widths = upper.map((value, at) => (Number.isNaN(run.X[at]) ? value - lower[at] : NaN));
  const level = run.level === null ? "" : `${Math.round(100 * run.level)} % `;
  const { scale, legend } = widthColours(run, widths, level);
  return {
    ...MAP,
    id: "width",
    title: "How sure it is",
    detail: `width of the ${level}interval`,
    alt: altWidths(run, widths, legend.words),
    blocks: mapBlock(widths, scale, runMarks(run).map((mark) => (mark === 1 ? 1 : 0))),
    legend: [legend],
  };
}

/**
 * An honest range: from the narrowest to the widest interval, and no range where all are equally wide.
 * @param {Run} run
 * @param {Float32Array} widths
 * @param {string} level
 * @returns {{scale: Scale, legend: LegendItem}}
 */
export function widthColours(run, widths, level) {
  const keys = markKeys(run, true).filter(({ mark }) => mark === "given");
  const whole = run.high - run.low;
  const span = spanOf(widths);
  const nothing = { low: "", high: "", name: "", keys };
  if (!span) return { scale: { kind: "width", low: 0, high: 0 }, legend: { ...nothing, scale: null, words: "Every cell is given." } };
  const [low, high] = span;
  const scale = /** @type {Scale} */ ({ kind: "width", low, high: high - low < 0.01 * whole ? low : high });
  if (low >= 0.995 * whole) {
    const words = `It knows nothing here: every interval is the whole scale, ${exactNumber(run.low)} to ${exactNumber(run.high)}.`;
    return { scale, legend: { ...nothing, scale, words } };
  }
  if (scale.high === scale.low) return { scale, legend: { ...nothing, scale, words: `Every ${level}interval is ${exactNumber(low)} wide.` } };
  const words = high >= 0.995 * whole ? `${exactNumber(whole)} is the whole scale: there it knows nothing.` : "";
  return { scale, legend: { scale, name: "", low: `sure, ${exactNumber(low)} wide`, high: `${exactNumber(high)} wide, unsure`, words, keys } };
}

/** @param {Run} run @param {number} t @returns {Picture} */
function residualPicture(run, t) {
  const values = residual(run, t);
  const scale = signedScale(run.limits.residual);
  const rmse = run.errors.given[t];
  return {
    ...MAP,
    id: "residual",
    title: "Residual",
    detail: `estimate minus rating${rmse === null ? "" : `, typically ${errorNumber(rmse)}`}`,
    alt: altResidual(run, t, values),
    blocks: mapBlock(values, scale, null),
    legend: [signedLegend(scale, "too low", "too high", [{ mark: "empty", text: "not given" }])],
  };
}

/** @param {Run} run @param {number} t @returns {Picture} */
function changePicture(run, t) {
  const values = change(run, t);
  const scale = signedScale(run.limits.change);
  const what = t ? `Change of the estimate by ${run.round} ${t} of ${run.T}` : `Change: none yet, ${run.round} 0 is the prior`;
  return {
    ...MAP,
    id: "change",
    title: "Change",
    detail: t ? `of the estimate by ${run.round} ${t}` : `none yet: ${run.round} 0 is the prior`,
    alt: altSigned(run, what, values),
    blocks: mapBlock(values, scale, runMarks(run).map((mark) => (mark === 1 ? 1 : 0))),
    legend: [signedLegend(scale, "down", "up", markKeys(run, true).filter(({ mark }) => mark === "given"))],
  };
}
