/**
 * What stands above the maps that are compared: the result in a sentence, and the controls of the step and of what is
 * given. The errors along the steps, of the model and of matrix factorization, are a small curve over the slider of the
 * step.
 */
import { scaleLinear } from "d3-scale";

import { curvePath, spread } from "./chart.js";
import { button, drawing, h, pure, textAt } from "./html.js";
import { counted, fixed, plain } from "./numbers.js";
import { hasFactors } from "./pictures.js";
import { playButton, stepSlider, spokenSteps } from "./toolbar.js";
import { roundName } from "./words.js";

const RANDOM = "at random";
const LIKED = "what people like";
const WHY = "People rate what they like: one standard deviation more makes a rating e times as likely";
const FEWEST = 5; // percent
const CURVE = { width: 250, height: 46, left: 8, right: 84 }; // pixels
const ALMOST = 1.03; // times the last error, below which a step is almost there

/** The unit of a rating in a sentence. @param {Run} run */
const unitOf = ({ low, high }) => (low === 1 && high === 5 ? " stars" : " points");

/** The error on the hidden ratings of matrix factorization next to that of the model at a step. @param {Run} run */
const otherAt = ({ mf, T }, t) => mf?.errors.hidden?.[t === T ? mf.T : t] ?? NaN;

/** The result in a sentence of at most 20 words: both errors after a step. @param {Run} run */
export function sentenceOf(run, t) {
  const { n_hidden, n, m, n_given, T } = run;
  if (n_given === n * m) return ["Every cell is given.", " There is nothing to fill in."];
  const own = run.errors.hidden?.[t];
  if (!n_hidden || own === undefined || own === null) return [`${plain(n * m - n_given)} gaps are filled in.`, " Nobody knows what is right there."];
  const when = t ? `After ${counted(t, run.round)} the` : `Before any ${run.round} the`;
  const model = `${T ? when : "The"} model`;
  const by = `${fixed(own)}${unitOf(run)}`;
  const other = otherAt(run, t);
  if (Number.isNaN(other)) return [`${model} misses by ${by}.`, ""];
  if (fixed(own) === fixed(other)) return [`${model} misses by ${by}`, ", and so does factorization."];
  const worse = t === T && own > other ? " does worse here: it" : "";
  return [`${model}${worse} misses by ${by}`, `, factorization by ${fixed(other)}.`];
}

/** Why, in a sentence, and how it is over many tables. @param {Run} run @param {Live|null} live @param {Choices|null} choices */
export function reasonOf(run, live, choices) {
  if (!run.n_hidden || !choices) return "";
  const liked = choices.by === LIKED && live?.measured;
  const learned = run.mf
    ? "Factorization sees this table alone; the model learned from others."
    : "The model learned where to begin from other tables.";
  const why = liked
    ? "People rate what they like, so the gaps are lower. The model has seen that in other tables; one table cannot show it."
    : learned;
  const mean = run.meanError ?? Infinity;
  const plainer = mean < Math.min(run.errors.hidden?.[run.T] ?? 0, run.mf?.errors.hidden?.[run.T] ?? 0);
  const closer = plainer ? ` The mean of what is given is closer: ${fixed(mean)}.` : "";
  return `${why}${closer}${overMany(live, choices)}`;
}

function overMany(live, { by, keep }) {
  const found = live?.measured?.[by];
  if (!found) return "";
  const at = found.percent.findIndex((percent) => percent >= keep);
  if (at < 0) return "";
  const before = Math.max(at - 1, 0);
  const share = at === before ? 0 : (keep - found.percent[before]) / (found.percent[at] - found.percent[before]);
  const between = (values) => values[before] + share * (values[at] - values[before]);
  return ` Means of 200 tables: model ${fixed(between(found.model))}, factorization ${fixed(between(found.mf))}.`;
}

/** What a step does, in a line; the sentence above says the errors on the hidden ratings. @param {Run} run */
export function lineOf(run, t) {
  const { hidden, given } = run.errors;
  const step = `${roundName(run)} ${t}`;
  const fit = hidden ? "" : `: off by ${fixed(given[t])} on what is given`;
  if (run.model.kind !== "paper") return `${step} of ${run.T}${fit}.`;
  if (t === run.T) return hidden && run.mf ? `${conclusionOf(run)}.` : `Done${fit}.`;
  if (t === 0) return `${step}: the model’s learned start${run.mf ? "; factorization’s random one, near the mean" : ""}.`;
  if (t === 1) return `${step}: U and V move towards the given ratings.`;
  const errors = hidden ?? given;
  const now = errors[t] ?? 0;
  if (now <= ALMOST * (errors[run.T] ?? 0)) return `${step}: almost there.`;
  return `${step}: ${now < (errors[t - 1] ?? 0) ? "closer to" : "farther from"} what is ${hidden ? "hidden" : "given"}.`;
}

