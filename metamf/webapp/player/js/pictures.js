/** Which pictures a scene has, and what each shows at a step: values, colours, legend, words. No pixels. */
import { max, range } from "d3-array";

import { signedScale, spanOf } from "./colour.js";
import { counted, fixed, plain, signed } from "./numbers.js";
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
export function picturesOf(scene, run, t, colouring, differs = false, factors = false) {
  const given = () => once(run, "given", () => givenPicture(run));
  const prior = () => once(run, `prior ${colouring}`, () => productPicture(run, 0, colouring, "prior"));
  const now = () => productPicture(run, t, colouring, "now", differs);
  if (run.maps.length) return run.maps.map((map) => stillPicture(run, map, t));
  if (scene === "given") return [given()];
  if (scene === "prior") return [prior()];
  if (scene === "fit") return [now()];
  if (scene === "watch") return [prior(), now(), residualPicture(run, t), changePicture(run, t)];
  const own = isMixed(run) ? (picture) => picture : numberedWhereGiven; // marks tell three kinds of cells apart
  const found = [once(run, "given first", () => own(given(), true))];
  if (run.mf) found.push(own(estimatePicture(run.mf, t, colouring, { id: "mf", title: "Matrix factorization" })));
  found.push(differs ? differencePicture(run, t) : own(modelPicture(run, t, colouring, factors && hasFactors(run))));
  if (isTruthKnown(run)) found.push(once(run, "truth", () => own(truthPicture(run))));
  found.push(errorPicture(run, t));
  if (run.pinned && !differs) found.push(differencePicture(run, t));
  if (run.lower && run.upper) found.push(once(run, "widths", () => widthPicture(run)));
  return found;
}

/** A map of those that are side by side: given cells alone have numbers, and the first one says what colours mean. */
function numberedWhereGiven(picture, first = false) {
  const said = { ...picture.legend[0], keys: [], words: "Numbers are given ratings." };
  const factors = picture.form === "product" ? picture.legend.slice(-1) : [];
  return { ...picture, blocks: picture.blocks.map((block) => ({ ...block, onlyGiven: true })), legend: first ? [said] : factors };
}

/**
 * A map. Its alternative text begins with `head` and describes the values `said`; `reads` is its title unless it says
 * otherwise; `legend` is what it has beside the ends of the scale.
 * @param {Run} run
 * @param {any} map
 * @returns {Picture}
 */
function mapPicture(run, { id, title, detail, head = title, reads = title, values, said = values, scale, marks = dots(run), legend, alt = "", noun = "estimate", after = "" }) {
  const sign = scale.kind === "signed" && said === values;
  return {
    id,
    form: "map",
    title,
    detail,
    alt: alt || describe(run, head, said, { noun, sign, after }),
    reads,
    blocks: [{ part: "UV", name: "", values, scale, marks, constant: [] }],
    legend: [legendOf(scale, legend)],
    factorOrder: [],
    special: 0,
  };
}

/** The colours of a scale between its ends, with words `below` and `above` where it is signed. @returns {LegendItem} */
function legendOf(scale, { below = "", above = "", ...words }) {
  const end = (value) => (scale.kind === "signed" ? signed(value, plain) : plain(value));
  return { scale, name: "", low: `${below} ${end(scale.low)}`.trim(), high: `${end(scale.high)} ${above}`.trim(), words: "", keys: [], ...words };
}

const kindsOf = (run) => once(run, "kinds", () => Array.from(run.X, (_, at) => cellKind(run, at)));

/** Whether some cells are hidden and others missing. */
const isMixed = (run) => kindsOf(run).includes("hidden") && kindsOf(run).includes("missing");

/** 1 for given cells; 2 for hidden ones where there are missing ones, too. @param {Run} run @returns {Uint8Array} */
const marksOf = (run) => once(run, "marks", () =>
  Uint8Array.from(kindsOf(run), (kind) => (kind === "given" ? 1 : kind === "hidden" && isMixed(run) ? 2 : 0)));

const dots = (run) => once(run, "dots", () => marksOf(run).map((mark) => (mark === 1 ? 1 : 0)));

