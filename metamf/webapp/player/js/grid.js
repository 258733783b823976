/**
 * A sheet for a visitor's own matrix: names of rows and columns, and a number or nothing in each cell. Every commit
 * sends the whole sheet, which is small; the server says what it could not read.
 */
import { dom, write } from "./dom.js";

/** @type {(sheet: Sheet) => Sheet} */
const copied = ({ rows, cols, cells }) => ({ rows: [...rows], cols: [...cols], cells: cells.map((row) => [...row]) });

const button = (text, act) => dom("button", { type: "button", className: "mfs-button", onclick: act }, text);

/** @param {{sheet: Sheet, largest: number}} first  what it begins with; after that the browser knows best */
export function createGrid(parent, first) {
  const sheet = copied(first.sheet);
  let sent = JSON.stringify(sheet);
  let { largest } = first;
  let tell;

  const grid = dom("table", { className: "mfs-table" });
  const note = dom("p", { className: "mfs-note", role: "alert" });
  const tools = dom("div", { className: "mfs-tools" },
    button("Add a row", () => grow("rows")),
    button("Add a column", () => grow("cols")),
    button("Empty all cells", () => {
      sheet.cells = sheet.cells.map((row) => row.map(() => ""));
      redraw();
    }));
  const root = dom("div", { className: "mfs" }, dom("div", { className: "mfs-scroll" }, grid), note, tools);
  parent.append(root);

  function lengthen(side) {
    sheet[side].push("");
    if (side === "rows") sheet.cells.push(sheet.cols.map(() => ""));
    else for (const row of sheet.cells) row.push("");
  }

  function grow(side) {
    if (sheet[side].length >= largest) return;
    lengthen(side);
    redraw();
    (side === "rows" ? field(sheet.rows.length, 0) : field(0, sheet.cols.length))?.focus();
  }

  function remove(side, at) {
    if (sheet[side].length <= 1) return;
    sheet[side].splice(at, 1);
    if (side === "rows") sheet.cells.splice(at, 1);
    else for (const row of sheet.cells) row.splice(at, 1);
    redraw();
    const next = Math.min(at + 1, sheet[side].length);
    (side === "rows" ? field(next, 0) : field(0, next))?.focus();
  }

  function redraw() {
    draw();
    commit();
  }

  function commit() {
    const now = JSON.stringify(sheet);
    if (now === sent) return;
    sent = now;
    tell("typed", copied(sheet));
  }

  /** The field of a cell; row and column 0 have the names. @returns {HTMLInputElement|null} */
  const field = (i, j) => grid.querySelector(`input[data-at="${i} ${j}"]`);

  function put(i, j, text) {
    if (i === 0) sheet.cols[j - 1] = text;
    else if (j === 0) sheet.rows[i - 1] = text;
    else sheet.cells[i - 1][j - 1] = text;
  }

  const textAt = (i, j) => (i === 0 ? sheet.cols[j - 1] : j === 0 ? sheet.rows[i - 1] : sheet.cells[i - 1][j - 1]);
  const rowName = (i) => sheet.rows[i - 1] || `row ${i}`;
  const colName = (j) => sheet.cols[j - 1] || `column ${j}`;

  function input(i, j) {
    const made = dom("input", { className: i && j ? "mfs-number" : "mfs-name", value: textAt(i, j), autocomplete: "off" });
    made.dataset.at = `${i} ${j}`;
    if (i && j) made.inputMode = "decimal";
    else made.placeholder = i ? `row ${i}` : `column ${j}`;
    made.addEventListener("input", () => {
      put(i, j, made.value);
      if (!i || !j) rename();
    });
    made.addEventListener("change", commit);
    made.addEventListener("keydown", (event) => moved(event, i, j, made));
    made.addEventListener("paste", (event) => pasted(event, i, j));
    return made;
  }

  function crossing(side, at) {
    const made = dom("button", { type: "button", className: "mfs-drop", onclick: () => remove(side, at) }, "×");
    made.dataset.at = side === "rows" ? `${at + 1} 0` : `0 ${at + 1}`;
    return made;
  }

  /** Names all controls: the name of a row or of a column is in those of many. */
  function rename() {
    for (const control of /** @type {NodeListOf<HTMLElement>} */ (grid.querySelectorAll("[data-at]"))) {
      const [i, j] = control.dataset.at?.split(" ").map(Number) ?? [];
      const name = i && j ? `${rowName(i)}, ${colName(j)}` : i ? rowName(i) : colName(j);
      const drops = control.matches("button");
      const label = drops ? `Remove ${name}` : i && j ? name : i ? `Name of row ${i}` : `Name of column ${j}`;
      control.setAttribute("aria-label", label);
      if (drops) control.title = label;
    }
  }

  function moved(event, i, j, at) {
    const { selectionStart: start, selectionEnd: end, value } = at;
    const steps = {
      Enter: [event.shiftKey ? -1 : 1, 0],
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowLeft: start === end && start === 0 ? [0, -1] : null,
      ArrowRight: start === end && end === value.length ? [0, 1] : null,
    };
    const step = steps[event.key];
    event.stopPropagation(); // no key of the page while somebody types
    if (!step || event.isComposing) return;
    const next = field(i + step[0], j + step[1]);
    event.preventDefault();
    if (event.key === "Enter" && !next) at.blur();
    next?.focus();
    next?.select();
  }

  /** Cells from a spreadsheet fill the sheet from here; a list of names fills the names of a side. */
  function pasted(event, i, j) {
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    let lines = text.split("\n").map((line) => line.split("\t"));
    if (lines.length === 1 && lines[0].length === 1) return;
    event.preventDefault();
    if (i === 0 && lines.every((line) => line.length === 1)) lines = [lines.map(([name]) => name)];
    if (j === 0 && lines.length === 1) lines = lines[0].map((name) => [name]);
    const [height, width] = [i + lines.length, j + Math.max(...lines.map((line) => line.length))];
    while (sheet.rows.length < Math.min(height - 1, largest)) lengthen("rows");
    while (sheet.cols.length < Math.min(width - 1, largest)) lengthen("cols");
    lines.forEach((line, down) =>
      line.forEach((typed, right) => {
        const [at, to] = [i + down, j + right];
        if (at + to > 0 && at <= sheet.rows.length && to <= sheet.cols.length) put(at, to, typed.trim());
      }));
    redraw();
    field(i, j)?.focus();
  }

  function draw() {
    const row = (head, cells, end) => dom("tr", {}, head, ...cells, dom("td", {}, ...end));
    const head = row(dom("td"), sheet.cols.map((_, j) => dom("th", {}, input(0, j + 1))), []);
    const rows = sheet.cells.map((cells, i) =>
      row(dom("th", {}, input(i + 1, 0)), cells.map((_, j) => dom("td", {}, input(i + 1, j + 1))), [crossing("rows", i)]));
    const foot = row(dom("td"), sheet.cols.map((_, j) => dom("td", {}, crossing("cols", j))), []);
    grid.replaceChildren(head, ...rows, foot);
    rename();
  }

  draw();
  return {
    update(data, teller) {
      tell = teller;
      largest = data.largest;
      write(note, data.note);
    },
    destroy: () => root.remove(),
  };
}
