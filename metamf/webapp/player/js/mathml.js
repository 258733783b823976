/** Formulas as MathML, which browsers draw and screen readers read; text is always text. */

const SPACE = "http://www.w3.org/1998/Math/MathML";

/**
 * @param {string} name
 * @param {Record<string, string>|null} attributes
 * @param {...(Element|string)} children
 * @returns {Element}
 */
export function mathNode(name, attributes, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** @param {...Element} children @returns {Element} */
export const math = (...children) => mathNode("math", null, ...children);

/** @param {...Element} children @returns {Element} */
export const row = (...children) => mathNode("mrow", null, ...children);

/** @param {string} text @param {string} [mark]  a class, for its colour @returns {Element} */
export const letter = (text, mark = "") => mathNode("mi", mark ? { class: mark } : null, text);

/** @param {string} text @returns {Element} */
export const sign = (text) => mathNode("mo", null, text);

/** @param {Element} base @param {string} index @param {string} [when]  what stands above it @returns {Element} */
export function indexed(base, index, when) {
  const below = mathNode("mi", null, index);
  if (when === undefined) return mathNode("msub", null, base, below);
  return mathNode("msubsup", null, base, below, mathNode("mtext", null, when));
}

/** @param {string} index @returns {Element} a sum over an index */
export const sumOver = (index) => mathNode("munder", null, mathNode("mo", { largeop: "true" }, "∑"), mathNode("mi", null, index));
