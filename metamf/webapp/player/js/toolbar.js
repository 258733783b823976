/** The control of the step: first, back, play, forward, last, a slider, the pace, and the errors of the step. */
import { button, choice, dom, enable, speaker, write } from "./dom.js";
import { fixed } from "./numbers.js";
import { PACES } from "./state.js";
import { icon } from "./svg.js";
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

export function createToolbar(root, dispatch) {
  const leading = (type, title) => button("mfp-button", title, () => dispatch({ type }), icon(ICONS[type]));
  const first = leading("first", "To the prior (Home)");
  const back = leading("back", "Back (←)");
  const forward = leading("forward", "Forward (→)");
  const last = leading("last", "To the end (End)");
  const playIcon = dom("span", { className: "mfp-icon" });
  const playWord = dom("span");
  let does = ""; // what the button of the play does: play or pause
  const onplay = () => dispatch({ type: does });
  const play = dom("button", { type: "button", className: "mfp-button mfp-play", title: "Space", onclick: onplay }, playIcon, playWord);
  const oninput = () => dispatch({ type: "go", t: slider.valueAsNumber });
  const slider = dom("input", { type: "range", min: "0", step: "1", className: "mfp-slider", oninput });
  const name = dom("span", { className: "mfp-round" });
  const position = dom("output", { className: "mfp-position" });
  const large = dom("b", { className: "mfp-large" });
  const hidden = dom("span", { className: "mfp-number" });
  const given = dom("span", { className: "mfp-number" });
  const voice = speaker(SPOKEN_AFTER);
  let opening; // run and step that the page opens with, which are not said unasked
  const pace = choice({ className: "mfp-pace", legend: "Speed of play", name: "mfp-pace", hidden: true },
    Object.entries(PACES).map(([value, steps]) => [value, value, `${steps} a second`]),
    (value) => dispatch({ type: "pace", pace: value }));
  root.append(
    dom("div", { className: "mfp-group" }, first, back, play, forward, last),
    dom("label", { className: "mfp-track" }, name, slider, position),
    pace.root,
    dom("div", { className: "mfp-errors", title: "RMSE after this step, in the units of the ratings" },
      large, dom("span", { className: "mfp-what" }, hidden, given)),
    voice.live,
  );

  return {
    update(run, state) {
      const { t, T, playing } = state;
      const now = playing ? "pause" : "play";
      if (does !== now) playIcon.replaceChildren(icon(ICONS[now]));
      does = now;
      write(playWord, playing ? "Pause" : "Play");
      play.disabled = slider.disabled = T === 0;
      for (const at0 of [first, back]) enable(at0, t > 0);
      for (const atT of [forward, last]) enable(atT, t < T);
      write(name, roundName(run));
      first.setAttribute("aria-label", `To the ${startName(run)}`);
      first.title = `To the ${startName(run)} (Home)`;
      slider.max = String(T);
      slider.value = String(t);
      slider.setAttribute("aria-valuetext", stepName(run, t));
      write(position, run.reports ? stepName(run, t) : `${t} of ${T}`);
      const { given: onGiven, hidden: onHidden } = run.errors;
      const [ofGiven, ofHidden] = errorNames(run);
      write(large, fixed((onHidden ?? onGiven)[t]));
      write(hidden, `error on ${onHidden ? ofHidden : ofGiven}`);
      write(given, onHidden ? `on ${ofGiven} ${fixed(onGiven[t])}` : "");
      pace.check(state.pace);
      const step = `${run.id} ${t}`;
      opening ??= step;
      if (step !== opening) opening = "";
      if (playing || opening) voice.hush();
      else voice.say(spokenStep(run, t));
    },
    destroy: voice.hush,
  };
}
