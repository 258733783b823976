/** The control of the step: first, back, play, forward, last, a slider, the pace, and the numbers of the step. */
import { dom, icon, write } from "./dom.js";
import { PACES } from "./state.js";
import { errorsAt, roundName, spokenStep, startName, stepName } from "./wording.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").PlayerEvent} PlayerEvent
 */

const ICONS = {
  first: "M6 5h2v14H6zM20 5v14l-10-7z",
  back: "M17 5v14L7 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  forward: "M7 5v14l10-7z",
  last: "M16 5h2v14h-2zM4 5v14l10-7z",
};
const SPOKEN_AFTER = 400; // milliseconds at rest until a step is said

/**
 * @param {HTMLElement} root
 * @param {{dispatch: (event: PlayerEvent) => void, showKeys: () => void}} player
 * @returns {{update: (run: Run, state: State) => void, destroy: () => void}}
 */
export function createToolbar(root, { dispatch, showKeys }) {
  /** @param {"first"|"back"|"forward"|"last"} type @param {string} label @param {string} key */
  const button = (type, label, key) =>
    dom(
      "button",
      { type: "button", className: "mfp-button", title: `${label} (${key})`, "aria-label": label, onclick: () => dispatch({ type }) },
      icon(ICONS[type]),
    );
  const first = button("first", "To the prior", "Home");
  const back = button("back", "Back", "←");
  const forward = button("forward", "Forward", "→");
  const last = button("last", "To the end", "End");
  const playWord = dom("span");
  const playIcon = dom("span", { className: "mfp-icon" });
  const play = dom("button", { type: "button", className: "mfp-button mfp-play", title: "Space" }, playIcon, playWord);
  const slider = dom("input", { type: "range", min: "0", step: "1", className: "mfp-slider" });
  const name = dom("span", { className: "mfp-round" });
  const position = dom("output", { className: "mfp-position" });
  const hidden = dom("span", { className: "mfp-number" });
  const given = dom("span", { className: "mfp-number" });
  const live = dom("div", { className: "mfp-spoken", role: "status", "aria-live": "polite" });
  const paces = /** @type {(keyof typeof PACES)[]} */ (Object.keys(PACES)).map((pace) =>
    dom("input", { type: "radio", name: "mfp-pace", value: pace, onchange: () => dispatch({ type: "pace", pace }) }),
  );
  const help = dom(
    "button",
    { type: "button", className: "mfp-button mfp-help", title: "Keys (?)", "aria-label": "Keys", onclick: showKeys },
    "?",
  );
  root.append(
    dom("div", { className: "mfp-group" }, first, back, play, forward, last),
    dom("label", { className: "mfp-track" }, name, slider, position),
    dom(
      "fieldset",
      { className: "mfp-pace" },
      dom("legend", { className: "mfp-spoken" }, "Speed of play"),
      ...paces.map((pace) => dom("label", { title: `${PACES[/** @type {keyof typeof PACES} */ (pace.value)]} a second` }, pace, pace.value)),
    ),
    dom("div", { className: "mfp-errors", title: "Root mean squared errors (RMSE) after this step, in rating units" }, hidden, given),
    help,
    live,
  );
  slider.addEventListener("input", () => dispatch({ type: "go", t: slider.valueAsNumber }));
  play.addEventListener("click", () => dispatch({ type: play.dataset.does === "pause" ? "pause" : "play" }));

  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let speaking;
  let spoken = "";

  /** @param {Run} run @param {State} state */
  function speak(run, state) {
    clearTimeout(speaking);
    if (state.playing) return;
    const said = `${run.id} ${spokenStep(run, state.t)}`;
    if (spoken === "") spoken = said; // what the page opens with is on the page, and is not said unasked
    if (said === spoken) return;
    speaking = setTimeout(() => {
      spoken = said;
      write(live, spokenStep(run, state.t));
    }, SPOKEN_AFTER);
  }

  return {
    update(run, state) {
      const does = state.playing ? "pause" : "play";
      if (play.dataset.does !== does) {
        play.dataset.does = does;
        playIcon.replaceChildren(icon(ICONS[does]));
        write(playWord, state.playing ? "Pause" : "Play");
      }
      play.disabled = state.T === 0;
      for (const at0 of [first, back]) at0.setAttribute("aria-disabled", String(state.t === 0)); // they keep the focus
      for (const atT of [forward, last]) atT.setAttribute("aria-disabled", String(state.t === state.T));
      write(name, roundName(run));
      first.setAttribute("aria-label", `To the ${startName(run)}`);
      first.title = `To the ${startName(run)} (Home)`;
      slider.max = String(state.T);
      slider.value = String(state.t);
      slider.disabled = state.T === 0;
      slider.setAttribute("aria-valuetext", stepName(run, state.t));
      slider.style.setProperty("--mfp-share", state.T ? `${(100 * state.t) / state.T}%` : "0%");
      write(position, `${state.t} of ${state.T}`);
      const errors = errorsAt(run, state.t);
      write(hidden, errors.hidden === null ? "" : `error on hidden cells ${errors.hidden}`);
      write(given, errors.hidden === null ? `error on given ${errors.given}` : `on given ${errors.given}`);
      for (const pace of paces) pace.checked = pace.value === state.pace;
      speak(run, state);
    },
    destroy: () => clearTimeout(speaking),
  };
}
