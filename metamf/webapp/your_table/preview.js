/**
 * The first lines of a table, filled in. The head of a column opens a menu of what else it may be; what is amber stands
 * below, with its answers. Each choice is sent as an edit; the focus stays where it was, and a status says what happened.
 */
const drawn = new WeakMap(); // by the parent: what was drawn into it

/** An element with properties and children; texts are texts. */
function element(name, given = {}, ...children) {
  const made = document.createElement(name);
  const { role, ...properties } = given;
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-")) made.setAttribute(key, value);
    else made[key] = value;
  }
  if (role) made.setAttribute("role", role);
  made.append(...children);
  return made;
}

const isNumber = (text) => /^[-+−]?[\d.,'\s]+%?$/.test(text);

/** @returns {{ root: HTMLElement, status: HTMLElement, body: HTMLElement, menu: HTMLElement, send: (edit: string|string[]) => void, back: string }} */
function begin(parent) {
  const status = element("p", { className: "read", role: "status" });
  const body = element("div");
  const menu = element("div", { className: "menu", popover: "auto" });
  const root = element("section", { className: "preview" }, status, body, menu);
  parent.append(root);
  const made = { root, status, body, menu, send() {}, back: "" };
  menu.addEventListener("toggle", (event) => {
    for (const head of body.querySelectorAll("[aria-expanded=true]")) {
      if (/** @type {ToggleEvent} */ (event).newState === "closed") head.setAttribute("aria-expanded", "false");
    }
  });
  menu.addEventListener("keydown", (event) => moved(event, menu));
  return made;
}

/** A table has come, and the box that took it is going: the focus moves on to the table, if it is nowhere else. */
function arrive(there, looks = 25) {
  if (document.activeElement === document.body) focusOn(there, "lines"); // nothing takes it while it is hidden
  if (looks && !there.body.contains(activeIn(there.body))) setTimeout(arrive, 200, there, looks - 1);
}

const activeIn = (place) => /** @type {ShadowRoot|Document} */ (place.getRootNode()).activeElement;

/** Arrow keys go through a menu. */
function moved(event, menu) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  event.stopPropagation();
  if (!step) return;
  event.preventDefault();
  const buttons = [...menu.querySelectorAll("button")];
  const at = buttons.indexOf(event.target);
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
}

/** Opens the menu of a column below its head. */
function open(there, head, column) {
  const { menu } = there;
  const choices = column.choices.map(([label, edit]) =>
    element("button", { type: "button", role: "menuitem", onclick: () => choose(there, `head ${column.at}`, edit) }, label));
  const why = element("p", {}, column.amber || column.why || column.below);
  menu.replaceChildren(why, element("div", { role: "menu", "aria-label": `Change ${column.name}` }, ...choices));
  const box = head.getBoundingClientRect();
  menu.showPopover();
  menu.style.top = `${Math.min(box.bottom + 4, innerHeight - menu.offsetHeight - 8)}px`;
  menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
  head.setAttribute("aria-expanded", "true");
  menu.querySelector("button")?.focus();
}

/** Sends an edit, or several; the focus then goes to the control of the key `back`. */
function choose(there, back, edit) {
  there.back = back;
  if (there.menu.matches(":popover-open")) there.menu.hidePopover();
  focusOn(there, back);
  there.send(edit);
}

function focusOn(there, key) {
  const found = there.body.querySelector(`[data-key="${CSS.escape(key)}"]`);
  /** @type {HTMLElement|null} */ (found ?? there.body.querySelector("[data-key=lines]"))?.focus();
}

function headOf(there, column) {
  const amber = column.amber ? " amber" : "";
  const label = `${column.name}, ${column.role === "fill" ? "filled in" : column.role === "name" ? "names" : "kept"}`;
  const head = element("button", {
    type: "button",
    title: [column.why, column.amber].filter(Boolean).join(". "),
    "aria-haspopup": "menu",
    "aria-expanded": "false",
    "aria-label": `${label}${column.amber ? `, look here: ${column.amber}` : ""}`,
    "data-key": `head ${column.at}`,
    onclick: () => open(there, head, column),
  }, element("b", {}, column.name), element("small", {}, column.below));
  return element("th", { scope: "col", className: `${column.role}${amber}` }, head);
}

function cellOf([text, kind, hover]) {
  const said = { filled: "estimated", hidden: "hidden", amber: "look here" }[kind];
  const cell = element("td", { className: `${kind} ${isNumber(text) ? "number" : ""}`, title: hover }, text);
  if (said && text) cell.append(element("span", { className: "read" }, `, ${said}`));
  return cell;
}

function lineOf(line, width) {
  if (line.gap) return element("tr", {}, element("td", { className: "gap", colSpan: width }, line.gap));
  const row = element("tr", { className: line.state, title: line.why }, ...line.cells.map(cellOf));
  if (line.why) row.lastElementChild?.append(element("span", { className: "read" }, `, line ${line.number}: ${line.why}`));
  return row;
}

function amberOf(there, entry, at) {
  const back = entry.column === null ? "lines" : `head ${entry.column}`;
  const answers = entry.choices.map(([label, edit], k) =>
    element("button", { type: "button", "data-key": `amber ${at} ${k}`, onclick: () => choose(there, back, edit) }, label));
  return element("li", {}, element("span", {}, entry.sentence), ...answers);
}

/** Draws the data into a parent, and keeps scroll and focus. */
export default function preview({ data, parentElement, setTriggerValue }) {
  const before = drawn.get(parentElement);
  const there = before ?? begin(parentElement);
  drawn.set(parentElement, there);
  there.send = (edit) => setTriggerValue("edit", edit);
  const page = /** @type {ShadowRoot|Document} */ (parentElement.getRootNode());
  const focused = /** @type {HTMLElement|null} */ (page.activeElement)?.dataset?.key;
  const { scrollLeft = 0, scrollTop = 0 } = there.body.querySelector(".scroll") ?? {};
  const heads = data.columns.map((column) => headOf(there, column));
  if (data.more) heads.push(element("th", { scope: "col" }, `… ${data.more} more`));
  const table = element("table", {},
    element("caption", { className: "read" }, `The first lines of ${data.name}, filled in`),
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...data.lines.map((line) => lineOf(line, heads.length))));
  const label = `The first lines of ${data.name}`;
  const scroll = element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": label, "data-key": "lines" }, table);
  const list = element("ul", { "aria-label": "What you should look at" }, ...data.amber.map((entry, at) => amberOf(there, entry, at)));
  there.body.replaceChildren(scroll, ...(data.amber.length ? [list] : []));
  scroll.scrollTo(scrollLeft, scrollTop);
  if (focused) focusOn(there, there.back && !there.body.querySelector(`[data-key="${CSS.escape(focused)}"]`) ? there.back : focused);
  if (!before) arrive(there);
  if (there.status.textContent !== data.said) there.status.textContent = data.said;
  parentElement.getRootNode().host?.setAttribute("data-drawn", "");
}
