/**
 * The history of the browser has one entry for each place that is visited: a page, a step of the lesson, a game. Whatever
 * else the address says replaces the entry that is there.
 *
 * Streamlit writes a new entry whenever the server changes the address, so that an edit or another model would be steps
 * of their own on the way back. And where a frame may not write its history, which a sandbox forbids, it would stop.
 */

const PLACES = ["lesson", "cells"]; // parameters of the address that name a place on a page
const KEPT = Symbol.for("metamf.visits");

/**
 * Whether a new address is another place.
 * @param {URL} here
 * @param {URL} next
 */
export const isAnotherPlace = (here, next) =>
  here.pathname !== next.pathname || PLACES.some((name) => here.searchParams.get(name) !== next.searchParams.get(name));

/**
 * Makes a window's history keep to that, once.
 * @param {{history: History, location: Location}} view
 */
export function keepVisits({ history, location }) {
  if (KEPT in history) return;
  const replace = history.replaceState.bind(history);
  const push = history.pushState.bind(history);
  Object.defineProperty(history, KEPT, { value: true });
  history.replaceState = (state, unused, url) => allowed(() => replace(state, unused, url));
  history.pushState = (state, unused, url) => {
    const next = new URL(url ?? "", location.href);
    allowed(() => (isAnotherPlace(new URL(location.href), next) ? push : replace)(state, unused, url));
  };
}

/** @param {() => void} write */
function allowed(write) {
  try {
    write();
  } catch {
    // a frame that may not: the page goes on without an address
  }
}
