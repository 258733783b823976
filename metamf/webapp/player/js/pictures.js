/** Which pictures a scene has, and what each shows at a step: values, colours, legend, words. No pixels. */
import { max, range } from "d3-array";

import { signedScale, spanOf } from "./colour.js";
import { counted, plain, signed } from "./numbers.js";
import { change, difference, error, estimated, factorsAt, filled, interaction, once, product, residual } from "./run.js";
import { afterStep, cellKind, describe, markWords, typicalError, windowWords } from "./words.js";

const MOST_STRIPES = 8; // factors that are drawn next to a map
const WHOLE = 0.995; // share of the scale from which an interval counts as all of it

/**
 * A picture that does not follow the step is the same object at all of them: nobody redraws it. `differs`: the
 * difference to the pinned run takes the place of the estimates.
 * @param {SceneName} scene
 * @param {Run} run
 * @returns {Picture[]}
 */
export function picturesOf(scene, run, t, colouring, differs = false) {
  const given = () => once(run, `given ${colouring}`, () => givenPicture(run, colouring));
  const prior = () => once(run, `prior ${colouring}`, () => productPicture(run, 0, colouring, "prior"));
  const now = () => productPicture(run, t, colouring, "now", differs);
  if (run.maps.length) return run.maps.map((map) => stillPictureAt(run, map, t));
  if (scene === "given") return [given()];
  if (scene === "prior") return [prior()];
  if (scene === "fit") return [now()];
  if (scene === "alone") return [now(), errorPicture(run, t), residualPicture(run, t)];
  if (scene === "watch") return [prior(), now(), residualPicture(run, t), changePicture(run, t)];
  const truth = isTruthKnown(run) ? [once(run, `truth ${colouring}`, () => truthPicture(run, colouring))] : [];
  const second = differs ? differencePicture(run, t) : filledPicture(run, t, colouring);
  const found = [given(), second, ...truth, errorPicture(run, t)];
  if (run.pinned && !differs) found.push(differencePicture(run, t));
  if (run.lower && run.upper) found.push(once(run, "widths", () => widthPicture(run)));
  return found;
}

/**
 * A map. Its alternative text begins with `head` and describes the values `said`; `reads` is its title unless it says
 * otherwise.
 * @param {Run} run
 * @returns {Picture}
 */
function mapPicture(run, { id, title, detail, head = title, values, scale, marks, legend, reads = title, said = values, alt = "", ...way }) {
  const block = { part: /** @type {const} */ ("UV"), name: "", values, scale, marks, constant: [] };
  return {
    id,
    form: "map",
    title,
    detail,
    alt: alt || describe(run, head, said, way),
    reads,
    blocks: [block],
    legend: [legend],
    factorOrder: [],
    special: 0,
  };
}

/** A map of signed values, on which the given cells have a dot unless `keys` say otherwise. @param {Run} run @param {any} map */
function signedPicture(run, map) {
  const { ends, keys = givenKey(run) } = map;
  const marks = keys.some(({ mark }) => mark === "given") ? dots(run) : null;
  return mapPicture(run, { ...map, sign: true, marks, legend: signedLegend(map.scale, ends[0], ends[1], keys) });
}

/** A map with U(t) at its left and V(t)^T above it. @param {Run} run @param {Picture} map @returns {Picture} */
function withFactors(run, t, map) {
  const { blocks, legend, factorOrder, special } = factorParts(run, t);
  return { ...map, form: "product", blocks: [...blocks, ...map.blocks], legend: [legend, ...map.legend], factorOrder, special };
}

const kindsOf = (run) => once(run, "kinds", () => Array.from(run.X, (_, at) => cellKind(run, at)));

/** @param {Run} run @returns {Uint8Array} 1 for given cells; 2 for hidden ones where there are missing ones, too */
const marksOf = (run) => once(run, "marks", () => {
  const kinds = kindsOf(run);
  const mixed = kinds.includes("hidden") && kinds.includes("missing");
  return Uint8Array.from(kinds, (kind) => (kind === "given" ? 1 : kind === "hidden" && mixed ? 2 : 0));
});

const dots = (run) => once(run, "dots", () => marksOf(run).map((mark) => (mark === 1 ? 1 : 0)));

/** What the marks mean; `empty`: whether the cells that are not given are empty. @param {Run} run @returns {Key[]} */
function markKeys(run, empty) {
  const kinds = once(run, "kinds there are", () => new Set(kindsOf(run)));
  const rings = kinds.has("hidden") && kinds.has("missing");
  /** @type {Key[]} */
  const keys = kinds.has("given") ? [{ mark: "given", text: "given" }] : [];
  const text = "hidden from the model";
  if (kinds.has("hidden") && (rings || empty)) keys.push({ mark: rings ? "hidden" : "empty", text });
  if (kinds.has("missing") && empty) keys.push({ mark: "empty", text: "missing" });
  return keys;
}

