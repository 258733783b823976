/**
 * The address of the page names what is on the screen: the step and what else `linked.js` says. It is replaced, never
 * pushed: the history has one entry for a visit to a state, and none for a step.
 *
 * Streamlit writes addresses of its own (on the way to another page, and when the server changes a control) and leaves
 * these names out; they are put back. Browsers refuse more than 100 writes in 30 seconds (Safari), so they are spaced.
 */

const SPACING = 350; // milliseconds between two writes: 86 in 30 s
const LOOK_EVERY = 500; // milliseconds, in browsers that do not report what others write

let refused = false; // a saved page, or a frame that may not write: what the address says has nothing to do with the screen

/** @param {string} name @returns {string|null} what the address says of it */
export const inAddress = (name) => (refused ? null : new URLSearchParams(location.search).get(name));

/**
 * @typedef {{prefix: string, at?: string, here?: string}} OwnNames  what the names of a player begin with; they count on
 *   the page on which it began and, where `at` names a parameter, while that says `here`
 */

/**
 * The names of one player in the address, apart from those of other players and places. They count where it is: so a
 * player that is about to go writes nothing into the address of the next place.
 * @param {OwnNames|null} own  null: the names as they are, on the page on which the player began
 * @returns {{say: (name: string) => string|null, named: (wanted: Record<string, string|null>) => Record<string, string|null>}}
 */
export function namesOf(own) {
  const { prefix, at, here } = own ?? { prefix: "" };
  const page = location.pathname;
  const counts = () => location.pathname === page && (at === undefined || inAddress(at) === here);
  return {
    say: (name) => (counts() ? inAddress(prefix + name) : null),
    named: (wanted) => (counts() ? Object.fromEntries(Object.entries(wanted).map(([name, text]) => [prefix + name, text])) : {}),
  };
}

/**
 * @param {{wanted: () => Record<string, string|null>, travelled: () => void}} player  `wanted`: the text of each name, null
 *   where the address needs none; `travelled`: follows an address to which the visitor has gone back or forward
 * @returns {{follow: () => void, close: () => void}} `follow` is called when what is on the screen has changed
 */
export function createAddress(player) {
  let written = -Infinity;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let later;

  function put() {
    later = undefined;
    const wanted = Object.entries(player.wanted());
    if (refused || wanted.every(([name, text]) => inAddress(name) === text)) return;
    const address = new URL(location.href);
    for (const [name, text] of wanted) {
      if (text === null) address.searchParams.delete(name);
      else address.searchParams.set(name, text);
    }
    written = performance.now();
    try {
      history.replaceState(history.state, "", address);
      refused = location.href !== address.href; // the frame of the app keeps errors to itself
    } catch {
      refused = true;
    }
  }

  function follow() {
    if (later !== undefined) return;
    const wait = written + SPACING - performance.now();
    if (wait <= 0) put();
    else later = setTimeout(put, wait);
  }

  /** @param {Event} event */
  function reported(event) {
    const way = /** @type {{navigationType?: string}} */ (event).navigationType;
    if (way === "traverse" || later !== undefined) return; // back and forward: `travelled` reads that address
    later = setTimeout(put, Math.max(0, written + SPACING - performance.now())); // when the one who writes is done
  }

  function travelled() {
    clearTimeout(later);
    later = undefined;
    player.travelled();
    follow();
  }

  const reports = /** @type {EventTarget|undefined} */ (/** @type {any} */ (window).navigation);
  const watch = reports ? undefined : setInterval(follow, LOOK_EVERY);
  reports?.addEventListener("currententrychange", reported);
  window.addEventListener("popstate", travelled);
  return {
    follow,
    close() {
      clearTimeout(later);
      clearInterval(watch);
      reports?.removeEventListener("currententrychange", reported);
      window.removeEventListener("popstate", travelled);
    },
  };
}
