/**
 * SVG as plain objects: one description of a drawing, which a page mounts and an export writes as text.
 *
 * Names come from outside. They are text here, never markup: `mountSvg` creates text nodes, `svgMarkup` escapes.
 *
 * @typedef {Object} SvgNode
 * @property {string} tag
 * @property {Record<string, string|number>} attributes
 * @property {(SvgNode|string)[]} children
 */

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, string|number|null|undefined>} [attributes]  those that are null or undefined are left out
 * @param {...(SvgNode|string|null|undefined|false)} children
 * @returns {SvgNode}
 */
export function svgNode(tag, attributes = {}, ...children) {
  /** @type {Record<string, string|number>} */
  const kept = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) kept[name] = typeof value === "number" ? rounded(value) : value;
  }
  return {
    tag,
    attributes: kept,
    children: /** @type {(SvgNode|string)[]} */ (children.filter((child) => child !== null && child !== undefined && child !== false)),
  };
}

/** @param {number} value @returns {number} to a hundredth: shorter files, and nothing that a screen would show */
const rounded = (value) => Math.round(value * 100) / 100;

/**
 * @param {SvgNode} node
 * @returns {SVGElement}
 */
export function mountSvg(node) {
  const element = document.createElementNS(SVG_NAMESPACE, node.tag);
  for (const [name, value] of Object.entries(node.attributes)) element.setAttribute(name, String(value));
  for (const child of node.children) element.append(typeof child === "string" ? child : mountSvg(child));
  return /** @type {SVGElement} */ (element);
}

/**
 * @param {SvgNode} node
 * @returns {string} the text of an element
 */
export function svgMarkup(node) {
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  const inner = node.children.map((child) => (typeof child === "string" ? escaped(child) : svgMarkup(child))).join("");
  return `<${node.tag}${attributes.join("")}${inner ? `>${inner}</${node.tag}>` : "/>"}`;
}

/**
 * @param {number} width
 * @param {number} height
 * @param {string} title  read out in place of the picture
 * @param {SvgNode[]} children
 * @returns {string} a file
 */
export function svgFile(width, height, title, children) {
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  const attributes = { xmlns: SVG_NAMESPACE, ...size, viewBox: `0 0 ${size.width} ${size.height}`, role: "img" };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svgMarkup(svgNode("svg", attributes, svgNode("title", {}, title), ...children))}\n`;
}

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** @param {string} text @returns {string} without the characters that no XML file may hold */
function escaped(text) {
  // eslint-disable-next-line no-control-regex
  const allowed = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");
  return allowed.replace(/[&<>"]/g, (character) => ENTITIES[character]);
}
