/** The control of the step: first, back, play, forward, last, a slider, and the errors of the step. */
import { button, h, icon, pure, Voice } from "./html.js";
import { fixed } from "./numbers.js";
import { errorNames, roundName, spokenStep, startName, stepName } from "./words.js";

const ICONS = {
  first: "M6 5h2v14H6zM20 5v14l-10-7z",
  back: "M17 5v14L7 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  forward: "M7 5v14l10-7z",
  last: "M16 5h2v14h-2zM4 5v14l10-7z",
};
const SPOKEN_AFTER = 400; // milliseconds at rest until a step is said

/** Plays, or ends the play. @param {Run} run */
export function playButton({ T }, playing, dispatch) {
  const type = playing ? "pause" : "play";
  const props = { type: "button", title: "Space", disabled: T === 0, onclick: () => dispatch({ type }) };
  return h("button.mfp-button.mfp-play", props, h("span.mfp-icon", icon(ICONS[type])), h("span", playing ? "Pause" : "Play"));
}

/** The slider of the step. @param {Run} run */
export const stepSlider = (run, t, dispatch) => h("input.mfp-slider", {
  type: "range",
  min: 0,
  max: run.T,
  step: 1,
  value: t,
  disabled: run.T === 0,
  title: `${roundName(run)} ${t} of ${run.T}`,
  "aria-label": roundName(run),
  "aria-valuetext": stepName(run, t),
  oninput: ({ target }) => dispatch({ type: "go", t: target.valueAsNumber }),
});

/** Says each step to screen readers, but neither the one that the page opens with nor those that play. */
export const spokenSteps = (run, t, playing) => h(Voice, { text: playing ? "" : spokenStep(run, t), pause: SPOKEN_AFTER });

export const Toolbar = pure(({ run, t, playing, dispatch }) => {
  const { T, reports, errors: { given, hidden } } = run;
  const [ofGiven, ofHidden] = errorNames(run);
  const step = (type, title, on) => button("mfp-button", { title, off: !on, act: () => dispatch({ type }) }, icon(ICONS[type]));
  return h("div.mfp-bar", { role: "group", "aria-label": "Steps" },
    h("div.mfp-group",
      step("first", `To the ${startName(run)} (Home)`, t > 0),
      step("back", "Back (←)", t > 0),
      playButton(run, playing, dispatch),
      step("forward", "Forward (→)", t < T),
      step("last", "To the end (End)", t < T)),
    h("label.mfp-track",
      h("span.mfp-round", roundName(run)),
      stepSlider(run, t, dispatch),
      h("output.mfp-position", reports ? stepName(run, t) : `${t} of ${T}`)),
    h("div.mfp-errors", { title: "RMSE after this step, in the units of the ratings" },
      h("b.mfp-large", fixed((hidden ?? given)[t])),
      h("span.mfp-what",
        h("span.mfp-number", `error on ${hidden ? ofHidden : ofGiven}`),
        hidden && given[t] !== null && h("span.mfp-number", `on ${ofGiven} ${fixed(given[t])}`))),
    spokenSteps(run, t, playing));
});
