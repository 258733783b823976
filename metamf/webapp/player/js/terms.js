/**
 * Words of the field in the player: each explains itself where the player writes it first, as words of the pages do.
 * The box with the explanation is the page's (glossary.js).
 */
import { dom, write } from "./dom.js";
import { explainIn } from "./glossary.js";

/** @type {Record<string, RegExp>} the forms of each term in the player's texts */
const FORMS = {
  "frobenius-norm": /\bFrobenius norms?\b/,
  residual: /\bResidual\b/,
  prior: /\bprior\b/,
  factor: /\bfactors?\b/,
};

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
  explainIn(root);
  /** @type {Map<string, Element>} */
  const places = new Map(); // where a term is explained: where it was written first

  /**
   * Writes a text; a term in it that is explained nowhere else explains itself, and keeps the focus in another text.
   */
  function writeMarked(element, text) {
    if (element.textContent === text) return;
    const isFree = (key) => key in meanings && (places.get(key) === element || !places.get(key)?.isConnected);
    const key = Object.keys(FORMS).find((name) => isFree(name) && FORMS[name].test(text));
    for (const [name, place] of places) if (place === element && name !== key) places.delete(name);
    const found = key && FORMS[key].exec(text);
    if (!found) {
      element.textContent = text;
      return;
    }
    places.set(key, element);
    const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
    let word = element.querySelector(".mf-term");
    if (word?.dataset.term !== key || word.textContent !== found[0]) {
      const described = { "aria-describedby": `mf-meaning-${key}` };
      word = dom("span", { className: "mf-term", role: "button", tabIndex: 0, ...described }, found[0]);
      word.dataset.term = key;
      element.replaceChildren("", word, "");
    }
    element.firstChild.data = before;
    element.lastChild.data = after;
  }

  return { write: writeMarked };
}
