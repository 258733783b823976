/** Reads a payload and writes the largest difference, over all rows, columns and steps, of what the inspector shows:
 * of u(t) - step (data + prior) to u(t + 1), of the bars of a cell to its estimate, of the ratings' terms to their sum. */
import { readFileSync } from "node:fs";

import * as formula from "../../../metamf/webapp/player/js/run.js";
import { decodeRun, estimate, factorsAt } from "../../../metamf/webapp/player/js/run.js";

const run = decodeRun(JSON.parse(readFileSync(0, "utf8")));
const off = { step: 0, bars: 0, ratings: 0, moved: 0 };
const worse = (name, difference) => (off[name] = Math.max(off[name], Number.isNaN(difference) ? Infinity : difference));

for (let t = 0; t < run.T; t++) {
  for (const [side, count] of [["row", run.n], ["col", run.m]]) {
    for (let at = 0; at < count; at++) {
      const pulls = formula.pullsOn(run, t, side, at);
      if (pulls === null) continue;
      factorsAt(run, t + 1, side, at).forEach((value, k) => {
        worse("step", Math.abs(value - pulls.next[k]));
        worse("moved", Math.abs(value - pulls.now[k]));
      });
      const terms = formula.ratingTerms(run, t, side, at, 0);
      if (formula.isWhole(run, side)) worse("ratings", Math.abs(terms.reduce((sum, { term }) => sum + term, 0) - pulls.data[0]));
    }
  }
  const shown = estimate(run, t);
  for (let i = 0; i < run.n; i++) {
    for (let j = 0; j < run.m; j++) {
      const { bars } = formula.sumOf(run, t, i, j);
      const value = run.mean + run.std * bars.reduce((sum, { term }) => sum + term, 0);
      worse("bars", Math.abs(Math.min(run.high, Math.max(run.low, value)) - shown[i * run.m + j]));
    }
  }
}
process.stdout.write(JSON.stringify(off));
