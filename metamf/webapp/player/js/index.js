/** The parts of the bundle, each mounted as a component of Streamlit, and the page that a saved run is. */
import cornerStyle from "../corner.css";
import curveStyle from "../curve.css";
import inspectorStyle from "../inspector.css";
import mapsStyle from "../maps.css";
import playerStyle from "../player.css";
import trainingStyle from "../training.css";
import sheetStyle from "../sheet.css";
import { createCorner } from "./keys.js";
import { dom } from "./dom.js";
import { mountGlossary } from "./glossary.js";
import { createPlayer } from "./player.js";
import { createSheet } from "./sheet.js";
import { TrainingPicture } from "./training.js";

/**
 * A part of the bundle as Streamlit mounts it: called when the component appears, and again whenever its data change; what
 * it returns is called when it goes. Its style sheets are beside it in the shadow root.
 */
function part(create, ...sheets) {
  const mounted = new WeakMap();
  return ({ data, parentElement, setTriggerValue }) => {
    let there = mounted.get(parentElement);
    if (there?.scene !== data.scene) {
      there?.made.destroy(); // other pictures in the same place
      there = undefined;
    }
    if (!parentElement.querySelector("style")) parentElement.append(dom("style", { textContent: sheets.join("\n") }));
    there ??= { made: create(parentElement, data), scene: data.scene, calls: 0 };
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

/** HTML that the server made; Streamlit's own would lose its SVG. */
function written(parent) {
  const box = parent.appendChild(dom("div"));
  return { update: ({ html }) => box.replaceChildren(document.createRange().createContextualFragment(html)), destroy: () => box.remove() };
}

const parts = {
  player: part(createPlayer, playerStyle, inspectorStyle, mapsStyle),
  training: part((parent, data) => new TrainingPicture(parent, data), playerStyle, mapsStyle, trainingStyle),
  curve: part(written, curveStyle),
  corner: part(createCorner, playerStyle, cornerStyle),
  sheet: part(createSheet, sheetStyle),
};

/** Streamlit mounts the bundle as the glossary, once on a page; what waits for other parts under `key` gets them. */
export default function mountBundle({ data: { key, meanings } }) {
  const page = /** @type {Record<string, any>} */ (globalThis);
  const waiting = page[key] ?? [];
  page[key] = { push: (call) => call(parts) };
  if (Array.isArray(waiting)) for (const call of waiting) call(parts);
  return mountGlossary(meanings);
}

/** For tests, which draw without Streamlit. */
export { cellOn } from "./layout.js";
export { decodeRun } from "./run.js";
export { Scene } from "./scene.js";
export { openingState, reduce } from "./state.js";
export { parts };

const saved = document.getElementById("metamf-saved"); // the run of a saved page
const place = document.getElementById("player");
if (saved && place) parts.player({ data: JSON.parse(saved.textContent ?? ""), parentElement: place, setTriggerValue() {} });
