/** SVG elements, made in one line each. */
const SPACE = "http://www.w3.org/2000/svg";

/** An SVG element; attributes that are null or undefined are left out, numbers are rounded to a hundredth. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    made.setAttribute(name, String(typeof value === "number" ? Math.round(100 * value) / 100 : value));
  }
  made.append(...children);
  return made;
}

/** A text at (x, y), which is the middle of its height. */
export const textAt = (x, y, size, words, attributes = {}) =>
  svg("text", { x, y, dy: "0.35em", "font-size": size, ...attributes }, words);

/** An icon of 24 x 24, filled in the colour of the text. */
export const icon = (d) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));

/** A picture of its own, whose children are drawn in pixels. */
export const picture = (width, height, attributes, ...children) =>
  svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", ...attributes }, ...children);
