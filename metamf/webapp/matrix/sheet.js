/**
 * A sheet for a visitor's own matrix: names of rows and columns, and a number or nothing in each cell. Every commit sends
 * the whole sheet, which is small; the server says what it could not read.
 *
 * @typedef {{rows: string[], cols: string[], cells: string[][]}} Sheet
 * @typedef {{sheet: Sheet, note: string, largest: number}} SheetData  `sheet`: what the sheet begins with; after that the
 *   browser knows best
 * @typedef {{data: SheetData, parentElement: ParentNode & Node, setTriggerValue: (name: string, value: any) => void}} Mount
 */

/** @type {WeakMap<Node, {update: (data: SheetData, tell: Mount["setTriggerValue"]) => void}>} */
const sheets = new WeakMap();

/** @param {Mount} mount */
export default function mountSheet({ data, parentElement, setTriggerValue }) {
  const there = sheets.get(parentElement) ?? createSheet(parentElement, data);
  sheets.set(parentElement, there);
  there.update(data, setTriggerValue);
}

/**
 * @param {ParentNode & Node} parent
 * @param {SheetData} first
 */
function createSheet(parent, first) {
  /** @type {Sheet} */
  const sheet = copied(first.sheet);
  let sent = JSON.stringify(sheet);
  let { largest } = first;
  /** @type {(() => void)[]}  names its control anew, each: a name of a row or a column is in those of many controls */
  let namings = [];
  /** @type {Mount["setTriggerValue"]} */
  let tell = () => {};

  const root = element("div", "mfs");
  const table = element("table", "mfs-table");
  const note = element("p", "mfs-note");
  note.setAttribute("role", "alert");
  const tools = element("div", "mfs-tools");
  tools.append(
    button("Add a row", () => grow("rows")),
    button("Add a column", () => grow("cols")),
    button("Empty all cells", () => {
      sheet.cells = sheet.cells.map((row) => row.map(() => ""));
      draw();
      commit();
    }),
  );
  const scroller = element("div", "mfs-scroll");
  scroller.append(table);
  root.append(scroller, note, tools);
  parent.append(root);

  /** @param {"rows"|"cols"} side */
  function grow(side) {
    if (sheet[side].length >= largest) return;
    sheet[side].push("");
    if (side === "rows") sheet.cells.push(sheet.cols.map(() => ""));
    else for (const row of sheet.cells) row.push("");
    draw();
    commit();
    const at = side === "rows" ? [sheet.rows.length, 0] : [0, sheet.cols.length];
    field(at[0], at[1])?.focus();
  }

  /** @param {"rows"|"cols"} side @param {number} at */
  function remove(side, at) {
    if (sheet[side].length <= 1) return;
    sheet[side].splice(at, 1);
    if (side === "rows") sheet.cells.splice(at, 1);
    else for (const row of sheet.cells) row.splice(at, 1);
    draw();
    commit();
    const next = Math.min(at + 1, sheet[side].length);
    (side === "rows" ? field(next, 0) : field(0, next))?.focus();
  }

  function commit() {
    const now = JSON.stringify(sheet);
    if (now === sent) return;
    sent = now;
    tell("typed", copied(sheet));
  }

  /** @param {number} i  0 is the line of names @param {number} j @returns {HTMLInputElement|null} */
  const field = (i, j) => table.querySelector(`input[data-at="${i} ${j}"]`);

  /** @param {number} i @param {number} j @param {string} text */
  function put(i, j, text) {
    if (i === 0) sheet.cols[j - 1] = text;
    else if (j === 0) sheet.rows[i - 1] = text;
    else sheet.cells[i - 1][j - 1] = text;
  }

  /** @param {number} i @param {number} j @returns {string} */
  const textAt = (i, j) => (i === 0 ? sheet.cols[j - 1] : j === 0 ? sheet.rows[i - 1] : sheet.cells[i - 1][j - 1]);

  /** @param {number} i @param {number} j */
  function input(i, j) {
    const made = /** @type {HTMLInputElement} */ (element("input", i && j ? "mfs-number" : "mfs-name"));
    made.value = textAt(i, j);
    made.dataset.at = `${i} ${j}`;
    made.autocomplete = "off";
    if (i && j) made.inputMode = "decimal";
    else made.placeholder = i ? `row ${i}` : `column ${j}`;
    named(made, () => (i && j ? `${nameOf("rows", i)}, ${nameOf("cols", j)}` : i ? `Name of row ${i}` : `Name of column ${j}`));
    made.addEventListener("input", () => {
      put(i, j, made.value);
      if (!i || !j) for (const naming of namings) naming();
    });
    made.addEventListener("change", commit);
    made.addEventListener("keydown", (event) => moved(event, i, j, made));
    made.addEventListener("paste", (event) => pasted(event, i, j));
    return made;
  }

  /** @param {"rows"|"cols"} side @param {number} at  counted from 1 @returns {string} */
  const nameOf = (side, at) => sheet[side][at - 1] || `${side === "rows" ? "row" : "column"} ${at}`;

  /** @param {HTMLElement} control @param {() => string} words  what the control is called now */
  function named(control, words) {
    const naming = () => control.setAttribute("aria-label", words());
    naming();
    namings.push(naming);
  }

  /** @param {"rows"|"cols"} side @param {number} at */
  function crossing(side, at) {
    const made = button("×", () => remove(side, at));
    made.className = "mfs-drop";
    named(made, () => (made.title = `Remove ${nameOf(side, at + 1)}`));
    return made;
  }

  /** @param {KeyboardEvent} event @param {number} i @param {number} j @param {HTMLInputElement} at */
  function moved(event, i, j, at) {
    const inside = at.selectionStart !== at.selectionEnd;
    const steps = {
      Enter: [event.shiftKey ? -1 : 1, 0],
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowLeft: !inside && at.selectionStart === 0 ? [0, -1] : null,
      ArrowRight: !inside && at.selectionEnd === at.value.length ? [0, 1] : null,
    };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    event.stopPropagation(); // no key of the page while somebody types
    if (!step || event.isComposing) return;
    const next = field(i + step[0], j + step[1]);
    event.preventDefault();
    if (event.key === "Enter" && !next) at.blur();
    next?.focus();
    next?.select();
  }

  /** Cells from a spreadsheet fill the sheet from here; a list of names fills the names of a side. */
  /** @param {ClipboardEvent} event @param {number} i @param {number} j */
  function pasted(event, i, j) {
    const text = event.clipboardData?.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "") ?? "";
    let lines = text.split("\n").map((line) => line.split("\t"));
    if (lines.length === 1 && lines[0].length === 1) return;
    event.preventDefault();
    if (i === 0 && lines.every((line) => line.length === 1)) lines = [lines.map(([name]) => name)];
    if (j === 0 && lines.length === 1) lines = lines[0].map((name) => [name]);
    const [height, width] = [i + lines.length, j + Math.max(...lines.map((line) => line.length))];
    while (sheet.rows.length < Math.min(height - 1, largest)) {
      sheet.rows.push("");
      sheet.cells.push(sheet.cols.map(() => ""));
    }
    while (sheet.cols.length < Math.min(width - 1, largest)) {
      sheet.cols.push("");
      for (const row of sheet.cells) row.push("");
    }
    lines.forEach((line, down) =>
      line.forEach((typed, right) => {
        const [at, to] = [i + down, j + right];
        if (at + to > 0 && at <= sheet.rows.length && to <= sheet.cols.length) put(at, to, typed.trim());
      }),
    );
    draw();
    commit();
    field(i, j)?.focus();
  }

  function draw() {
    namings = [];
    const head = element("tr");
    head.append(element("td"), ...sheet.cols.map((_, j) => cell("th", input(0, j + 1))), element("td"));
    const rows = sheet.cells.map((row, i) => {
      const line = element("tr");
      const cells = row.map((_, j) => cell("td", input(i + 1, j + 1)));
      line.append(cell("th", input(i + 1, 0)), ...cells, cell("td", crossing("rows", i)));
      return line;
    });
    const foot = element("tr");
    foot.append(element("td"), ...sheet.cols.map((_, j) => cell("td", crossing("cols", j))), element("td"));
    table.replaceChildren(head, ...rows, foot);
  }

  draw();
  return {
    /** @param {SheetData} data @param {Mount["setTriggerValue"]} teller */
    update(data, teller) {
      tell = teller;
      ({ largest } = data);
      if (note.textContent !== data.note) note.textContent = data.note;
    },
  };
}

/** @param {Sheet} sheet @returns {Sheet} */
const copied = ({ rows, cols, cells }) => ({ rows: [...rows], cols: [...cols], cells: cells.map((row) => [...row]) });

/** @param {string} name @param {string} [look]  a class */
function element(name, look = "") {
  const made = document.createElement(name);
  if (look) made.className = look;
  return made;
}

/** @param {"td"|"th"} name @param {Element} child */
function cell(name, child) {
  const made = element(name);
  made.append(child);
  return made;
}

/** @param {string} label @param {() => void} act */
function button(label, act) {
  const made = /** @type {HTMLButtonElement} */ (element("button", "mfs-button"));
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}
