/**
 * Edits on their way to the server, one at a time: a second one waits until the first has been answered, so none is lost
 * and all arrive in the order in which they were made. Each has a number; the server says the last one that it has seen.
 *
 * @typedef {{op: "set"|"hide"|"restore"|"undo"|"redo"|"reset", row?: number, col?: number, value?: string|number}} Action
 * @typedef {Action & {id: number}} Numbered
 * @typedef {{push: (action: Action) => void, heard: (seen: number) => void, giveUp: () => number, waiting: () => number}} Queue
 */

/**
 * @param {(action: Numbered) => void} send
 * @returns {Queue} `heard` is told what the server has seen, in every answer; `giveUp` forgets all that was not answered
 *   and says how many that were
 */
export function createQueue(send) {
  let next = 1;
  /** @type {Numbered|null} */
  let sent = null;
  /** @type {Action[]} */
  let later = [];

  function go() {
    const action = sent === null ? later.shift() : undefined;
    if (action === undefined) return;
    sent = { ...action, id: next++ };
    send(sent);
  }

  return {
    push(action) {
      later.push(action);
      go();
    },
    heard(seen) {
      if (sent !== null && seen >= sent.id) sent = null;
      if (sent === null) next = Math.max(next, seen + 1);
      go();
    },
    giveUp() {
      const lost = later.length + (sent === null ? 0 : 1);
      sent = null;
      later = [];
      return lost;
    },
    waiting: () => later.length + (sent === null ? 0 : 1),
  };
}

/**
 * The ratings of a scale, if they are few enough to have a button each.
 * @param {[number, number, number|null]|null} scale  lowest, highest, step
 * @returns {number[]}
 */
export function fewRatings(scale) {
  if (scale === null || scale[2] === null) return [];
  const [low, high, step] = scale;
  const count = Math.round((high - low) / step) + 1;
  return count > 11 ? [] : Array.from({ length: count }, (_, k) => Number((low + k * step).toPrecision(12)));
}
