/**
 * What is chosen in a player, and the run of it. Where the page has the weights and the table, it computes the run at
 * once, and tells the server a moment later; otherwise the server's run is drawn, as it was sent.
 */
import { givenCount, liveOf, liveRuns } from "./live.js";
import { decodeRun } from "./run.js";

/** @type {MadeEdits} */
export const NO_EDITS = { made: [], past: [], future: [] };

/**
 * The edits after an action; the same object if nothing changes.
 * @param {MadeEdits} edits
 * @param {Action} action
 * @param {(i: number, j: number) => number} given  what the data give in a cell, or NaN
 * @returns {MadeEdits}
 */
export function edited(edits, { op, row = 0, col = 0, value }, given) {
  const { made, past, future } = edits;
  if (op === "undo") return past.length ? { made: past[past.length - 1], past: past.slice(0, -1), future: [...future, made] } : edits;
  if (op === "redo") return future.length ? { made: future[future.length - 1], past: [...past, made], future: future.slice(0, -1) } : edits;
  const next = (newer) => (String(newer) === String(made) ? edits : { made: newer, past: [...past, made], future: [] });
  if (op === "reset") return next([]);
  const before = given(row, col);
  const number = op === "set" ? Number(String(value).replace(",", ".")) : null;
  if (Number.isNaN(number)) return edits;
  const others = made.filter(([i, j]) => i !== row || j !== col);
  if (op === "restore" || number === before || (number === null && Number.isNaN(before))) return next(others);
  const edit = /** @type {Edit} */ ([row, col, number]);
  return next(others.length < made.length ? made.map((old) => (others.includes(old) ? old : edit)) : [...made, edit]);
}

/**
 * Edits that the server has not answered, each with a number. Every one is sent with those before it, since a later
 * message takes the place of one that was not yet read; the server says the last number that it has seen.
 * @param {(actions: (Action & {id: number})[]) => void} send
 */
export function createQueue(send) {
  let next = 1;
  let unanswered = [];
  return {
    push(action) {
      unanswered.push({ ...action, id: next++ });
      send([...unanswered]);
    },
    answered(seen) {
      unanswered = unanswered.filter(({ id }) => id > seen);
      next = Math.max(next, seen + 1);
    },
    giveUp: () => (unanswered = []),
    waits: () => unanswered.length > 0,
  };
}

const QUIET = 350; // milliseconds without a change until the server is told
const PATIENCE = 15_000; // until an edit that the server makes counts as lost

/**
 * @param {PlayerData} data
 * @param {() => void} changed  is called when the run, or what is known of its edits, is another
 */
export function createFollower(data, changed) {
  let payload = data.run;
  let base = decodeRun(payload);
  let sent = data.live ?? null;
  /** @type {Omit<Choices, "made">|null} */
  let choices = sent && { ...sent.choices };
  /** @type {Map<number|string, MadeEdits>} */
  const edits = new Map(); // by night
  /** @type {LiveTable|null} */
  let own = null; // a table of one's own
  let changes = 0; // the number of the last change that was made here
  let later;
  let patience;
  /** @type {Tell} */
  let tell = () => {};
  let follows = false; // whether the server wants to know
  /** @type {{key: string, run: Run}|null} */
  let last = null;
  const queue = createQueue((actions) => tell("edit", actions));
  if (base.edits) queue.answered(base.edits.seen);
  if (sent && payload.edits) edits.set(sent.choices.seed, { ...NO_EDITS, made: payload.edits.made });

  const live = () => (sent ? liveOf(sent.id) : null);
  const table = () => (choices?.seed === "own" ? own : (live()?.tables.find(({ seed }) => seed === choices?.seed) ?? null));
  const editsNow = () => edits.get(choices?.seed ?? 0) ?? NO_EDITS;

  function compute() {
    const found = table();
    const network = live();
    if (!found || !network || !choices) return base;
    const { made, past, future } = editsNow();
    const key = JSON.stringify([choices, made, past.length, future.length, payload.influence?.cell]);
    if (last?.key === key) return last.run;
    const chosen = { ...choices, made };
    const run = { ...liveRuns(base, network, found, chosen), choices: chosen };
    run.edits = { made, count: made.length, can_undo: past.length > 0, can_redo: future.length > 0, scale: found.scale, seen: 0, note: "" };
    if (choices.seed === "own") run.matrix = { name: "Your ratings" };
    last = { key, run };
    return run;
  }

  function say() {
    changed();
    if (!follows || choices?.seed === "own") return;
    changes += 1;
    clearTimeout(later);
    later = setTimeout(() => tell("follow", { id: changes, ...choices, made: editsNow().made }), QUIET);
  }

  /** An edit that the server makes. */
  function send(action) {
    queue.push(action);
    clearTimeout(patience);
    patience = setTimeout(() => {
      queue.giveUp();
      base = { ...base, edits: base.edits && { ...base.edits, note: "The server did not answer. Try again." } };
      changed();
    }, PATIENCE);
    changed();
  }

  return {
    run: compute,
    live,
    waits: queue.waits,
    /** @param {Partial<Choices>} change */
    choose(change) {
      if (!choices) return;
      const seeds = (live()?.tables ?? []).map(({ seed }) => seed);
      const next = seeds[(seeds.indexOf(choices.seed) + 1) % seeds.length];
      choices = { ...choices, ...change, ...(change.seed === "next" ? { seed: next } : {}) };
      say();
    },
    /** Draws a table of one's own instead; null: the night again. @param {LiveTable|null} found */
    bring(found) {
      if (!choices || !sent) return;
      own = found;
      edits.delete("own");
      last = null;
      choices = found ? { ...choices, seed: "own", keep: 100, by: "at random" } : { ...sent.choices };
      changed();
    },
    /** @param {Action} action */
    edit(action) {
      const found = table();
      if (!found || !choices) return send(action);
      const { keep, by, seed } = choices;
      const order = found.orders[by];
      const known = new Set(order.slice(0, givenCount(keep, order.length, by)));
      const given = (i, j) => (known.has(i * found.m + j) ? found.values[i * found.m + j] : NaN);
      const newer = edited(editsNow(), action, given);
      if (newer === editsNow()) return;
      edits.set(seed, newer);
      say();
    },
    /** What the server sends. @param {PlayerData} newer */
    update(newer, teller) {
      tell = teller;
      follows = newer.asks.includes("follow");
      if (newer.run !== payload) {
        payload = newer.run;
        base = decodeRun(payload);
        last = null;
        if (base.edits) queue.answered(base.edits.seen);
        if (!queue.waits()) clearTimeout(patience);
      }
      sent = newer.live ?? null;
      if (!sent) choices = null;
      else if (!choices || sent.seen >= changes) { // it knows of everything that was chosen here
        choices = { ...sent.choices };
        const made = payload.edits?.made ?? [];
        if (JSON.stringify(made) !== JSON.stringify(editsNow().made)) edits.set(choices.seed, { ...NO_EDITS, made });
      }
      changes = Math.max(changes, sent?.seen ?? 0);
    },
    destroy() {
      clearTimeout(later);
      clearTimeout(patience);
    },
  };
}