/** What the marks mean; `empty`: whether the cells that are not given are empty. @param {Run} run @returns {Key[]} */
function markKeys(run, empty) {
  const kinds = kindsOf(run);
  /** @type {Key[]} */
  const keys = givenKey(run);
  const mark = isMixed(run) ? "hidden" : "empty";
  if (kinds.includes("hidden") && (empty || isMixed(run))) keys.push({ mark, text: "hidden from the model" });
  if (kinds.includes("missing") && empty) keys.push({ mark: "empty", text: "missing" });
  return keys;
}

/** @returns {Key[]} */
const givenKey = (run) => (kindsOf(run).includes("given") ? [{ mark: "given", text: "given" }] : []);

/** @returns {Scale} */
const ratingScale = ({ low, high }) => ({ kind: "rating", low, high });

/** Colours for a matrix, which is `of` the run, at all steps. @param {Run} run @returns {Scale} */
const signedOver = (run, name, of, most = Infinity) => once(run, name, () => {
  const ends = range(run.T + 1).flatMap((t) => spanOf(of(run, t)) ?? []);
  return signedScale(Math.min(max(ends, Math.abs) ?? 0, most));
});

/** Values and colours of the estimates, as the visitor chose; `values`: as ratings. @param {Run} run */
function coloured(run, t, colouring, values) {
  if (colouring === "scale") return { values, scale: ratingScale(run), reads: "", legend: { name: "rating", keys: markKeys(run, false) } };
  const reads = "estimate minus row and column level";
  const legend = { below: "less", above: "more", name: reads, keys: markKeys(run, false) };
  return { values: interaction(run, t), scale: signedOver(run, "levels", interaction), reads, legend };
}

/** Whether the rating of every cell is known, so that the truth is a whole map. @param {Run} run */
const isTruthKnown = (run) => run.truth !== null && !kindsOf(run).includes("missing");

const truthPicture = (run) => mapPicture(run, {
  id: "truth",
  title: "Truth",
  detail: "what they would say",
  noun: "rating",
  reads: "",
  values: run.answers ?? run.X.map((value, at) => (Number.isNaN(value) ? run.truth[at] : value)),
  scale: ratingScale(run),
  legend: { name: "rating", keys: givenKey(run) },
});

function givenPicture(run) {
  const cells = run.n * run.m;
  const all = cells === run.total_rows * run.total_cols;
  const span = spanOf(run.X);
  const count = run.X.filter(Number.isFinite).length;
  const ratings = span ? `, ratings from ${plain(span[0])} to ${plain(span[1])}` : "";
  return mapPicture(run, {
    id: "given",
    title: "Given",
    detail: all ? `${run.n_given.toLocaleString("en")} of ${cells.toLocaleString("en")} ratings` : "",
    alt: `Given: ${count.toLocaleString("en")} of ${counted(cells, "cell")}${ratings}.${windowWords(run)}${markWords(run)}`,
    reads: "",
    values: run.X,
    scale: ratingScale(run),
    marks: marksOf(run),
    legend: { name: "rating", keys: markKeys(run, true) },
  });
}

/** The estimates of a run next to the given ratings, and how far off they are. @param {Run} run */
function estimatePicture(run, t, colouring, { id, title }) {
  const off = run.errors.hidden?.[t];
  const when = afterStep(run, t);
  return mapPicture(run, {
    ...coloured(run, t, colouring, filled(run, t)),
    id,
    title,
    detail: Number.isFinite(off) ? `off by ${fixed(off)} on hidden ratings` : when,
    head: `${title} ${when}`,
    said: estimated(run, t),
    after: typicalError(off),
    marks: marksOf(run),
  });
}

/** The model's estimates; `factors`: with U and V beside them. @param {Run} run */
function modelPicture(run, t, colouring, factors) {
  const map = estimatePicture(run, t, colouring, { id: "filled", title: "The model" });
  if (!factors) return map;
  const found = withFactors(run, t, map);
  const [ofFactors, ratings] = found.legend;
  return { ...found, legend: [ratings, { ...ofFactors, name: `${run.K} numbers a person, ${run.K} a film` }] };
}

/** Whether U and V are few enough to stand beside a map. @param {Run} run */
export const hasFactors = ({ K }) => K > 0 && K <= MOST_STRIPES;

