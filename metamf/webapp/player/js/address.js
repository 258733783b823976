/**
 * The step and the chosen cell in the address of the page: `t`, and `cell` as row and column of the matrix from 1.
 * The address is replaced, never pushed. Browsers refuse more than 100 writes in 30 seconds, so writes are spaced.
 */
const SPACING = 350; // milliseconds between two writes

/** The text of each name; null where it has none. @param {Run} run @param {State} state */
export const written = (run, { t, cell }) => ({
  t: run.maps.length ? null : String(t),
  cell: cell && `${run.top + cell[0] + 1},${run.left + cell[1] + 1}`,
});

/** The events that an address asks for; `say(name)`: the text of a name, or null. @param {Run} run */
export function asked(run, say) {
  const events = [];
  const t = say("t");
  if (t !== null && /^\d{1,6}$/.test(t) && Number(t) <= run.T) events.push({ type: "go", t: Number(t) });
  const place = /^(\d{1,7}),(\d{1,7})$/.exec(say("cell") ?? "");
  const cell = place && [Number(place[1]) - 1 - run.top, Number(place[2]) - 1 - run.left];
  const inside = cell && cell[0] >= 0 && cell[0] < run.n && cell[1] >= 0 && cell[1] < run.m;
  if (inside) events.push({ type: "select", cell });
  return events;
}

let refused = false; // a saved page, or a frame that may not write: the address has nothing to do with the screen

const inAddress = (name) => (refused ? null : new URLSearchParams(location.search).get(name));

/**
 * The names of the player in the address. They count on the page on which it began, so that a player that is about to go
 * writes nothing into the address of the next page. `wanted()` has the text of each name.
 */
export function createAddress(wanted) {
  const page = location.pathname;
  const counts = () => location.pathname === page;
  let last = -Infinity;
  let later;

  function put() {
    later = undefined;
    const names = counts() ? Object.entries(wanted()) : [];
    if (refused || names.every(([name, text]) => inAddress(name) === text)) return;
    const address = new URL(location.href);
    for (const [name, text] of names) {
      if (text === null) address.searchParams.delete(name);
      else address.searchParams.set(name, text);
    }
    last = performance.now();
    try {
      history.replaceState(history.state, "", address);
      refused = location.href !== address.href; // the frame of the app keeps errors to itself
    } catch {
      refused = true;
    }
  }

  return {
    say: (name) => (counts() ? inAddress(name) : null),
    follow() {
      later ??= setTimeout(put, Math.max(0, last + SPACING - performance.now()));
    },
    close: () => clearTimeout(later),
  };
}
