/** Explanations of the words that metamf/webapp/glossary.py and the player mark: on hover, on focus and on touch. */
import { dom, write } from "./dom.js";

const GAP = 6; // pixels between word and box
const GRACE = 250; // milliseconds in which the pointer gets from the word into the box
let follow; // hears of pointer and focus

/** What the words are described by. */
const meaningsOf = (meanings, className = "") => dom("div", { className, hidden: true },
  ...Object.entries(meanings).map(([key, meaning]) => dom("p", { id: `mf-meaning-${key}` }, meaning)));

/** Explains the words of a page. @param {Record<string, string>} data  the meaning of each term by its key */
export function mountGlossary(data) {
  document.querySelector(".mf-meanings")?.remove();
  document.querySelector(".mf-meaning")?.remove();
  const page = document.querySelector(".stApp") ?? document.body;
  const meanings = meaningsOf(data, "mf-meanings");
  const box = dom("div", { className: "mf-meaning", role: "tooltip", "aria-hidden": "true", hidden: true });
  page.append(meanings, box);

  let word; // whose box is open
  let timer = 0;

  function close() {
    clearTimeout(timer);
    word?.removeAttribute("data-open");
    word = undefined;
    box.hidden = true;
  }

  function open(next) {
    clearTimeout(timer);
    if (next === word) return;
    close();
    word = next;
    word.setAttribute("data-open", "");
    box.replaceChildren(dom("b", {}, word.textContent ?? ""), data[word.dataset.term ?? ""] ?? "");
    box.hidden = false;
    place(word.getBoundingClientRect());
  }

  function place({ top, bottom, left }) {
    const { width, height } = box.getBoundingClientRect();
    const below = bottom + GAP + height <= innerHeight || top < height + GAP;
    box.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    box.style.top = `${below ? bottom + GAP : top - GAP - height}px`;
  }

  const termOf = (event) => event.composedPath().find((part) => part instanceof HTMLElement && part.matches(".mf-term"));
  const within = (event) => event.target instanceof Node && box.contains(event.target);

  function followed(event) {
    const next = termOf(event);
    if (event.type === "focusin") next ? open(next) : close();
    else if (event.type === "focusout") next && !within(event) && close();
    else if (event.pointerType === "touch") return;
    else if (next) open(next);
    else if (within(event)) clearTimeout(timer);
    else if (word && !word.matches(":focus")) {
      clearTimeout(timer);
      timer = window.setTimeout(close, GRACE);
    }
  }

  const listening = new AbortController();
  const on = (name, act) => document.addEventListener(name, act, { signal: listening.signal, capture: true });
  follow = followed;
  for (const type of ["pointerover", "focusin", "focusout"]) on(type, followed);
  on("click", (event) => {
    const next = termOf(event);
    if (next) open(next);
    else if (!within(event)) close();
  });
  on("keydown", (event) => {
    if (event.key !== "Escape" || !word) return;
    event.stopPropagation(); // it closes this box and nothing else
    close();
  });
  on("scroll", () => { // the focus scrolls, too: to a word that it brings into sight
    const at = word?.matches(":focus") ? word.getBoundingClientRect() : null;
    if (at && at.bottom > 0 && at.top < innerHeight) place(at);
    else close();
  });
  return () => {
    listening.abort();
    if (follow === followed) follow = undefined;
    meanings.remove();
    box.remove();
  };
}

/** The forms of each term in the player's texts. */
const FORMS = {
  "frobenius-norm": /\bFrobenius norms?\b/,
  residual: /\bResidual\b/,
  prior: /\bprior\b/,
  factor: /\bfactors?\b/,
};

/**
 * What writes the texts of a player: words of the field explain themselves where it writes them first, but not in a saved
 * page, which has no meanings.
 * @returns {Write}
 */
export function createExplainer(root, meanings) {
  if (!Object.keys(meanings).length) return write;
  root.append(meaningsOf(meanings)); // in a shadow root no ids of the page count, and the page hears of no events
  for (const type of ["pointerover", "focusin", "focusout"]) root.addEventListener(type, (event) => follow?.(event));
  const places = new Map(); // where a term is explained: where it was written first

  /** Writes a text; a term in it that is explained nowhere else explains itself, and keeps the focus in another text. */
  return (element, text) => {
    if (element.textContent === text) return;
    const isFree = (key) => places.get(key) === element || !places.get(key)?.isConnected;
    const key = Object.keys(FORMS).find((name) => isFree(name) && FORMS[name].test(text));
    for (const [name, place] of places) if (place === element && name !== key) places.delete(name);
    const found = key && FORMS[key].exec(text);
    if (!found) {
      element.textContent = text;
      return;
    }
    places.set(key, element);
    const [said] = found;
    const word = element.querySelector(".mf-term");
    if (word?.getAttribute("data-term") !== key || word.textContent !== said) {
      const about = { "data-term": key, "aria-describedby": `mf-meaning-${key}` };
      element.replaceChildren("", dom("span", { className: "mf-term", role: "button", tabIndex: 0, ...about }, said), "");
    }
    const before = element.firstChild;
    const after = element.lastChild;
    if (before) before.nodeValue = text.slice(0, found.index);
    if (after) after.nodeValue = text.slice(found.index + said.length);
  };
}
