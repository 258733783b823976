/** The parts of the bundle, each mounted as a component of Streamlit, and the page that a saved run is. */
import cornerStyle from "../corner.css";
import curveStyle from "../curve.css";
import inspectorStyle from "../inspector.css";
import mapsStyle from "../maps.css";
import playerStyle from "../player.css";
import sheetStyle from "../sheet.css";
import { createCorner } from "./keys.js";
import { choice, dom, parsed } from "./dom.js";
import { mountGlossary } from "./glossary.js";
import { createPlayer } from "./player.js";
import { createGrid } from "./grid.js";

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
  return { update: ({ html }) => box.replaceChildren(parsed(html)), destroy: () => box.remove() };
}

const parts = {
  player: part(createPlayer, playerStyle, inspectorStyle, mapsStyle),
  curve: part(written, curveStyle),
  corner: part(createCorner, playerStyle, cornerStyle),
  sheet: part(createGrid, sheetStyle),
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

/** A saved page: one run, or several `runs` with a name each to choose from. */
function openSaved({ runs, ...data }, place) {
  const show = (run) => parts.player({ data: { ...data, run }, parentElement: place, setTriggerValue() {} });
  if (!runs) return show(data.run);
  const look = { className: "metamf-runs", legend: data.choose, name: "metamf-run" };
  const choices = choice(look, runs.map(({ name }) => [name, name]), (wanted) => show(runs.find(({ name }) => name === wanted).run));
  choices.check(runs[0].name);
  place.before(choices.root);
  return show(runs[0].run);
}

const saved = document.getElementById("metamf-saved");
const place = document.getElementById("player");
if (saved && place) openSaved(JSON.parse(saved.textContent ?? ""), place);