const givenKey = (run) => markKeys(run, true).filter(({ mark }) => mark === "given");

const ratingLegend = (scale, name, keys = []) =>
  ({ scale, name, low: plain(scale.low), high: plain(scale.high), words: "", keys });

function signedLegend(scale, low, high, keys = []) {
  const [below, above] = [scale.low, scale.high].map((value) => signed(value, plain));
  return { scale, name: "", low: `${low} ${below}`.trim(), high: `${above} ${high}`.trim(), words: "", keys };
}

/** @returns {Scale} */
const ratingScale = ({ low, high }) => ({ kind: "rating", low, high });

/** The ends of a matrix, which is `of` the run, over all steps. @param {Run} run @returns {Span|null} */
const spanOver = (run, of) => spanOf(range(run.T + 1).flatMap((t) => spanOf(of(run, t)) ?? []));

/** Colours for a matrix at all steps. @param {Run} run */
const signedOver = (run, of, most = Infinity) =>
  signedScale(Math.min(max(spanOver(run, of) ?? [], Math.abs) ?? 0, most));

/** Values and colours of the estimates, as the visitor chose; `values`: as ratings. @param {Run} run */
function coloured(run, t, colouring, values) {
  if (colouring === "levels") {
    const scale = once(run, "levels", () => signedOver(run, interaction));
    const reads = "estimate minus row and column level";
    return { values: interaction(run, t), scale, reads, legend: { ...signedLegend(scale, "less", "more"), name: reads } };
  }
  const scale = ratingsScale(run, colouring);
  return { values, scale, reads: "", legend: ratingLegend(scale, "rating") };
}

/** One range of colours for the maps of ratings: the scale, or what there is in them. @param {Run} run */
function ratingsScale(run, colouring) {
  if (colouring !== "span") return ratingScale(run);
  const span = once(run, "span", () =>
    spanOf([run.X, run.truth ?? []].flatMap((known) => spanOf(known) ?? []).concat(spanOver(run, estimated) ?? [])));
  return ratingScale(span ? { low: span[0], high: span[1] } : run);
}

/** Whether the rating of every cell is known, so that the truth is a whole map. @param {Run} run */
const isTruthKnown = (run) => once(run, "truth is known", () =>
  run.truth !== null && run.X.every((value, at) => !Number.isNaN(value) || !Number.isNaN(run.truth?.[at])));

function truthPicture(run, colouring) {
  const scale = ratingsScale(run, colouring);
  const values = run.X.map((value, at) => (Number.isNaN(value) ? run.truth[at] : value));
  return mapPicture(run, {
    id: "truth",
    title: "Truth",
    detail: "hidden from the model",
    noun: "rating",
    reads: "",
    values,
    scale,
    marks: dots(run),
    legend: ratingLegend(scale, "rating", givenKey(run)),
  });
}

const differenceScale = (run) => once(run, "difference", () => signedOver(run, difference));

function givenPicture(run, colouring) {
  const scale = ratingsScale(run, colouring);
  const cells = run.n * run.m;
  const all = run.n === run.total_rows && run.m === run.total_cols;
  const span = spanOf(run.X);
  const count = run.X.filter(Number.isFinite).length;
  const ratings = span ? `, ratings from ${plain(span[0])} to ${plain(span[1])}` : "";
  const alt = `Given: ${count.toLocaleString("en")} of ${counted(cells, "cell")}${ratings}.${windowWords(run)}${markWords(run)}`;
  const detail = all ? `${run.n_given.toLocaleString("en")} of ${cells.toLocaleString("en")} cells` : "";
  const legend = ratingLegend(scale, "rating", markKeys(run, true));
  return mapPicture(run, { id: "given", title: "Given", detail, alt, reads: "", values: run.X, scale, marks: marksOf(run), legend });
}

function filledPicture(run, t, colouring) {
  const { values, scale, legend, reads } = coloured(run, t, colouring, filled(run, t));
  const map = mapPicture(run, {
    id: "filled",
    title: "Filled in",
    detail: `${afterStep(run, t)}${colouring === "levels" ? ", minus levels" : ""}`,
    head: `Filled in ${afterStep(run, t)}`,
    said: estimated(run, t),
    after: typicalError(run.errors.hidden?.[t]),
    reads,
    values,
    scale,
    marks: marksOf(run),
    legend: { ...legend, keys: markKeys(run, false) },
  });
  if (run.K > MOST_STRIPES || run.K === 0) return map;
  const found = withFactors(run, t, map);
  return { ...found, legend: found.legend.reverse() };
}

