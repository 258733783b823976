/** The line below a figure: its numbers as a table, built when it is opened, and the figure as a file. */
import { dom } from "./dom.js";

export class Foot {
  /** @param {string} what  the name of the figure, for its buttons @param {() => void} open @param {(kind: "svg"|"png") => void} save */
  constructor(what, open, save) {
    this.tables = dom("div", { className: "map-tables" });
    this.details = dom("details", { className: "map-numbers" }, dom("summary", {}, "Numbers as a table"), this.tables);
    this.details.addEventListener("toggle", () => this.details.open && open());
    this.root = dom("div", { className: "map-foot" }, this.details, saveButtons(what, save));
  }

  get open() {
    return this.details.open;
  }
}

/**
 * @param {string} what
 * @param {(kind: "svg"|"png") => void} save
 * @param {string} [lead]  stands in front of the buttons
 */
export function saveButtons(what, save, lead = "") {
  const box = dom("span", { className: "map-save" }, lead);
  for (const kind of /** @type {const} */ (["svg", "png"])) {
    const ending = kind.toUpperCase();
    const button = dom("button", { className: "map-button", type: "button", "aria-label": `Save ${what} as ${ending}` }, ending);
    button.addEventListener("click", () => save(kind));
    box.append(button);
  }
  return box;
}