/** @returns {Picture} */
function errorPicture(run, t) {
  const title = "Error on hidden cells";
  if (!run.truth || !spanOf(run.truth)) {
    const words = run.n_hidden
      ? "None of the hidden cells is in this window."
      : "No rating is hidden, so no error can be measured.";
    const legend = [{ scale: null, name: "", low: "", high: "", words, keys: [] }];
    return { id: "error", title, form: "words", detail: "", alt: words, reads: "", blocks: [], legend, factorOrder: [], special: 0 };
  }
  const after = typicalError(run.errors.hidden?.[t]);
  return mapPicture(run, {
    id: "error",
    title,
    detail: after.slice(2),
    head: `${title} ${afterStep(run, t)}`,
    after,
    values: error(run, t),
    scale: signedOver(run, "error", error, (run.high - run.low) / 2 || 1),
    legend: { below: "too low", above: "too high", keys: givenKey(run) },
  });
}

/** The difference to the pinned run, on one scale for all steps. @param {Run} run */
const ofDifference = (run, t) => ({
  reads: `what ${run.pinned?.by} changed`,
  values: difference(run, t),
  scale: signedOver(run, "difference", difference),
  legend: { below: "lower", above: "higher", keys: givenKey(run) },
});

function differencePicture(run, t) {
  const title = `What ${run.pinned?.by} changed`;
  const when = afterStep(run, t);
  return mapPicture(run, { ...ofDifference(run, t), id: "difference", title, detail: when, head: `${title} in the estimates ${when}`, reads: title });
}

function residualPicture(run, t) {
  const after = typicalError(run.errors.given[t]);
  return mapPicture(run, {
    id: "residual",
    title: "Residual",
    detail: `estimate minus rating${after.replace("; typical error", ", typically")}`,
    head: `Residual on the given cells ${afterStep(run, t)}`,
    after,
    values: residual(run, t),
    scale: signedScale(run.limits.residual),
    marks: null,
    legend: { below: "too low", above: "too high", keys: [{ mark: "empty", text: "not given" }] },
  });
}

/**
 * The colours of the change span that of this step: later steps change less and less. The prior, which has changed
 * nothing, has those of step 1, so that its legend takes as many lines.
 * @param {Run} run
 */
function changePicture(run, t) {
  const [low, high] = spanOf(change(run, Math.min(Math.max(t, 1), run.T))) ?? [0, 0];
  const none = `none yet: ${run.round} 0 is the ${run.model.kind === "mf" ? "start" : "prior"}`;
  return mapPicture(run, {
    id: "change",
    title: "Change",
    detail: t ? `of the estimate by ${run.round} ${t}` : none,
    head: t ? `Change of the estimate by ${run.round} ${t} of ${run.T}` : `Change: ${none}`,
    values: change(run, t),
    scale: signedScale(Math.max(-low, high)),
    legend: { below: "down", above: "up", keys: givenKey(run) },
  });
}

function widthPicture(run) {
  const widths = run.upper.map((value, at) => (Number.isNaN(run.X[at]) ? value - run.lower[at] : NaN));
  const level = run.level === null ? "" : `${Math.round(100 * run.level)} % `;
  const found = widthColours(run, widths, level);
  const detail = `width of the ${level}interval`;
  const title = "How sure it is";
  const { words } = found.legend;
  return mapPicture(run, { ...found, id: "width", title, detail, head: `${title}, ${detail}`, noun: "width", after: words && `; ${words.slice(0, -1)}`, values: widths });
}

/**
 * Colours from the narrowest to the widest interval, one colour where all are equally wide, and a sentence where an
 * interval is as wide as the scale of the ratings; `ends`: of this scale, equal without one.
 * @param {Run} run
 * @param {Float32Array} widths
 * @returns {{scale: Scale, legend: Partial<LegendItem>}}
 */
export function widthColours(run, widths, level, ends = [run.low, run.high]) {
  const legend = { low: "", high: "", words: "", keys: givenKey(run) };
  const whole = ends[1] - ends[0] || Infinity;
  const [low, high] = spanOf(widths) ?? [0, 0];
  const scale = /** @type {Scale} */ ({ kind: "width", low, high: high - low < (1 - WHOLE) * high ? low : high });
  if (high === 0) return { scale, legend: { ...legend, scale: null, words: "Every cell is given." } };
  if (low >= WHOLE * whole) {
    legend.words = `It knows nothing here: every interval is the whole scale, ${plain(ends[0])} to ${plain(ends[1])}.`;
  } else if (scale.high === low) legend.words = `Every ${level}interval is ${plain(low)} wide.`;
  else {
    legend.low = `sure, ${plain(low)} wide`;
    legend.high = `${plain(high)} wide, unsure`;
    if (high >= WHOLE * whole) legend.words = `${plain(whole)} is the whole scale: there it knows nothing.`;
  }
  return { scale, legend };
}

