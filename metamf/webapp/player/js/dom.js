/** Elements of a page, made in one line each. Text is always text: nothing here reads markup. */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, any>} [properties]  names with "-", "role" and "for" become attributes
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function dom(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "for") made.setAttribute(key, String(value));
    else /** @type {any} */ (made)[key] = value;
  }
  made.append(...children);
  return made;
}

/** An icon of 24 x 24, filled in the colour of the text. */
export function icon(path) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(space, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** Radio buttons in a fieldset: `options` are [value, label], where a label is a text or an element. */
export function choice({ className, legend, name, hidden = false }, options, choose) {
  const inputs = options.map(([value]) => dom("input", { type: "radio", name, value, onchange: () => choose(value) }));
  const labels = options.map(([, label], k) => dom("label", {}, inputs[k], label));
  const head = dom("legend", { className: hidden ? "mfp-spoken" : "" }, legend);
  return { inputs, root: dom("fieldset", { className }, head, ...labels) };
}

/** A table with a heading for every column and every row; a row is [heading, ...cells]. */
export function table(className, head, rows, caption = "") {
  const made = dom("table", { className });
  if (caption) made.createCaption().textContent = caption;
  const heading = (scope, text) => dom("th", { scope, dir: "auto" }, text);
  made.createTHead().insertRow().append(...head.map((text) => (text ? heading("col", text) : dom("td"))));
  const body = made.createTBody();
  for (const [name, ...cells] of rows) {
    body.insertRow().append(heading("row", name), ...cells.map((text) => dom("td", {}, text)));
  }
  return made;
}

/** A button that cannot be pressed keeps the focus, which a disabled one would lose; what it does asks `isEnabled`. */
export const enable = (button, on) => button.setAttribute("aria-disabled", String(!on));

export const isEnabled = (button) => button.getAttribute("aria-disabled") !== "true";

/** Writes a text only where it differs, so that nothing is laid out anew for the same words. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
