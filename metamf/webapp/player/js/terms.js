/**
 * Words of the field in the player: each explains itself where the player writes it first, as words of the pages do.
 *
 * The box with the explanation is the page's (metamf/webapp/glossary.js). A shadow root keeps to itself that the pointer
 * or the focus goes from one of its elements to another, so that is told to the page by an event of its own.
 */
import { dom, write } from "./dom.js";

export const WORD = "metamf-word";
const TOLD = ["pointerover", "focusin", "focusout"];
/** @type {Record<string, RegExp>} the forms of each term in the player's texts */
const FORMS = {
  "frobenius-norm": /\bFrobenius norms?\b/,
  residual: /\bResidual\b/,
  prior: /\bprior\b/,
  factor: /\bfactors?\b/,
};

/** @typedef {{write: (element: HTMLElement, text: string) => void}} Terms */

/** @type {Terms} without explanations, as in a saved page */
export const NO_TERMS = { write };

/**
 * @param {HTMLElement} root  the player
 * @param {Record<string, string>} meanings  by the keys of metamf/webapp/glossary.py
 * @returns {Terms}
 */
export function createTerms(root, meanings) {
  const lines = Object.entries(meanings).map(([key, meaning]) => dom("p", { id: `mf-meaning-${key}` }, meaning));
  if (!lines.length) return NO_TERMS;
  root.append(dom("div", { hidden: true }, ...lines)); // what the words are described by: ids of the page do not count here
  for (const type of TOLD) root.addEventListener(type, tell);
  /** @type {Map<string, HTMLElement>} */
  const places = new Map(); // where a term is explained: where it was written first

  /**
   * Writes a text; a term in it that is explained nowhere else explains itself, and keeps the focus in another text.
   * @param {HTMLElement} element
   * @param {string} text
   */
  function writeMarked(element, text) {
    if (element.textContent === text) return;
    const free = (/** @type {string} */ key) => key in meanings && (places.get(key) === element || !places.get(key)?.isConnected);
    const [key, found] = Object.entries(FORMS).map(([name, form]) => /** @type {const} */ ([name, free(name) ? form.exec(text) : null])).find(([, match]) => match) ?? ["", null];
    for (const [name, place] of places) if (place === element && name !== key) places.delete(name);
    if (!found) {
      element.textContent = text;
      return;
    }
    places.set(key, element);
    const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
    const word = /** @type {HTMLElement|null} */ (element.querySelector(".mf-term"));
    if (word?.dataset.term === key && word.textContent === found[0]) {
      /** @type {Text} */ (word.previousSibling).data = before;
      /** @type {Text} */ (word.nextSibling).data = after;
    } else element.replaceChildren(document.createTextNode(before), wordOf(key, found[0]), document.createTextNode(after));
  }

  return { write: writeMarked };
}

/** @param {string} key @param {string} text */
function wordOf(key, text) {
  const word = dom("span", { className: "mf-term", role: "button", tabIndex: 0, "aria-describedby": `mf-meaning-${key}` }, text);
  word.dataset.term = key;
  return word;
}

/** @param {Event} event */
function tell(event) {
  if (/** @type {Partial<PointerEvent>} */ (event).pointerType === "touch") return;
  const word = event.target instanceof Element ? event.target.closest(".mf-term") : null;
  document.dispatchEvent(new CustomEvent(WORD, { detail: { type: event.type, word } }));
}
