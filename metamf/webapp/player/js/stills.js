/**
 * Maps that follow no step: answers of several methods, errors, a channel of the network. The server sends their values;
 * each has its own colours and its own legend.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./run.js").StillMap} StillMap
 * @typedef {import("./parts.js").Picture} Picture
 * @typedef {import("./colour.js").Scale} Scale
 */
import { altMark, altSigned, cellKind, cellName, countedWords, exactNumber, largestAt, namesOf, windowWords } from "./alttext.js";
import { spanOf } from "./colour.js";
import { markKeys, ratingLegend, runMarks, signedLegend } from "./parts.js";

/** @param {number} count of maps @returns {number} how many stand side by side on a wide screen: none stands alone below others */
export const stillsAcross = (count) => (count === 4 ? 2 : Math.min(count, 3));

/** @param {Run} run @returns {Picture[]} */
export const stillPictures = (run) => run.maps.map((map) => stillPicture(run, map));

/** @param {Run} run @param {StillMap} map @returns {Picture} */
function stillPicture(run, map) {
  const scale = /** @type {Scale} */ ({ kind: map.kind, low: map.low, high: map.high });
  const signed = map.kind === "signed";
  const empty = map.values.some((value) => Number.isNaN(value));
  const keys = markKeys(run, empty);
  const marks = runMarks(run);
  return {
    form: "map",
    factorOrder: [],
    special: 0,
    id: map.title,
    title: map.title,
    detail: map.detail,
    alt: (signed ? altSigned(run, headOf(map), map.values) : altStill(run, map)) + altMark(run),
    blocks: [{ part: "UV", name: "", values: map.values, scale, marks: map.kind === "rating" ? marks : marks.map((mark) => (mark === 1 ? 1 : 0)), constant: [] }],
    legend: [stillLegend(map, scale, keys)],
  };
}

/** @param {StillMap} map @param {Scale} scale @param {import("./parts.js").LegendItem["keys"]} keys */
function stillLegend(map, scale, keys) {
  if (map.kind === "rating") return ratingLegend(scale, map.noun, keys);
  const known = keys.filter(({ mark }) => mark === "given");
  if (map.kind === "signed") return signedLegend(scale, map.below, map.above, known);
  return { scale: map.below ? scale : null, name: "", low: map.below, high: map.above, words: map.words, keys: known };
}

/** @param {StillMap} map */
const headOf = ({ title, detail }) => [title, detail].filter(Boolean).join(", ");

/** @param {Run} run @param {StillMap} map @returns {string} how many numbers, from where to where, and where they are largest */
function altStill(run, map) {
  const others = map.values.map((value, at) => (cellKind(run, at) === "given" ? NaN : value));
  const count = others.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0);
  const given = run.X.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0);
  const span = spanOf(others);
  const known = given ? `${countedWords(given, "given rating")}, and ` : "";
  if (!span) return `${headOf(map)}: ${known}nothing else.${windowWords(run)}`;
  const most = cellName(run, largestAt(others, (value) => value));
  return `${headOf(map)}: ${known}${countedWords(count, map.noun)} between ${exactNumber(span[0])} and ${exactNumber(span[1])}, highest for ${most}.${windowWords(run)}`;
}

/**
 * The text beside the pointer.
 * @param {Run} run @param {Picture} picture @param {number} i @param {number} j
 * @returns {{head: string[], lines: string[]}}
 */
export function stillWords(run, picture, i, j) {
  const at = i * run.m + j;
  const [{ values, scale }] = picture.blocks;
  const kind = cellKind(run, at);
  const shown = Number.isNaN(values[at]) ? "no number" : exactNumber(values[at], scale.kind === "signed");
  const known = kind === "given" ? [`given: ${exactNumber(run.X[at])}`] : kind === "hidden" && run.truth ? [`hidden; truth: ${exactNumber(run.truth[at])}`] : [];
  const { rows, cols } = namesOf(run);
  const head = [run.rows?.[i] ? rows[i] : `${run.nouns[0]} ${rows[i]}`, run.cols?.[j] ? cols[j] : `${run.nouns[1]} ${cols[j]}`];
  return { head, lines: [`${picture.title}: ${shown}`, ...known] };
}
