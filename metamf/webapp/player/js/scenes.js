/**
 * Which scenes there are, and what stands around the pictures of each.
 *
 * @typedef {"fill"|"watch"|"fit"|"alone"|"prior"|"given"|"episode"|"maps"|"map"|"pick"} SceneName  "fit": a factorization
 *   that has no prior; "alone": the same beside its error on the hidden cells; "maps": maps that follow no step; "map": one
 *   of them; "pick": one whose cells the page explains; "prior":
 *   the product before the first step; "given": what is given, and nothing of what is estimated; "episode": that and the
 *   ratings that are held back, an exercise of meta-training
 *
 * @typedef {Object} SceneParts
 * @property {boolean} steps  the control of the step and its keys
 * @property {boolean} before  it stands before the first step
 * @property {boolean} inspected  a cell can be chosen, to see how its number comes about
 * @property {boolean} coloured  the colours of the estimates can be chosen
 * @property {boolean} equations  Eqs. (6) and (7) stand above
 * @property {boolean} curves  the error per step stands beside
 * @property {boolean} tells  the page, and not the player, explains a cell that is chosen
 * @property {boolean} told  the text beside the pointer holds estimates and truth
 * @property {number} across  how many maps stand side by side on a wide screen
 */

const WHOLE = { steps: true, before: false, inspected: true, coloured: true, equations: false, curves: false, tells: false, told: true, across: 3 };
const STILL = { ...WHOLE, steps: false, inspected: false, coloured: false, across: 1 };

/** @type {Record<SceneName, SceneParts>} */
export const SCENES = {
  fill: WHOLE,
  watch: { ...WHOLE, equations: true, curves: true },
  fit: { ...WHOLE, coloured: false, curves: true, across: 2 },
  alone: { ...WHOLE, coloured: false, curves: true },
  prior: { ...STILL, before: true, inspected: true },
  given: { ...STILL, told: false },
  episode: { ...STILL, told: false },
  maps: { ...STILL, inspected: true, across: 3 },
  map: STILL,
  pick: { ...STILL, inspected: true, tells: true },
};
