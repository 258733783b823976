/** Elements of a page, made in one line each. Text is always text: nothing here reads markup. */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, any>} [properties]  properties of the element; names with "-" and "role", "for" are attributes
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

/**
 * @param {string} path  of a 24 x 24 icon, filled in the colour of the text
 * @returns {SVGSVGElement}
 */
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

/**
 * Lets a button be pressed or not. One that cannot be pressed keeps the focus, which a disabled one would lose; what it
 * does has to ask `isEnabled`.
 * @param {HTMLElement} button
 * @param {boolean} on
 */
export const enable = (button, on) => button.setAttribute("aria-disabled", String(!on));

/** @param {HTMLElement} button @returns {boolean} */
export const isEnabled = (button) => button.getAttribute("aria-disabled") !== "true";

/**
 * Writes a text only where it is another one: nothing is laid out anew for the same words.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
