/**
 * A sheet for a visitor's own matrix: names of rows and columns, and a number or nothing in each cell. Every commit
 * sends the whole sheet, which is small; the server says what it could not read.
 */
import { button, dom, write } from "./dom.js";

/** What a row or a column without a name is called. */
const position = (i, j) => (i ? `row ${i}` : `column ${j}`);

/**
 * Line 0 has the names of the columns, and every other line that of its row in front.
 * @param {{lines: string[][], largest: number}} first  what it begins with; after that the browser knows best
 */
export function createGrid(parent, first) {
  let lines = structuredClone(first.lines);
  let sent = JSON.stringify(lines);
  let { largest } = first;
  let tell;

  const grid = dom("table", { className: "mfs-table" });
  const note = dom("p", { className: "mfs-note", role: "alert" });
  const tool = (text, act) => button("mfs-button", "", act, text);
  const tools = dom("div", { className: "mfs-tools" },
    tool("Add a row", () => grow("rows")),
    tool("Add a column", () => grow("cols")),
    tool("Empty all cells", () => {
      lines = lines.map((line, i) => line.map((text, j) => (i && j ? "" : text)));
      redraw();
    }));
  const root = dom("div", { className: "mfs" }, dom("div", { className: "mfs-scroll" }, grid), note, tools);
  parent.append(root);

  /** How many lines a side has, that of the names with them. */
  const countOf = (side) => (side === "rows" ? lines : lines[0]).length;

  /** Where the name of a row or a column is. @returns {[number, number]} */
  const placeOf = (side, at) => (side === "rows" ? [at, 0] : [0, at]);

  function lengthen(side) {
    if (side === "rows") lines.push(lines[0].map(() => ""));
    else for (const line of lines) line.push("");
  }

  function grow(side) {
    const count = countOf(side);
    if (count > largest) return;
    lengthen(side);
    redraw();
    field(...placeOf(side, count))?.focus();
  }

  function remove(side, at) {
    const left = countOf(side) - 2;
    if (left < 1) return;
    if (side === "rows") lines.splice(at, 1);
    else for (const line of lines) line.splice(at, 1);
    redraw();
    field(...placeOf(side, Math.min(at, left)))?.focus();
  }

  function redraw() {
    draw();
    commit();
  }

  function commit() {
    const now = JSON.stringify(lines);
    if (now === sent) return;
    sent = now;
    tell("typed", structuredClone(lines));
  }

  /** @returns {HTMLInputElement|null} */
  const field = (i, j) => grid.querySelector(`input[data-at="${i} ${j}"]`);

  const nameAt = (i, j) => lines[i][j] || position(i, j);

  function input(i, j) {
    const ofCell = i && j;
    return dom("input", {
      className: ofCell ? "mfs-number" : "mfs-name",
      ...(ofCell ? { inputMode: "decimal" } : { placeholder: position(i, j) }),
      value: lines[i][j],
      autocomplete: "off",
      "data-at": `${i} ${j}`,
      oninput: ({ target }) => {
        lines[i][j] = target.value;
        if (!ofCell) rename();
      },
      onchange: commit,
      onkeydown: (event) => moved(event, i, j),
      onpaste: (event) => pasted(event, i, j),
    });
  }

  function crossing(side, at) {
    const made = button("mfs-drop", "", () => remove(side, at), "×");
    made.dataset.at = placeOf(side, at).join(" ");
    return made;
  }

  /** Names all controls: the name of a row or of a column is in those of many. */
  function rename() {
    for (const control of /** @type {NodeListOf<HTMLElement>} */ (grid.querySelectorAll("[data-at]"))) {
      const [i, j] = control.dataset.at?.split(" ").map(Number) ?? [];
      const name = i && j ? `${nameAt(i, 0)}, ${nameAt(0, j)}` : nameAt(i, j);
      const drops = control.matches("button");
      const label = drops ? `Remove ${name}` : i && j ? name : `Name of ${position(i, j)}`;
      control.setAttribute("aria-label", label);
      if (drops) control.title = label;
    }
  }

  function moved(event, i, j) {
    const { target } = event;
    const { selectionStart: start, selectionEnd: end, value } = target;
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
    if (event.key === "Enter" && !next) target.blur();
    next?.focus();
    next?.select();
  }

  /** Cells from a spreadsheet fill the sheet from here; a list of names fills the names of a side. */
  function pasted(event, i, j) {
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    let block = text.split("\n").map((line) => line.split("\t"));
    if (block.length === 1 && block[0].length === 1) return;
    event.preventDefault();
    if (i === 0 && block.every((line) => line.length === 1)) block = [block.flat()];
    if (j === 0 && block.length === 1) block = block[0].map((name) => [name]);
    const height = i + block.length;
    const width = j + Math.max(...block.map((line) => line.length));
    while (lines.length < Math.min(height, largest + 1)) lengthen("rows");
    while (lines[0].length < Math.min(width, largest + 1)) lengthen("cols");
    block.forEach((line, down) =>
      line.forEach((typed, right) => {
        const row = lines[i + down];
        const at = j + right;
        if (row && at < row.length && (row !== lines[0] || at)) row[at] = typed.trim();
      }));
    redraw();
    field(i, j)?.focus();
  }

  function draw() {
    const cell = (i, j) => dom(i && j ? "td" : "th", {}, input(i, j));
    const row = (line, i) => dom("tr", {},
      ...line.map((_, j) => (i || j ? cell(i, j) : dom("td"))),
      dom("td", {}, ...(i ? [crossing("rows", i)] : [])));
    const foot = lines[0].map((_, j) => dom("td", {}, ...(j ? [crossing("cols", j)] : [])));
    grid.replaceChildren(...lines.map(row), dom("tr", {}, ...foot, dom("td")));
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
