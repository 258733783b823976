/** Ratings of one's own in a saved page: pasted from a spreadsheet or typed, read, and handed to the player. */
import { range } from "d3-array";

import { Component, h, render } from "./html.js";
import { ownTable } from "./live.js";

const MOST = [30, 20]; // rows and columns
const HOW =
  "Paste from a spreadsheet, or type: a line for each person, a column for each thing, " +
  `up to ${MOST[0]} × ${MOST[1]}; leave gaps empty. Nothing leaves this page.`;
const EMPTY = new Set(["", "-", "?", "na", "n/a", "nan", "null"]);

const numberOf = (text) => {
  const cell = text.trim();
  return EMPTY.has(cell.toLowerCase()) ? NaN : Number(cell.replace(",", "."));
};
const isNumber = (text) => EMPTY.has(text.trim().toLowerCase()) || Number.isFinite(numberOf(text));

/** The cells of a text: by tabs, as a spreadsheet is copied, or else by semicolons or commas. */
export function cellsOf(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const mark = ["\t", ";", ","].find((sign) => lines.some((line) => line.includes(sign))) ?? "\t";
  return lines.map((line) => line.split(mark).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
}

/**
 * A table of ratings from a text. A first line, and a first column, that holds words has names. Error, in a sentence for
 * the reader, for a cell that is no number, another size than the page takes, or no rating.
 */
export function readOwn(text) {
  const lines = cellsOf(text);
  const width = Math.max(0, ...lines.map((line) => line.length));
  const cells = lines.map((line) => range(width).map((j) => line[j] ?? ""));
  const headed = cells.length > 1 && cells[0].slice(1).some((cell) => !isNumber(cell));
  const body = headed ? cells.slice(1) : cells;
  const named = body.some(([first]) => !isNumber(first));
  const rows = body.map(([first], i) => (named && first ? first : `row ${i + 1}`));
  const cols = range(named ? 1 : 0, width).map((j) => (headed && cells[0][j] ? cells[0][j] : `column ${j + (named ? 0 : 1)}`));
  const numbers = body.map((line) => line.slice(named ? 1 : 0));
  numbers.forEach((line, i) => line.forEach((cell, j) => {
    if (!isNumber(cell)) throw new Error(`“${cell}” (${rows[i]}, ${cols[j]}) is not a number.`);
  }));
  if (!rows.length || !cols.length) throw new Error("Paste or type a table first: a line for each person.");
  if (rows.length > MOST[0] || cols.length > MOST[1]) {
    throw new Error(`This page takes up to ${MOST[0]} rows and ${MOST[1]} columns; this table has ${rows.length} and ${cols.length}.`);
  }
  const values = Float32Array.from(numbers.flat(), numberOf);
  if (values.every(Number.isNaN)) throw new Error("No cell holds a number yet: type at least one rating.");
  return ownTable({ rows, cols, values });
}

/** The form; `bring(table)` draws a table, `bring(null)` the night again. */
class Own extends Component {
  render({ example, bring }, { note }) {
    const fill = () => {
      try {
        bring(readOwn(this.text.value));
        this.setState({ note: "" });
        scrollTo({ top: 0, behavior: "smooth" });
      } catch (error) {
        this.setState({ note: error instanceof Error ? error.message : String(error) });
      }
    };
    const act = (label, onclick) => h("button.metamf-button", { type: "button", onclick }, label);
    return h("section.metamf-own",
      h("h2", "Your own ratings"),
      h("p", HOW),
      h("textarea", {
        rows: 8,
        spellcheck: false,
        defaultValue: example,
        "aria-label": "Your ratings",
        ref: (text) => (this.text = text),
      }),
      h("p.metamf-note", { role: "alert" }, note),
      h("div.metamf-acts", act("Fill in the gaps", fill), act("Back to the film night", () => bring(null))));
  }
}

/** Adds the form below the player. */
export function createOwn(player, { example }, bring) {
  const room = document.createElement("div");
  player.after(room);
  render(h(Own, { example, bring }), room);
}
