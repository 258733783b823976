/** The parts of the bundle, each mounted as a component of Streamlit, and the page that a saved run is. */
import cornerStyle from "../corner.css";
import inspectorStyle from "../inspector.css";
import mapsStyle from "../maps.css";
import playerStyle from "../player.css";
import { createCorner } from "./keys.js";
import { keepLive } from "./live.js";
import { createOwn } from "./own.js";
import { createPlayer } from "./player.js";

/** A room for a part, below its style sheets. */
function roomIn(parent, sheets) {
  const style = document.createElement("style");
  const room = document.createElement("div");
  style.textContent = sheets.join("\n");
  parent.append(style, room);
  return room;
}

/**
 * A part of the bundle as Streamlit mounts it: called when the component appears, and again whenever its data change; what
 * it returns is called when it goes. Its style sheets are next to it in the shadow root.
 */
function part(create, ...sheets) {
  const mounted = new WeakMap();
  return ({ data, parentElement, setTriggerValue }) => {
    let there = mounted.get(parentElement);
    if (there?.scene !== data.scene) {
      there?.made.destroy(); // other pictures in the same place
      there = undefined;
    }
    const room = parentElement.querySelector("style + div") ?? roomIn(parentElement, sheets);
    there ??= { made: create(room, data), scene: data.scene, calls: 0 };
    mounted.set(parentElement, there);
    const call = (there.calls += 1);
    there.made.update(data, setTriggerValue);
    parentElement.getRootNode().host?.setAttribute("data-drawn", ""); // the page keeps room for it until then
    return () => {
      if (mounted.get(parentElement) !== there || call !== there.calls) return; // a later call has taken over
      there.made.destroy();
      mounted.delete(parentElement);
    };
  };
}

/** What the page needs to run the network by itself: nothing to see, and sent once. */
const live = () => ({ update: ({ json }) => keepLive(JSON.parse(json)), destroy() {} });

const parts = {
  live: part(live),
  player: part(createPlayer, playerStyle, inspectorStyle, mapsStyle),
  corner: part(createCorner, playerStyle, cornerStyle),
};

/** Streamlit mounts the bundle once on a page; what waits for other parts under `key` gets them. */
export default function mountBundle({ data: { key } }) {
  const page = /** @type {Record<string, any>} */ (globalThis);
  const waiting = page[key] ?? [];
  page[key] = { push: (call) => call(parts) };
  if (Array.isArray(waiting)) for (const call of waiting) call(parts);
}

/** For tests, which draw without Streamlit. */
export { createPlayer };

/**
 * A saved page: one run, with what the page needs to compute others, and a place for ratings of one's own.
 * @param {PlayerData & {weights?: any, own?: any}} saved
 */
function openSaved({ weights, own, ...data }, place) {
  if (weights) keepLive(weights);
  const player = createPlayer(roomIn(place, [playerStyle, inspectorStyle, mapsStyle]), data);
  player.update(data, () => {});
  if (own) createOwn(place, own, player.bring);
}

const saved = document.getElementById("metamf-saved");
const place = document.getElementById("player");
if (saved && place) openSaved(JSON.parse(saved.textContent ?? ""), place);