/** @returns {Picture} */
function errorPicture(run, t) {
  const id = "error";
  const title = "Error on hidden cells";
  if (!run.truth || !spanOf(run.truth)) {
    const words = run.n_hidden
      ? "None of the hidden cells is in this window."
      : "No rating is hidden, so no error can be measured.";
    const legend = [{ scale: null, name: "", low: "", high: "", words, keys: [] }];
    return { id, title, form: "words", detail: "", alt: words, reads: "", blocks: [], legend, factorOrder: [], special: 0 };
  }
  const scale = once(run, "error", () => signedOver(run, error, (run.high - run.low) / 2 || 1));
  const after = typicalError(run.errors.hidden?.[t]);
  const head = `${title} ${afterStep(run, t)}`;
  const ends = ["too low", "too high"];
  return signedPicture(run, { id, title, detail: after.slice(2), head, after, values: error(run, t), scale, ends });
}

const differencePicture = (run, t) => signedPicture(run, {
  id: "difference",
  title: `What ${run.pinned.by} changed`,
  detail: afterStep(run, t),
  head: `What ${run.pinned.by} changed in the estimates ${afterStep(run, t)}`,
  values: difference(run, t),
  scale: differenceScale(run),
  ends: ["lower", "higher"],
});

function residualPicture(run, t) {
  const after = typicalError(run.errors.given[t]);
  return signedPicture(run, {
    id: "residual",
    title: "Residual",
    detail: `estimate minus rating${after.replace("; typical error", ", typically")}`,
    head: `Residual on the given cells ${afterStep(run, t)}`,
    after,
    values: residual(run, t),
    scale: signedScale(run.limits.residual),
    ends: ["too low", "too high"],
    keys: [{ mark: "empty", text: "not given" }],
  });
}

/**
 * The colours of the change span that of this step: later steps change less and less. The prior, which has changed
 * nothing, has those of step 1, so that its legend takes as many lines.
 * @param {Run} run
 */
function changePicture(run, t) {
  const values = change(run, t);
  const [low, high] = spanOf(change(run, Math.min(Math.max(t, 1), run.T))) ?? [0, 0];
  const none = `none yet: ${run.round} 0 is the ${run.model.kind === "mf" ? "start" : "prior"}`;
  return signedPicture(run, {
    id: "change",
    title: "Change",
    detail: t ? `of the estimate by ${run.round} ${t}` : none,
    head: t ? `Change of the estimate by ${run.round} ${t} of ${run.T}` : `Change: ${none}`,
    values,
    scale: signedScale(Math.max(-low, high)),
    ends: ["down", "up"],
  });
}

function widthPicture(run) {
  const { lower, upper, X } = /** @type {Run & {lower: Float32Array, upper: Float32Array}} */ (run);
  const widths = upper.map((value, at) => (Number.isNaN(X[at]) ? value - lower[at] : NaN));
  const level = run.level === null ? "" : `${Math.round(100 * run.level)} % `;
  const { scale, legend } = widthColours(run, widths, level);
  const detail = `width of the ${level}interval`;
  const title = "How sure it is";
  return mapPicture(run, {
    id: "width",
    title,
    detail,
    head: `${title}, ${detail}`,
    noun: "width",
    after: legend.words && `; ${legend.words.slice(0, -1)}`,
    values: widths,
    scale,
    marks: dots(run),
    legend,
  });
}

/**
 * Colours from the narrowest to the widest interval, one colour where all are equally wide, and a sentence where an
 * interval is as wide as the scale of the ratings; `ends`: of this scale, equal without one.
 * @param {Run} run
 * @param {Float32Array} widths
 * @returns {{scale: Scale, legend: LegendItem}}
 */
export function widthColours(run, widths, level, ends = [run.low, run.high]) {
  const legend = { name: "", low: "", high: "", words: "", keys: givenKey(run) };
  const whole = ends[1] - ends[0] || Infinity;
  const [low, high] = spanOf(widths) ?? [0, 0];
  const scale = /** @type {Scale} */ ({ kind: "width", low, high: high - low < (1 - WHOLE) * high ? low : high });
  if (high === 0) return { scale, legend: { ...legend, scale: null, words: "Every cell is given." } };
  if (low >= WHOLE * whole) {
    legend.words = `It knows nothing here: every interval is the whole scale, ${plain(ends[0])} to ${plain(ends[1])}.`;
  } else if (scale.high === low) legend.words = `Every ${level}interval is ${plain(low)} wide.`;
  else {
    [legend.low, legend.high] = [`sure, ${plain(low)} wide`, `${plain(high)} wide, unsure`];
    if (high >= WHOLE * whole) legend.words = `${plain(whole)} is the whole scale: there it knows nothing.`;
  }
  return { scale, legend: { ...legend, scale } };
}

