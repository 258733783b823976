/**
 * The address of the page and the player's state: the step as `t`; the chosen cell as `cell`, row and column of the
 * matrix counted from 1; the factor that was chosen in it, counted from 1, and `side=column`; `colours` and `pace`
 * where they are not the usual ones; `difference=1`. A link is text from outside: what it asks for in vain is said.
 *
 * The address is replaced, never pushed: the history has no entry for a step. Streamlit writes addresses of its own
 * and leaves these names out; they are put back. Browsers refuse more than 100 writes in 30 seconds, so they are
 * spaced.
 */
import { COLOURINGS, differs, PACES, SIDES } from "./state.js";

const SPACING = 350; // milliseconds between two writes
const LONGEST = 12; // characters of a text from outside that are repeated

/** What each name says of a state, null where it needs no name, and the event that a text asks for, null for none. */
const PARAMETERS = {
  t: {
    write: (run, { t }) => (run.maps.length ? null : String(t)),
    read: (run, text) => (/^\d{1,6}$/.test(text) && Number(text) <= run.T ? { type: "go", t: Number(text) } : null),
    means: (run, text) => `${run.round} ${text} (this run has 0 to ${run.T})`,
  },
  cell: {
    write: (run, { cell }) => cell && `${run.top + cell[0] + 1},${run.left + cell[1] + 1}`,
    read(run, text) {
      const found = /^(\d{1,7}),(\d{1,7})$/.exec(text);
      const cell = found && [Number(found[1]) - 1 - run.top, Number(found[2]) - 1 - run.left];
      return cell && cell[0] >= 0 && cell[0] < run.n && cell[1] >= 0 && cell[1] < run.m ? { type: "select", cell } : null;
    },
  },
  factor: {
    write: (run, { factor }) => (factor === null ? null : String(Math.min(factor, run.K - 1) + 1)),
    read(run, text) {
      const factor = /^[1-9]\d{0,3}$/.test(text) ? Number(text) - 1 : run.K;
      return factor < run.K ? { type: "factor", factor } : null;
    },
  },
  side: {
    write: (_run, { side }) => (side === SIDES[1] ? "column" : null),
    read: (_run, text) => (["row", "column"].includes(text) ? { type: "side", side: text.slice(0, 3) } : null),
  },
  colours: {
    write: (_run, { colours }) => (colours === COLOURINGS[0] ? null : colours),
    read: (_run, text) => (COLOURINGS.includes(text) ? { type: "colours", colours: text } : null),
  },
  pace: {
    write: (_run, { pace }, usual) => (pace === usual ? null : pace),
    read: (_run, text) => (Object.hasOwn(PACES, text) ? { type: "pace", pace: text } : null),
  },
  difference: {
    write: (_run, state) => (differs(state) ? "1" : null),
    read: (run, text) => (text === "1" && run.pinned ? { type: "difference", on: true } : null),
  },
};

/** The text of each parameter. @param {Run} run @param {State} state @param {Pace} usual */
export const written = (run, state, usual) =>
  Object.fromEntries(Object.entries(PARAMETERS).map(([name, { write }]) => [name, write(run, state, usual)]));

/**
 * The events that lead to what an address asks for, and a sentence on what it asks for in vain; `say(name)`: the text of
 * a parameter, or null.
 * @param {Run} run
 */
export function asked(run, say) {
  const events = [];
  const missed = [];
  for (const [name, { read, means }] of Object.entries(PARAMETERS)) {
    const text = say(name);
    if (text === null) continue;
    const event = read(run, text);
    const quoted = `“${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}”`;
    if (event && (name !== "factor" || events.some(({ type }) => type === "select"))) events.push(event);
    else missed.push(means ? means(run, quoted) : `${name} ${quoted}`);
  }
  return { events, missed: missed.length ? `The link asks for ${missed.join(", ")}, which is not here.` : "" };
}

let refused = false; // a saved page, or a frame that may not write: the address has nothing to do with the screen

const inAddress = (name) => (refused ? null : new URLSearchParams(location.search).get(name));

/**
 * The names of one player in the address. They count on the page on which it began, so that a player that is about to
 * go writes nothing into the address of the next page. `wanted()` has the text of each name; `travelled` is called when
 * the visitor has gone back or forward.
 */
export function createAddress(own, wanted, travelled) {
  const { prefix, at, here } = own ?? { prefix: "" };
  const page = location.pathname;
  const counts = () => location.pathname === page && (at === undefined || inAddress(at) === here);
  let last = -Infinity;
  let later;

  function put() {
    later = undefined;
    const names = counts() ? Object.entries(wanted()) : [];
    if (refused || names.every(([name, text]) => inAddress(prefix + name) === text)) return;
    const address = new URL(location.href);
    for (const [name, text] of names) {
      if (text === null) address.searchParams.delete(prefix + name);
      else address.searchParams.set(prefix + name, text);
    }
    last = performance.now();
    try {
      history.replaceState(history.state, "", address);
      refused = location.href !== address.href; // the frame of the app keeps errors to itself
    } catch {
      refused = true;
    }
  }

  /** Writes the address; `soon`: not at once. */
  function follow(soon = false) {
    const wait = last + SPACING - performance.now();
    if (later === undefined && wait <= 0 && !soon) put();
    else later ??= setTimeout(put, Math.max(0, wait));
  }

  /** Somebody else has written an address; `popped` reads that of a way back. */
  const reported = (event) => event.navigationType !== "traverse" && follow(true);

  function popped() {
    clearTimeout(later);
    later = undefined;
    travelled();
    follow();
  }

  const navigation = /** @type {EventTarget|undefined} */ (/** @type {any} */ (window).navigation);
  navigation?.addEventListener("currententrychange", reported);
  window.addEventListener("popstate", popped);
  return {
    say: (name) => (counts() ? inAddress(prefix + name) : null),
    follow,
    close() {
      clearTimeout(later);
      navigation?.removeEventListener("currententrychange", reported);
      window.removeEventListener("popstate", popped);
    },
  };
}
