/** Reads what a page needs, a run of the server and choices, and writes the runs that the page computes. */
import { readFileSync } from "node:fs";

import { decodeLive, liveRuns } from "../../../metamf/webapp/player/js/live.js";
import { decodeRun, estimate } from "../../../metamf/webapp/player/js/run.js";

const { live, base, choices } = JSON.parse(readFileSync(0, "utf8"));
const sent = decodeLive(live);
const run = decodeRun(base);
process.stdout.write(JSON.stringify(choices.map((chosen) => {
  const table = sent.tables.find(({ seed }) => seed === chosen.seed);
  const found = liveRuns(run, sent, table, chosen);
  const numbers = (values) => Array.from(values ?? [], (value) => (Number.isNaN(value) ? null : value));
  return {
    X: numbers(found.X),
    truth: numbers(found.truth),
    errors: found.errors,
    mf: found.mf.errors,
    estimates: numbers(estimate(found, found.T)),
    pinned: found.pinned && found.pinned.errors,
  };
})));
