/**
 * Explanations of the words that metamf/webapp/glossary.py and the player mark: on hover, on focus and on touch; Escape
 * closes.
 */
import { dom } from "./dom.js";

const GAP = 6; // pixels between word and box
const GRACE = 250; // milliseconds in which the pointer gets from the word into the box
/** @type {((event: any) => void)|null} */
let follow = null; // pointer and focus

/**
 * Explains words inside a shadow root, too, which keeps to itself that pointer or focus moves within it.
 * @param {HTMLElement} root
 */
export function explainIn(root) {
  for (const type of ["pointerover", "focusin", "focusout"]) root.addEventListener(type, (event) => follow?.(event));
}

/** @param {{data: Record<string, string>}} mounted  the meaning of each term by its key */
export default function mountGlossary({ data }) {
  document.querySelector(".mf-meanings")?.remove();
  document.querySelector(".mf-meaning")?.remove();
  const page = document.querySelector(".stApp") ?? document.body;
  const lines = Object.entries(data).map(([key, meaning]) => dom("p", { id: `mf-meaning-${key}` }, meaning));
  const meanings = dom("div", { className: "mf-meanings", hidden: true }, ...lines); // what the words are described by
  const box = dom("div", { className: "mf-meaning", role: "tooltip", "aria-hidden": "true", hidden: true });
  page.append(meanings, box);

  /** @type {HTMLElement|null} */
  let word = null;
  let timer = 0;

  function close() {
    clearTimeout(timer);
    word?.removeAttribute("data-open");
    word = null;
    box.hidden = true;
  }

  /** @param {HTMLElement} next */
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
    if (follow === followed) follow = null;
    meanings.remove();
    box.remove();
  };
}