/** A map with values and colours of its own, of one step or of all. @param {Run} run @param {StillMap} map */
function stillPicture(run, map, t) {
  const { title, detail, kind, noun, low, high, below, above } = map;
  const size = run.n * run.m;
  const step = map.values.length > size ? t : 0;
  const values = map.values.subarray(step * size, (step + 1) * size);
  return once(run, `map ${title} ${step}`, () => {
    const sign = kind === "signed";
    const scale = /** @type {Scale} */ ({ kind, low, high });
    const colours = {
      rating: () => ({ scale, marks: marksOf(run), legend: { name: noun, keys: markKeys(run, values.some(Number.isNaN)) } }),
      signed: () => ({ scale, legend: { below, above, keys: givenKey(run) } }),
      width: () => widthColours(run, values, "", [low, high]),
    }[kind]();
    const others = sign ? values : values.map((value, at) => (cellKind(run, at) === "given" ? NaN : value));
    const given = run.X.filter(Number.isFinite).length;
    const head = `${[title, detail].filter(Boolean).join(", ")}${given && !sign ? `: ${counted(given, "given rating")}` : ""}`;
    return mapPicture(run, { ...colours, id: title, title, detail, alt: describe(run, head, others, { noun, sign }) + markWords(run), values });
  });
}

/**
 * A map with U(t) at its left and V(t)^T above it. Coordinates that are constants or effects stand apart, in front of
 * the factors.
 * @param {Run} run @param {Picture} map @returns {Picture}
 */
function withFactors(run, t, map) {
  const { constants, effects, n, m, K, limits } = run;
  const apart = [...new Set([...constants.V, ...effects.U, ...constants.U, ...effects.V])];
  const factorOrder = [...apart, ...range(K).filter((k) => !apart.includes(k))];
  /** @type {Scale} */
  const scale = run.model.kind === "nmf" ? { kind: "width", low: 0, high: limits.factor || 1 } : signedScale(limits.factor);
  /** @returns {Block} */
  const factors = (part, name, side, count) => {
    const ones = constants[part];
    const values = new Float32Array(count * K);
    for (let at = 0; at < count; at++) {
      const line = factorsAt(run, t, side, at);
      factorOrder.forEach((k, position) => {
        values[part === "U" ? at * K + position : position * count + at] = ones.includes(k) ? NaN : line[k];
      });
    }
    return { part, name, values, scale, marks: null, constant: ones.map((k) => factorOrder.indexOf(k)) };
  };
  const name = `factors${apart.length ? " and effects" : ""} of U(${t}) and V(${t})`;
  /** @type {Key[]} */
  const keys = constants.U.length || constants.V.length ? [{ mark: "constant", text: "always 1" }] : [];
  const blocks = [factors("U", `U(${t})`, "row", n), factors("V", `V(${t})ᵀ`, "col", m), ...map.blocks];
  return { ...map, form: "product", blocks, legend: [legendOf(scale, { name, keys }), ...map.legend], factorOrder, special: apart.length };
}

/**
 * U(t), V(t)^T and their product.
 * @param {Run} run
 * @returns {Picture}
 */
function productPicture(run, t, colouring, id, differs = false) {
  const shown = differs ? ofDifference(run, t) : coloured(run, t, colouring, product(run, t));
  const { reads, values, legend } = shown;
  const when = t === 0 ? "no step taken yet" : afterStep(run, t);
  return withFactors(run, t, mapPicture(run, {
    ...shown,
    id,
    title: `U(${t}) V(${t})ᵀ`,
    detail: id === "prior" ? "the network’s first guess" : `${when}${differs ? `: ${reads}` : ""}`,
    head:
      `U(${t}) at the left, ${run.n} rows by ${run.K} factors; V(${t}) transposed above, ${run.K} factors by ${run.m} columns; ` +
      `where they meet ${differs ? reads : "their product"}`,
    said: differs ? values : product(run, t),
    marks: marksOf(run),
    legend: { ...legend, name: reads || "estimate", keys: markKeys(run, false) },
  }));
}
