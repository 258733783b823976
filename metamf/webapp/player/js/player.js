/**
 * The player: mounts toolbar, scene and inspector, and draws all of them from one state, at most once per frame.
 * A step is never sent to the server; `tell` sends what only the server can answer.
 */
import { asked, createAddress, written } from "./address.js";
import { dom, write } from "./dom.js";
import { createEquations } from "./equations.js";
import { createInspector } from "./inspector.js";
import { createKeyList, listenToKeys } from "./keys.js";
import { decodeRun } from "./run.js";
import { Scene, SCENES } from "./scene.js";
import { openingState, pauseOf, reduce } from "./state.js";
import { createExplainer } from "./glossary.js";
import { createToolbar } from "./toolbar.js";

/** @type {State|null} */
let remembered = null; // the pages share the step, the pace, the colours and the chosen cell
let opened = false; // whether steps have played by themselves

const BUSY = 100; // milliseconds from one frame to the next, more than which a page shows nothing

const POINTED = ["hover", "factor", "side"]; // what the pointer moves, and neither the step nor a map

/** What the state has to know of a run. @param {Run} run */
const sizes = ({ T, n, m, pinned }) => ({ T, n, m, edited: pinned !== null });

/** @param {ParentNode} parent @param {PlayerData} data */
export function createPlayer(parent, data) {
  const parts = SCENES[data.scene];
  const { lecture, address: names, save: ordered, opening: plays } = data.options;
  const alone = lecture === undefined; // and not in the app, which says whether lecture mode is on
  const own = names || null; // names of its own in the address, and a state that no other page shares
  const bar = dom("div", { className: "mfp-bar", role: "group", "aria-label": "Steps" });
  const sceneRoot = dom("div", { className: "mfp-scene" });
  const inspectorRoot = dom("div", { className: "mfp-inspector" });
  const equationRoot = dom("div", { className: "mfp-formulas" });
  const trouble = dom("p", { className: "mfp-trouble", role: "alert" });
  const body = dom("div", { className: "mfp-body" }, sceneRoot, inspectorRoot);
  const root = dom("div", { className: `mfp${alone ? " mfp-alone" : ""}` });
  root.append(...(parts.steps ? [bar] : []), trouble, equationRoot, body);
  parent.append(root);
  const explain = createExplainer(root, data.terms ?? {});

  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const address = names === false ? null : createAddress(own, () => written(run, state));
  let payload = data.run;
  let run = decodeRun(payload);
  let state = opening();
  let shown = /** @type {{run: Run, state: State}|null} */ (null);
  let frame = 0;
  let ticked = 0; // when the step on the screen was drawn, while it plays
  let drawn = Infinity; // when the frame before was
  /** @type {Tell} */
  let tell = () => {};

  /** The first state: what the address says, what another page of this visit left, or the result. @returns {State} */
  function opening() {
    const link = address ? asked(run, address.say) : [];
    const kept = address && !own && remembered;
    const unseen = Boolean(plays) && !opened && !still && !kept && link.length === 0;
    opened ||= unseen;
    const fresh = openingState(sizes(run), { pace: still ? "slow" : "normal", lecture, plays: unseen });
    if (parts.before) return reduce(fresh, { type: "go", t: 0 });
    const start = kept
      ? reduce({ ...kept, playing: false, hover: null, lecture: lecture ?? kept.lecture }, { type: "run", ...sizes(run) })
      : fresh;
    return link.reduce(reduce, start);
  }

  /** @param {PlayerEvent} event */
  function dispatch(event) {
    if (parts.tells && event.type === "select") {
      if (event.cell) tell("choose", event.cell);
      return;
    }
    change(reduce(state, event));
  }

  function change(next) {
    if (next === state) return;
    if (next.playing && !state.playing) ticked = performance.now();
    state = next;
    frame ||= requestAnimationFrame(draw);
  }

  function draw(time) {
    frame = 0;
    const pause = pauseOf(state);
    // On opening, what nobody sees does not count: a page that is hidden until all parts of it are there, or busy.
    ticked ||= time;
    if (state.opening) {
      const hidden = getComputedStyle(root).visibility !== "visible";
      ticked = hidden ? time : ticked + Math.max(0, time - drawn - BUSY);
    }
    drawn = time;
    if (state.playing && shown?.state.t === state.t && time - ticked >= pause) {
      state = reduce(state, { type: "tick" }); // only after the step before was on the screen
      ticked = Math.max(ticked + pause, time - pause / 2);
    }
    if (shown?.run !== run || shown?.state !== state) show();
    if (state.playing) frame ||= requestAnimationFrame(draw);
  }

  function show() {
    const before = shown?.run === run ? shown.state : null;
    const pointed = before && Object.keys(state).every((key) => POINTED.includes(key) || before[key] === state[key]);
    shown = { run, state };
    if (address && !own) remembered = state;
    root.classList.toggle("mfp-lecture", state.lecture);
    root.dataset.t = String(state.t);
    root.dataset.run = run.id;
    try {
      if (!pointed) equations?.update(run, state); // from above to below: a word is explained where it is first
      scene.update(run, state);
      inspector?.update(run, state);
      if (!pointed) toolbar?.update(run, state);
      write(trouble, "");
    } catch (error) {
      console.error(error);
      write(trouble, "The picture could not be drawn. Reload the page, or try another browser.");
    }
    address?.follow();
  }

  const toolbar = parts.steps ? createToolbar(bar, dispatch) : null;
  const endKeys = parts.steps ? listenToKeys(root, () => state, dispatch) : null;
  const turn = () => dispatch({ type: "lecture", lecture: !state.lecture });
  const endKeyList = alone ? createKeyList(root, () => [], turn) : null;
  const scene = new Scene(sceneRoot, data.scene, dispatch, explain, ordered !== undefined);
  let saved = String(ordered); // the latest file that the page's menu has asked for
  const ask = data.asks.length ? (name, value) => tell(name, value) : null;
  const inspector = parts.inspected && !parts.tells ? createInspector(inspectorRoot, dispatch, ask, explain, data.scene === "maps") : null;
  const equations = parts.equations ? createEquations(equationRoot, explain) : null;

  return {
    /** @param {PlayerData} newer @param {Tell} setTriggerValue */
    update(newer, setTriggerValue) {
      tell = setTriggerValue;
      if (newer.run !== payload) {
        payload = newer.run;
        run = decodeRun(payload);
        state = reduce(state, { type: "run", ...sizes(run) });
      }
      if (newer.options.lecture !== undefined) state = reduce(state, { type: "lecture", lecture: newer.options.lecture });
      if (state.playing) frame ||= requestAnimationFrame(draw);
      if (shown?.run !== run || shown?.state !== state) show(); // in this frame: nothing of the old run next to the new one
      const order = newer.options.save;
      if (order && String(order) !== saved) scene.save(order[0]);
      saved = String(order);
    },
    destroy() {
      cancelAnimationFrame(frame);
      for (const part of [toolbar, scene, inspector]) part?.destroy();
      address?.close();
      endKeys?.();
      endKeyList?.();
      root.remove();
    },
  };
}
