/**
 * The player: mounts toolbar, scene and inspector, and draws all of them from one state, at most once per frame.
 *
 * Streamlit calls the default export when the component appears, and again whenever its data change; a page that was
 * saved calls it once. A step is never sent to the server; `setTriggerValue` sends what only the server can answer.
 */
import { createAddress, namesOf } from "./address.js";
import { dom, write } from "./dom.js";
import { createEquations } from "./equations.js";
import { createInspector } from "./inspector.js";
import { createKeys } from "./keys.js";
import { asked, missed, written } from "./linked.js";
import { decodeRun } from "./payload.js";
import { createScene } from "./scene.js";
import { SCENES } from "./scenes.js";
import { COLOURINGS, openingState, PACES, reduce, SIDES } from "./state.js";
import { createTerms } from "./terms.js";
import { createToolbar } from "./toolbar.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./payload.js").Payload} Payload
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").PlayerEvent} PlayerEvent
 * @typedef {{run: Payload, scene: import("./scenes.js").SceneName, asks: string[], terms?: Record<string, string>, options: {address?: false|import("./address.js").OwnNames, lecture?: boolean}}} PlayerData
 * @typedef {{update: (data: PlayerData, tell: (name: string, value: any) => void) => void, destroy: () => void}} Player
 */

/** @type {WeakMap<Node, {player: Player, scene: string, calls: number}>} */
const mounted = new WeakMap();
/** @type {State|null} */
let remembered = null; // the pages share the step, the pace, the colours and the chosen cell

/**
 * @param {{data: PlayerData, parentElement: ParentNode & Node, setTriggerValue: (name: string, value: any) => void}} mount
 * @returns {() => void}
 */
export default function mountPlayer({ data, parentElement, setTriggerValue }) {
  let there = mounted.get(parentElement);
  if (!there || there.scene !== data.scene) {
    there?.player.destroy();
    there = { player: createPlayer(parentElement, data), scene: data.scene, calls: there?.calls ?? 0 };
    mounted.set(parentElement, there);
  }
  const call = (there.calls += 1);
  there.player.update(data, setTriggerValue);
  return () => {
    const now = mounted.get(parentElement);
    if (!now || call !== now.calls) return; // the data changed meanwhile: a later call has taken over
    now.player.destroy();
    mounted.delete(parentElement);
  };
}

/**
 * @param {ParentNode & Node} parent
 * @param {PlayerData} data
 * @returns {Player}
 */
