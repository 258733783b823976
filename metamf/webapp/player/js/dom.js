/** Elements of a page, made in one line each. Text is always text: only `parsed` reads markup. */

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

/** Markup that is not from outside, as nodes. */
export const parsed = (markup) => document.createRange().createContextualFragment(markup);

/** Says a text to screen readers when nothing else was to be said for `pause` milliseconds; `live` is its place. */
export function speaker(pause = 0) {
  const live = dom("p", { className: "mfp-spoken", role: "status", "aria-live": "polite" });
  let later;
  const hush = () => clearTimeout(later);
  const say = (text) => {
    hush();
    later = setTimeout(() => write(live, text), pause);
  };
  return { live, say, hush };
}

/** Radio buttons in a fieldset: `options` are [value, label, title]; `check` chooses one without a word to `choose`. */
export function choice({ className, legend, name, hidden = false }, options, choose) {
  const inputs = options.map(([value]) => dom("input", { type: "radio", name, value, onchange: () => choose(value) }));
  const labels = options.map(([, label, title = ""], k) => dom("label", { title }, inputs[k], label));
  const head = dom("legend", { className: hidden ? "mfp-spoken" : "" }, legend);
  return {
    root: dom("fieldset", { className }, head, ...labels),
    check(value) {
      for (const input of inputs) input.checked = input.value === value;
    },
  };
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

/**
 * A button; its title may say more than its content, with a key in brackets. One that is not enabled does nothing and
 * keeps the focus, which a disabled one would lose.
 */
export function button(className, title, act, ...children) {
  const said = title ? { title, "aria-label": title.replace(/ \(.*/, "") } : {};
  const onclick = () => made.getAttribute("aria-disabled") !== "true" && act();
  const made = dom("button", { type: "button", className, ...said, onclick }, ...children);
  return made;
}

export const enable = (made, on) => made.setAttribute("aria-disabled", String(!on));

/**
 * Makes `nodes` the children of an element, in their order. A child that is in its place is not touched: one that is
 * moved loses the focus, and with it the keys that are pressed next.
 */
export function arrange(parent, nodes) {
  for (const child of [...parent.children]) {
    if (!nodes.includes(child)) child.remove();
  }
  nodes.forEach((node, k) => {
    if (parent.children[k] !== node) parent.insertBefore(node, parent.children[k] ?? null);
  });
}

/** Writes a text only where it differs, so that nothing is laid out, or read out, again for the same words. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
