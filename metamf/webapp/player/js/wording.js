/** The sentences of the player: what a step is called, and the numbers that follow it. */

/** @typedef {import("./run.js").Run} Run */

/**
 * Two decimals; three significant digits where that says more or less: as `metamf.wording.rounded` writes numbers.
 * @param {number|null|undefined} value
 * @returns {string} a dash where there is no number
 */
export function rounded(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0 || (size >= 0.1 && size < 100)) return value.toFixed(2).replace("-", "−");
  const [digits, exponent] = value.toExponential(2).split("e");
  const short = digits.replace(/\.?0+$/, "");
  const power = Number(exponent);
  if (power >= 3 || power < -4) {
    return `${short}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`.replaceAll("-", "−");
  }
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

/** @param {Run} run @returns {string} "Step" or "Sweep" */
export const roundName = (run) => (run.round === "sweep" ? "Sweep" : "Step");

/** @param {Run} run @returns {string} what the factors before the first step are: a factorization alone has no prior */
export const startName = (run) => (run.model.kind === "mf" ? "start" : "prior");

/** @param {Run} run @param {number} t @returns {string} "prior", "step 3 of 10" */
export const stepName = (run, t) => (t === 0 ? `${startName(run)}, 0 of ${run.T}` : `${run.round} ${t} of ${run.T}`);

/**
 * What is said of a link that asks for a step that there is not.
 * @param {Run} run
 * @param {string|null} linked  the step, as the address has it
 * @returns {string} empty where there is nothing to say
 */
export function missedStep(run, linked) {
  if (linked === null || (/^\d{1,6}$/.test(linked) && Number(linked) <= run.T)) return "";
  const quoted = linked.length > 12 ? `${linked.slice(0, 12)}…` : linked;
  return `The link asks for ${run.round} “${quoted}”, and this run has 0 to ${run.T}: the last one is shown.`;
}

/**
 * The errors after a step, in the units of the ratings.
 * @param {Run} run
 * @param {number} t
 * @returns {{given: string, hidden: string|null}}
 */
export function errorsAt(run, t) {
  return { given: rounded(run.errors.given[t]), hidden: run.errors.hidden && rounded(run.errors.hidden[t]) };
}

/**
 * What a person who hears the page is told of a step.
 * @param {Run} run
 * @param {number} t
 * @returns {string}
 */
export function spokenStep(run, t) {
  const { given, hidden } = errorsAt(run, t);
  const start = t === 0 ? `${startName(run) === "start" ? "Start" : "Prior"}, before the first ${run.round}` : `${roundName(run)} ${t} of ${run.T}`;
  const checked = hidden === null ? "" : `typical error on hidden cells ${hidden}, `;
  return `${start}: ${checked}on given cells ${given}.`;
}