/** A map with values of its own, of one step or of all. @param {Run} run @param {StillMap} map */
function stillPictureAt(run, map, t) {
  const size = run.n * run.m;
  const step = map.values.length > size ? t : 0;
  const values = map.values.subarray(step * size, (step + 1) * size);
  return once(run, `map ${map.title} ${step}`, () => stillPicture(run, { ...map, values }));
}

/** A map that follows no step, with its own colours. @param {Run} run @param {StillMap} map */
function stillPicture(run, { title, detail, kind, noun, values, low, high, below, above }) {
  const own = /** @type {Scale} */ ({ kind, low, high });
  const { scale, legend } = {
    rating: () => ({ scale: own, legend: ratingLegend(own, noun, markKeys(run, values.some(Number.isNaN))) }),
    signed: () => ({ scale: own, legend: signedLegend(own, below, above, givenKey(run)) }),
    width: () => widthColours(run, values, "", [low, high]),
  }[kind]();
  const sign = kind === "signed";
  const others = sign ? values : values.map((value, at) => (cellKind(run, at) === "given" ? NaN : value));
  const given = run.X.filter(Number.isFinite).length;
  const head = `${[title, detail].filter(Boolean).join(", ")}${given && !sign ? `: ${counted(given, "given rating")}` : ""}`;
  const alt = describe(run, head, others, { noun, sign }) + markWords(run);
  const marks = kind === "rating" ? marksOf(run) : dots(run);
  return mapPicture(run, { id: title, title, detail, alt, values, scale, marks, legend });
}

/**
 * U(t) and V(t)^T, with their legend. Coordinates that are constants or effects stand apart, in front of the factors.
 * @param {Run} run
 */
function factorParts(run, t) {
  const { constants, effects, n, m, K } = run;
  const apart = [...new Set([...constants.V, ...effects.U, ...constants.U, ...effects.V])];
  const factorOrder = [...apart, ...range(K).filter((k) => !apart.includes(k))];
  const positive = run.model.kind === "nmf";
  /** @type {Scale} */
  const scale = positive ? { kind: "width", low: 0, high: run.limits.factor || 1 } : signedScale(run.limits.factor);
  /** @returns {Block} */
  const factors = (part, name, side, count, fixedOnes) => {
    const values = new Float32Array(count * K);
    for (let at = 0; at < count; at++) {
      const line = factorsAt(run, t, side, at);
      factorOrder.forEach((k, position) => {
        values[part === "U" ? at * K + position : position * count + at] = fixedOnes.includes(k) ? NaN : line[k];
      });
    }
    const constant = factorOrder.flatMap((k, position) => (fixedOnes.includes(k) ? [position] : []));
    return { part, name, values, scale, marks: null, constant };
  };
  const name = `factors${apart.length ? " and effects" : ""} of U(${t}) and V(${t})`;
  /** @type {Key[]} */
  const keys = constants.U.length || constants.V.length ? [{ mark: "constant", text: "always 1" }] : [];
  const blocks = [factors("U", `U(${t})`, "row", n, constants.U), factors("V", `V(${t})ᵀ`, "col", m, constants.V)];
  const legend = { ...(positive ? ratingLegend(scale, "") : signedLegend(scale, "", "")), name, keys };
  return { blocks, legend, factorOrder, special: apart.length };
}

/**
 * U(t), V(t)^T and their product.
 * @param {Run} run
 * @returns {Picture}
 */
function productPicture(run, t, colouring, id, differs = false) {
  const name = `what ${run.pinned?.by} changed`;
  const { values, scale, reads, legend } = differs ? ofDifference(run, t, name) : coloured(run, t, colouring, product(run, t));
  const title = `U(${t}) V(${t})ᵀ`;
  const when = t === 0 ? "no step taken yet" : afterStep(run, t);
  const span = colouring === "span" && !differs ? ", as far as it spans" : "";
  return withFactors(run, t, mapPicture(run, {
    id,
    title,
    detail: id === "prior" ? "the network’s first guess" : `${when}${differs ? `: ${name}` : ""}`,
    head:
      `U(${t}) at the left, ${run.n} rows by ${run.K} factors; V(${t}) transposed above, ${run.K} factors by ${run.m} columns; ` +
      `where they meet ${differs ? name : "their product"}`,
    said: differs ? values : product(run, t),
    sign: differs,
    reads,
    values,
    scale,
    marks: marksOf(run),
    legend: { ...legend, name: reads || `estimate${span}`, keys: markKeys(run, false) },
  }));
}

/** The difference to the pinned run as `coloured` has the estimates. @param {Run} run */
function ofDifference(run, t, name) {
  const scale = differenceScale(run);
  return { values: difference(run, t), scale, reads: name, legend: signedLegend(scale, "lower", "higher") };
}
