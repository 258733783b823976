/**
 * Elements of a page, as descriptions that Preact draws: what stays the same stays the same element, with its focus. Text
 * is always text.
 */
import { Component, h as element, render } from "preact";

export { Component, render };

/**
 * An element or a component: "p.mfp-small" is a p of this class. Properties come before the children, where there are
 * some.
 */
export function h(tag, ...rest) {
  const props = rest[0]?.constructor === Object ? rest.shift() : {}; // what is drawn already has no constructor
  if (typeof tag === "function") return element(tag, props, ...rest);
  const [name, ...classes] = tag.split(".");
  if (props.class) classes.push(props.class);
  return element(name, { ...props, class: classes.join(" ") || undefined }, ...rest);
}

/** A component that is drawn again only where one of its properties is another. */
export const pure = (view) => class extends Component {
  shouldComponentUpdate(next) {
    return Object.keys(next).some((name) => next[name] !== this.props[name]);
  }

  render(props) {
    return view(props);
  }
};

/** What opens under a summary, and is drawn while it is open. */
export class Details extends Component {
  render({ summary, content, ...props }, { open }) {
    const ontoggle = ({ target }) => this.setState({ open: target.open });
    return h("details", { ...props, ontoggle }, h("summary", summary), open && content());
  }
}

/** Says a text to screen readers when it has stayed for `pause` milliseconds; the first one only if it is `eager`. */
export class Voice extends Component {
  componentDidMount() {
    if (this.props.eager) this.componentDidUpdate({});
  }

  componentDidUpdate({ text = "" }) {
    if (text === this.props.text) return;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.setState({ said: this.props.text }), this.props.pause ?? 0);
  }

  componentWillUnmount() {
    clearTimeout(this.later);
  }

  render(_, { said }) {
    return h("p.mfp-spoken", { role: "status", "aria-live": "polite" }, said);
  }
}

/**
 * A button; its title may say more than its content, with a key in brackets. One that is `off` does nothing and keeps
 * the focus, which a disabled one would lose.
 */
export const button = (className, { title = "", off = false, act, ...props }, ...children) => h(`button.${className}`, {
  type: "button",
  ...(title ? { title, "aria-label": title.replace(/ \(.*/, "") } : {}),
  "aria-disabled": String(off),
  onclick: () => off || act(),
  ...props,
}, ...children);

/** Radio buttons in a fieldset; `options` are [value, label, title]. */
export const choice = (className, { legend, name, value, choose, ...props }, options) => h(`fieldset.${className}`, props,
  legend,
  options.map(([option, label, title]) => h("label", { title },
    h("input", { type: "radio", name, value: option, checked: option === value, onchange: () => choose(option) }), label)));

/** A table with a heading for every column and every row; a row is [heading, ...cells]. */
export function table(className, head, rows, caption = "") {
  const heading = (scope, text) => h("th", { scope, dir: "auto" }, text);
  return h("table", { class: className },
    caption && h("caption", caption),
    h("thead", h("tr", head.map((text) => (text ? heading("col", text) : h("td"))))),
    h("tbody", rows.map(([name, ...cells]) => h("tr", heading("row", name), cells.map((text) => h("td", text))))));
}

/** A picture of its own, whose children are drawn in pixels. */
export const drawing = (width, height, props, ...children) =>
  h("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", ...props }, ...children);

/** An icon of 24 x 24, filled in the colour of the text. */
export const icon = (d) => h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d }));

/** A text at (x, y), which is the middle of its height. */
export const textAt = (x, y, size, words, props = {}) =>
  h("text", { x, y, dy: "0.35em", "font-size": size, ...props }, words);

/** Whether an event comes from inside an element that matches. */
export const isInside = (event, selector) =>
  event.composedPath().some((part) => part instanceof Element && part.matches(selector));

/** `make`, which answers for the same arguments what it answered last. */
export function latest(make) {
  let known = [];
  let found;
  return (...given) => {
    if (!known.length || given.some((value, k) => value !== known[k])) found = make(...given);
    known = given;
    return found;
  };
}
