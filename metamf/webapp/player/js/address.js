/**
 * The address of the page names the step on the screen, as `t`, and the colours, as `colours`. It is replaced, never pushed: the history has one entry
 * for a visit to a state, and none for a step.
 *
 * Streamlit writes addresses of its own (on the way to another page, and when the server changes a control) and leaves
 * `t` out; it is put back. Browsers refuse more than 100 writes in 30 seconds (Safari), so they are spaced.
 */

const USUAL = "scale"; // colours that no address has to name
const SPACING = 350; // milliseconds between two writes: 86 in 30 s
const LOOK_EVERY = 500; // milliseconds, in browsers that do not report what others write

/** @returns {string|null} what the address says of the step */
export const linkedStep = () => new URLSearchParams(location.search).get("t");

/** @returns {string|null} what the address says of the colours of the estimates */
export const linkedColours = () => new URLSearchParams(location.search).get("colours");

/**
 * @param {{step: () => number, go: (t: number) => void, colours: () => string, colour: (colours: string) => void}} player
 * @returns {{follow: () => void, close: () => void}} `follow` is called when the step on the screen has changed
 */
export function createAddress(player) {
  let written = -Infinity;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let later;
  let refused = false;

  function put() {
    later = undefined;
    const wanted = String(player.step());
    const colours = player.colours() === USUAL ? null : player.colours();
    if (refused || (linkedStep() === wanted && linkedColours() === colours)) return;
    const address = new URL(location.href);
    address.searchParams.set("t", wanted);
    if (colours === null) address.searchParams.delete("colours");
    else address.searchParams.set("colours", colours);
    written = performance.now();
    try {
      history.replaceState(history.state, "", address);
    } catch {
      refused = true; // a saved page, or a frame that may not
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
    const linked = linkedStep();
    if (linked !== null && /^\d{1,6}$/.test(linked)) player.go(Number(linked));
    player.colour(linkedColours() ?? USUAL);
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
