/**
 * What Streamlit mounts of a component whose script and style travel in a message of their own (once.py): it waits for
 * them, once, and from then on hands every call on. The data come in a list (component.py says why).
 *
 * @typedef {{parentElement: ParentNode & Node, data: [any]}} Given
 * @typedef {(given: any) => (() => void)} Mount
 * @typedef {{mount: Mount|null, style: string, waiting: Map<Node, () => void>}} Arrival
 */

/** @type {Record<string, Arrival>} */
const page = /** @type {any} */ (globalThis);
const arrival = (page["metamf script"] ??= { mount: null, style: "", waiting: new Map() });

/**
 * @param {Given} given  what Streamlit hands to a component
 * @returns {() => void}
 */
export default function mountOnceHere(given) {
  const { parentElement } = given;
  /** @type {(() => void)|undefined} */
  let leave;
  const begin = () => {
    const mount = /** @type {Mount} */ (arrival.mount);
    if (!parentElement.querySelector("style.metamf")) {
      const style = document.createElement("style");
      style.className = "metamf";
      style.textContent = arrival.style;
      parentElement.append(style);
    }
    leave = mount({ ...given, data: given.data[0] });
    const { host } = /** @type {{host?: Element}} */ (parentElement.getRootNode());
    host?.setAttribute("data-drawn", ""); // first_paint.css keeps a place until then
  };
  if (arrival.mount) begin();
  else arrival.waiting.set(parentElement, begin); // instead of an earlier call with older data
  return () => {
    if (arrival.waiting.get(parentElement) === begin) arrival.waiting.delete(parentElement);
    leave?.();
  };
}
