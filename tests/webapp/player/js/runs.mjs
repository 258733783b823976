/** Small runs for the tests of the player: a payload as the server sends it, with factors that are easy to follow. */
import { decodeRun } from "../../../../metamf/webapp/player/js/run.js";

/** @param {number[]} values */
export const encoded = (values) => Buffer.from(new Float32Array(values).buffer).toString("base64");

/** The payload of 3 rows, 2 columns, 2 factors and 2 steps; `changes` replaces some of it. */
export function payload(changes = {}) {
  const none = NaN;
  return {
    version: 2,
    id: "one",
    matrix: { name: "Made up" },
    model: { name: "ml-1m", title: "MovieLens 1M", kind: "paper", rule: "paper" },
    ...{ n: 3, m: 2, K: 2, T: 2, total_rows: 3, total_cols: 2 },
    rows: ["Ada", "Ben", "Cleo"],
    cols: ["Tea", "Juice"],
    ...{ mean: 3, std: 2, low: 1, high: 5, clip: true, eta: 0.1, lambda: 0.5 },
    X: encoded([5, none, none, 2, 1, none]),
    truth: encoded([none, 2, 4, none, none, none]),
    U: encoded([1, 0, 0, 1, 1, 1, 1, 0.5, 0, 1, 1, 1, 2, 0.5, 0, 1, 1, 1]),
    V: encoded([1, 0, 0, -1, 1, 0, 0, -1, 1, 0, 0, -1]),
    n_given: 3,
    n_hidden: 2,
    errors: { given: [1, 0.8, 0.6], hidden: [1.2, 1.1, 1.15] },
    limits: { factor: 2, residual: 2 },
    ...changes,
  };
}

export const smallRun = (changes = {}) => decodeRun(payload(changes));

/** About how wide a text is in a font of size 1: here no canvas measures. */
export function guessedWidth(text) {
  const widths = [[/[\p{Mn}\u200d]/u, 0], [/\p{Extended_Pictographic}/u, 1], [/[mwMW@%]/, 0.83], [/\p{Lu}/u, 0.62], [/[ilj.,:;'’|! ]/, 0.27], [/./u, 0.51]];
  return Array.from(text, (character) => widths.find(([pattern]) => pattern.test(character))[1]).reduce((sum, width) => sum + width, 0);
}