function createPlayer(parent, data) {
  const bar = dom("div", { className: "mfp-bar", role: "group", "aria-label": "Steps" });
  const sceneRoot = dom("div", { className: "mfp-scene" });
  const inspectorRoot = dom("div", { className: "mfp-inspector" });
  const equationRoot = dom("div", { className: "mfp-formulas" });
  const note = dom("p", { className: "mfp-note" });
  const trouble = dom("p", { className: "mfp-trouble", role: "alert" });
  const body = dom("div", { className: "mfp-body" }, sceneRoot, inspectorRoot);
  const parts = SCENES[data.scene];
  const root = dom("div", { className: "mfp" }, ...(parts.steps ? [bar] : []), note, trouble, equationRoot, body);
  parent.append(root);
  const terms = createTerms(root, data.terms ?? {});

  const linked = data.options.address !== false;
  const own = data.options.address || null; // names of its own in the address, and a state that no other page shares
  const names = namesOf(own);
  const usual = matchMedia("(prefers-reduced-motion: reduce)").matches ? "slow" : "normal";
  let run = decodeRun(data.run);
  const notThere = linked ? missed(run, names.say) : "";
  let state = opening(run, data, usual, linked ? names.say : null);
  const first = state;
  let shown = /** @type {{run: Run, state: State}|null} */ (null);
  let payload = data.run;
  let frame = 0;
  let ticked = 0; // when the step on the screen was drawn, while it plays
  /** @type {(name: string, value: any) => void} */
  let tell = () => {};

  /** @param {PlayerEvent} event */
  function dispatch(event) {
    if (parts.tells && event.type === "select") {
      if (event.cell) tell("choose", event.cell);
      return;
    }
    const next = reduce(state, event);
    if (next === state) return;
    if (next.playing && !state.playing) ticked = performance.now();
    state = next;
    schedule();
  }

  function schedule() {
    if (!frame) frame = requestAnimationFrame(draw);
  }

  /** @param {number} time */
  function draw(time) {
    frame = 0;
    if (state.playing && shown && shown.state.t === state.t && time - ticked >= 1000 / PACES[state.pace]) {
      state = reduce(state, { type: "tick" }); // only after the step before was on the screen
      ticked = Math.max(ticked + 1000 / PACES[state.pace], time - 500 / PACES[state.pace]);
    }
    if (shown?.run !== run || shown?.state !== state) show();
    if (state.playing) schedule();
  }

  function show() {
    const pointed = shown !== null && shown.run === run && onlyPointed(shown.state, state);
    shown = { run, state };
    if (linked && !own) remembered = state;
    root.classList.toggle("mfp-lecture", state.lecture);
    root.dataset.t = String(state.t);
    root.dataset.run = run.id;
    try {
      if (!pointed) equations?.update(run, state); // from above to below: a word is explained where it stands first
      scene.update(run, state);
      inspector?.update(run, state);
      if (!pointed) toolbar?.update(run, state);
      write(note, state === first ? notThere : "");
      write(trouble, "");
    } catch (error) {
      console.error(error);
      write(trouble, "The picture could not be drawn. Reload the page; if that does not help, another browser may.");
    }
    address?.follow();
  }

  const alone = data.options.lecture === undefined; // and not in the app, which says whether lecture mode is on
  const keys = parts.steps ? createKeys(root, { state: () => state, dispatch, alone }) : null;
  if (keys) root.append(keys.sheet);
  const toolbar = keys && createToolbar(bar, { dispatch, showKeys: keys.show });
  const scene = createScene(sceneRoot, { scene: data.scene, dispatch, terms });
  const inspector = parts.inspected && !parts.tells
    ? createInspector(inspectorRoot, {
        dispatch,
        ask: data.asks.length ? (name, value) => tell(name, value) : null,
        terms,
      })
    : null;
  const equations = parts.equations ? createEquations(equationRoot, terms) : null;
  const address = linked
    ? createAddress({
        wanted: () => names.named(written(run, state, usual)),
        travelled: () => {
          for (const event of [...UNNAMED, /** @type {PlayerEvent} */ ({ type: "pace", pace: usual }), ...asked(run, names.say)]) dispatch(event);
        },
      })
    : null;

  return {
    update(newer, setTriggerValue) {
      tell = setTriggerValue;
      data = newer;
      if (newer.run !== payload) {
        payload = newer.run;
        run = decodeRun(payload);
        state = reduce(state, { type: "run", ...sizes(run) });
      }
      if (newer.options.lecture !== undefined) state = reduce(state, { type: "lecture", on: newer.options.lecture });
      if (shown?.run !== run || shown?.state !== state) show(); // in this frame: nothing of the old run beside the new one
    },
    destroy() {
      cancelAnimationFrame(frame);
      for (const part of [toolbar, scene, inspector]) part?.destroy();
      address?.close();
      keys?.close();
      root.remove();
    },
  };
}

/** @param {Run} run  what the state has to know of it */
const sizes = ({ T, n, m, pinned }) => ({ T, n, m, edited: pinned !== null });

/** @param {State} before @param {State} now @returns {boolean} whether nothing but the pointer has moved */
const onlyPointed = (before, now) => /** @type {(keyof State)[]} */ (Object.keys(now)).every((key) => POINTED.includes(key) || before[key] === now[key]);
/** @type {(keyof State)[]} what the pointer moves, and neither the step nor a map */
const POINTED = ["hover", "factor", "side"];
/** @type {PlayerEvent[]} what an address means that does not name cell, side and colours */
const UNNAMED = [{ type: "select", cell: null }, { type: "side", side: SIDES[0] }, { type: "colours", colours: COLOURINGS[0] }, { type: "difference", on: false }];

/**
 * The first state: what the address says, what another page of this visit left, or the result.
 * @param {Run} run
 * @param {PlayerData} data
 * @param {State["pace"]} pace  the usual one
 * @param {import("./linked.js").Say|null} say  the address; null where it says nothing of this player
 * @returns {State}
 */
function opening(run, data, pace, say) {
  const { lecture, address } = data.options;
  if (SCENES[data.scene].before) return reduce(openingState(sizes(run), null, { pace, lecture }), { type: "go", t: 0 });
  if (say === null || address || !remembered) return asOf(run, openingState(sizes(run), null, { pace, lecture }), say);
  const kept = { ...remembered, playing: false, hover: null, lecture: lecture ?? remembered.lecture };
  return asOf(run, reduce(kept, { type: "run", ...sizes(run) }), say);
}

/** @param {Run} run @param {State} state @param {import("./linked.js").Say|null} say @returns {State} with what the address asks for */
const asOf = (run, state, say) => (say === null ? state : asked(run, say).reduce(reduce, state));
