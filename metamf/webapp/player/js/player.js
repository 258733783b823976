/**
 * The player: toolbar, scene and inspector, drawn from one state, at most once per frame. A step is never sent to the
 * server; `tell` sends what only the server can answer.
 */
import { asked, createAddress, written } from "./address.js";
import { Equations } from "./equations.js";
import { createFollower } from "./follow.js";
import { h, render } from "./html.js";
import { editBar, Inspector } from "./inspector.js";
import { KeyList, listenToKeys } from "./keys.js";
import { whenSent } from "./live.js";
import { Finding, Opening } from "./opening.js";
import { Scene, SCENES } from "./scene.js";
import { openingState, pauseOf, reduce } from "./state.js";
import { Toolbar } from "./toolbar.js";

/** @type {State|null} */
let remembered = null; // the pages share the step, the colours and the chosen cell

/** What the state has to know of a run. @param {Run} run */
const sizes = ({ T, n, m, pinned }) => ({ T, n, m, edited: pinned !== null });

/** @param {HTMLElement} root @param {PlayerData} data */
export function createPlayer(root, data) {
  const parts = SCENES[data.scene];
  const { lecture, address: linked } = data.options;
  const alone = lecture === undefined; // and not in the app, which says whether lecture mode is on
  const address = linked === false ? null : createAddress(() => written(run, state));
  const follower = createFollower(data, followed);
  const scene = new Scene(data.scene, dispatch, () => shown && show());
  const asks = data.asks.length > 0 || Boolean(data.live);
  const endWaiting = whenSent(followed);
  const endKeys = parts.steps ? listenToKeys(root, () => state, dispatch) : null;
  let run = follower.run();
  let state = opening();
  let shown = /** @type {{run: Run, state: State}|null} */ (null);
  let frame = 0;
  let ticked = 0; // when the step on the screen was drawn, while it plays
  let stale = false; // whether something was chosen since the run was made
  /** @type {any} */
  let inspector = null;
  /** @type {Tell} */
  let tell = () => {};

  /** The first state: what the address says, what another page of this visit left, or the result. @returns {State} */
  function opening() {
    const fresh = openingState(sizes(run), { lecture });
    if (parts.before || data.options.start) return reduce(fresh, { type: "go", t: 0 });
    const kept = address && remembered;
    const start = kept
      ? reduce({ ...kept, playing: false, hover: null, pointer: null, lecture: lecture ?? kept.lecture }, { type: "run", ...sizes(run) })
      : fresh;
    return (address ? asked(run, address.say) : []).reduce(reduce, start);
  }

  /** @param {PlayerEvent} event */
  function dispatch(event) {
    if (parts.tells && event.type === "select") return event.cell && tell("choose", event.cell);
    const next = reduce(state, event);
    if (next === state) return;
    if (next.playing && !state.playing) ticked = performance.now();
    state = next;
    frame ||= requestAnimationFrame(draw);
  }

  function draw(time) {
    frame = 0;
    if (stale) renew();
    const pause = pauseOf(state);
    if (state.playing && shown?.state.t === state.t && time - ticked >= pause) {
      state = reduce(state, { type: "tick" }); // only after the step before was on the screen
      ticked = Math.max(ticked + pause, time - pause / 2);
    }
    if (shown?.run !== run || shown?.state !== state) show();
    if (state.playing) frame ||= requestAnimationFrame(draw);
  }

  /** Another run, which is drawn in the next frame: a slider that is dragged asks for many. */
  function followed() {
    stale = true;
    shown &&= { ...shown, state: { ...shown.state } }; // what is known of the edits may be other, too
    frame ||= requestAnimationFrame(draw);
  }

  /** The run of what is chosen now. */
  function renew() {
    stale = false;
    run = follower.run();
    state = reduce(state, { type: "run", ...sizes(run) });
  }

  function page() {
    const { t, playing, factors } = state;
    const live = follower.live();
    const busy = follower.waits();
    const edits = run.edits && parts.inspected && !parts.tells ? editBar(busy ? { ...run.edits, note: "" } : run.edits, follower.edit) : null;
    const bar = { run, t, playing, dispatch };
    return h("div.mfp", { class: `${alone ? "mfp-alone " : ""}${state.lecture ? "mfp-lecture" : ""}`, "data-t": t, "data-run": run.id },
      parts.compared && h(Finding, { run, t, live, edits }),
      parts.steps && (parts.compared ? h(Opening, { ...bar, factors, live, choose: follower.choose }) : h(Toolbar, bar)),
      parts.equations && h(Equations, { run, t }),
      h("div.mfp-body", { onkeydown: (event) => inspector?.onkeydown(event), onpointerdowncapture: (event) => inspector?.onpointerdowncapture(event) },
        h("div.mfp-scene", scene.view(run, state)),
        h("div.mfp-inspector",
          !parts.compared && edits,
          parts.inspected && !parts.tells && h(Inspector, {
            ...{ run, state, dispatch, busy, still: data.scene === "maps", edit: run.edits && follower.edit },
            ask: asks && ((cell) => tell("influence", cell)),
            held: (found) => (inspector = found),
          }))),
      alone && h(KeyList, { rows: [], lecture: () => dispatch({ type: "lecture", lecture: !state.lecture }) }));
  }

  function show() {
    shown = { run, state };
    if (address) remembered = state;
    try {
      render(page(), root);
      if (scene.measure()) render(page(), root);
    } catch (error) {
      console.error(error);
      const said = "The picture could not be drawn. Reload the page, or try another browser.";
      render(h("p.mfp-trouble", { role: "alert" }, said), root);
    }
    address?.follow();
  }

  return {
    /** @param {PlayerData} newer @param {Tell} teller */
    update(newer, teller) {
      tell = teller;
      follower.update(newer, teller);
      renew();
      if (newer.options.lecture !== undefined) state = reduce(state, { type: "lecture", lecture: newer.options.lecture });
      if (state.playing) frame ||= requestAnimationFrame(draw);
      if (shown?.run !== run || shown?.state !== state) show(); // in this frame: nothing of the old run next to the new one
    },
    bring: follower.bring,
    dispatch,
    state: () => state,
    scene,
    destroy() {
      endWaiting();
      follower.destroy();
      scene.destroy();
      address?.close();
      endKeys?.();
      shown = null;
      render(null, root); // what had the focus loses it, and says so
      cancelAnimationFrame(frame);
    },
  };
}