/** How the start that was learned compares in the end. @param {Run} run */
function conclusionOf(run) {
  const lead = otherAt(run, run.T) - (run.errors.hidden?.[run.T] ?? NaN);
  const by = fixed(Math.abs(lead));
  if (!Number.isFinite(lead) || by === fixed(0)) return "No difference";
  return `The learned start ends ${by} ${lead > 0 ? "closer" : "farther off"}`;
}

/** The errors along the steps, with the step on the screen. @param {Run} run */
function curve(run, t) {
  const { width, height, left, right } = CURVE;
  const model = { of: run, name: "model", fill: "var(--mfp-accent)" };
  const lines = run.mf ? [{ of: run.mf, name: "factorization", fill: "var(--mfp-quiet)" }, model] : [model];
  const errors = lines.map(({ of }) => (of.errors.hidden ?? of.errors.given).map((value) => value ?? 0));
  const most = Math.max(...errors.flat());
  const x = scaleLinear([0, run.T || 1], [left, width - right]);
  const y = scaleLinear([0.85 * Math.min(...errors.flat()), most || 1], [height - 6, 6]);
  const ends = spread(errors.map((values) => y(values[run.T])), 13, 6, height - 6);
  return drawing(width, height, { class: "mfp-errorline" }, lines.map(({ name, fill }, k) => [
    h("path", { d: curvePath(errors[k], x, y), fill: "none", stroke: fill, "stroke-width": 2 }),
    h("circle", { cx: x(t), cy: y(errors[k][t]), r: 3.5, fill }),
    textAt(width - right + 6, ends[k], 11.5, name, { fill }),
  ]));
}

/** The result in words, with what undoes edits. */
export const Finding = pure(({ run, t, live, edits }) => {
  const [strong, rest] = sentenceOf(run, t);
  return h("div.mfp-words",
    h("p.mfp-finding", h("b", strong), h("span", rest)),
    edits,
    h("p.mfp-reason", reasonOf(run, live, run.choices ?? null)));
});

/** The controls of the step and of what is given; `choose`: what is given is changed. */
export const Opening = pure(({ run, t, playing, factors, live, dispatch, choose }) => {
  const { choices } = run;
  const own = choices?.seed === "own";
  const liked = choices?.by === LIKED;
  const input = {
    type: "range",
    min: FEWEST,
    max: 100,
    step: 1,
    value: choices?.keep,
    "aria-label": "Share of the ratings that are given",
    oninput: ({ target }) => choose({ keep: target.valueAsNumber }),
  };
  return h("div.mfp-bar.mfp-opening", { role: "group", "aria-label": "Steps" },
    playButton(run, playing, dispatch),
    h("div.mfp-steps", h("div.mfp-chart", curve(run, t)), stepSlider(run, t, dispatch)),
    h("p.mfp-line", lineOf(run, t)),
    hasFactors(run) && button("mfp-button.mfp-factors", {
      title: "U and V: the factors of people and films",
      act: () => dispatch({ type: "factors", factors: !factors }),
      "aria-pressed": String(factors),
    }, "Factors U, V"),
    choices && h("div.mfp-given",
      h("label.mfp-share", "Given:", h("output", `${choices.keep} %`), h("input.mfp-slider", input)),
      !own && h("button.mfp-ways", {
        type: "button",
        role: "switch",
        title: WHY,
        "aria-label": `Ratings given: ${LIKED}`,
        "aria-checked": String(liked),
        onclick: () => choose({ by: liked ? RANDOM : LIKED }),
      }, h("span", { class: liked ? "" : "mfp-chosen" }, RANDOM), h("span", { class: liked ? "mfp-chosen" : "" }, LIKED)),
      !own && live?.tables.length > 1 && button("mfp-button", {
        title: "Another table (other people and films)",
        act: () => choose({ seed: "next" }),
      }, "Another table")),
    spokenSteps(run, t, playing));
});
