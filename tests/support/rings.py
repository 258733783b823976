"""The ring of the focus as it is seen: pixels of each kind of control with the focus and without it, reached by Tab.

WCAG 2.2, 2.4.7, 2.4.11 and 2.4.13: around all of the control, at least 2 pixels thick, of a contrast of at least 3.
"""

import base64
import io

import numpy as np
from PIL import Image
from pixels import luminance

THICK, LEAST = 2, 3.0  # pixels of CSS; contrast
PART = 1.6  # contrast of a pixel that a line of enough contrast covers in part
ROOM = 6  # pixels around a control that belong to its picture: rings stand outside, where they may
SMALLEST = 12  # pixels of a ring across
BARS = 100  # pixels of a screen's height that the header and the edges take: what is higher than the rest is cut off
SIDE = 8  # pixels from the edge of the ring within which a side of it lies: its corners are round
MOST = 80  # stops of a walk
TAKES = 3  # of a ring that is not seen: the page may be drawn anew at that moment
SIDES = ("left", "top", "right", "bottom")
_BEGIN = """() => {
  window.walked = new WeakSet();
  window.focused = () => {
    let stop = document.activeElement;
    while (stop.shadowRoot?.activeElement) stop = stop.shadowRoot.activeElement;
    return stop;
  };
  window.hush = document.head.appendChild(document.createElement("style"));
  // What explains a control while it has the focus would lie in its picture.
  hush.textContent = ".mf-meaning, [data-testid=stTooltipContent] { visibility: hidden !important; }";
  focused().blur();
}"""
_STOP = """() => {
  const stop = (window.stop = focused());
  if (stop === document.body) return "between the last and the first";
  if (walked.has(stop)) return null;
  walked.add(stop);
  const part = stop.closest("[data-testid]")?.dataset.testid ?? "of a component";
  const classes = [...stop.classList].filter((name) => !/^(st-emotion|e[\\da-z]{7,})/.test(name));
  const words = [stop.type, stop.role, stop.ariaDisabled === "true" && "off"].filter(Boolean);
  const kind = [part, stop.localName, ...words, ...classes].join(" ");
  return [kind, stop.ariaLabel ?? stop.textContent.trim().slice(0, 40)];
}"""
_BOX = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  if (focused() !== stop) return null; // the page was drawn anew without it
  const around = [ // what is seen of it
    ["input:is([type=radio], [type=checkbox])", () => [stop.closest("label") ?? stop]],
    [".stSlider input", () => [stop.parentElement.parentElement]],
    ["input, textarea", () => [stop, stop.parentElement]],
    ["canvas, canvas *, .dvn-scroller", () => [stop.closest(".stDataFrame")]],
    ["*", () => [stop]],
  ].find(([selector]) => stop.matches(selector))[1]().map((element) => element.getBoundingClientRect());
  const box = ["left", "top"].map((edge) => Math.min(...around.map((one) => one[edge])));
  box.push(...["right", "bottom"].map((edge) => Math.max(...around.map((one) => one[edge]))));
  return box;
}"""
# Within a table Tab goes from cell to cell, and each that is chosen is explained by the page: one table is enough.
_PASS_TABLES = "document.querySelectorAll('.stDataFrame').forEach((table) => (table.inert = true))"
_END = """() => {
  hush.remove();
  document.querySelectorAll(".stDataFrame").forEach((table) => (table.inert = false));
  focused().blur();
}"""


class Rings:
    """The kinds of controls that were looked at, by theme; ``folder`` gets a picture of each whose ring is not seen."""

    def __init__(self, folder):
        self.folder, self.seen, self._missing = folder, set(), []

    def missing(self):
        """Controls whose ring is not seen, in words, of what was walked over since this was asked last."""
        missing, self._missing = self._missing, []
        return missing

    def walk(self, page, name, part=""):
        """Goes over a page with Tab, and looks at each kind of control that was not looked at before in its theme.

        ``part``: selector of a part of the page, over which alone it goes, from its first control on.
        """
        theme = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
        camera = page.context.new_cdp_session(page)
        page.evaluate(_BEGIN)
        if part:
            page.locator(f"{part} :is(input, button)").first.focus()
            page.keyboard.press("Shift+Tab")
        for _ in range(MOST):
            page.keyboard.press("Tab")
            stop = page.evaluate(_STOP)
            if stop is None or (part and not page.evaluate("part => !!stop.closest(part)", part)):
                break
            if isinstance(stop, str):
                continue
            kind, words = stop
            if (theme, kind) not in self.seen:
                self.seen.add((theme, kind))
                if why := self._fault(page, camera):
                    self._missing.append(f"{name}, {theme}: {kind} ({words!r}): {why}")
            if "canvas" in kind:
                page.evaluate(_PASS_TABLES)
        page.evaluate(_END)
        camera.detach()

    def _fault(self, page, camera):
        """What is wrong with the ring of the control that has the focus; empty where nothing is, or it has gone."""
        for _ in range(TAKES):
            if (box := page.evaluate(_BOX)) is None:
                return ""
            if not (why := self._fault_now(page, camera, box)):
                return ""
        return why

    def _fault_now(self, page, camera, box):
        width, height = page.viewport_size["width"], page.viewport_size["height"]
        left, top = (max(0, int(edge) - ROOM) for edge in box[:2])
        right, bottom = (min(end, int(edge) + ROOM) for end, edge in zip((width, height), box[2:]))
        if min(right - left, bottom - top) < SMALLEST:
            return "it is not on the screen"
        clip = {"x": left, "y": top, "width": right - left, "height": bottom - top, "scale": 1}
        focused = _picture(camera, clip)
        page.evaluate("stop.blur()")
        blurred = _picture(camera, clip)
        page.evaluate("stop.focus({ preventScroll: true })")
        one, other = luminance(focused) + 0.05, luminance(blurred) + 0.05
        sides = ("left", "right") if box[3] - box[1] > height - BARS else SIDES
        if why := ring_fault(np.maximum(one, other) / np.minimum(one, other), sides):
            self.folder.mkdir(exist_ok=True)
            path = self.folder / f"ring-{len(self._missing)}.png"
            Image.fromarray(np.concatenate([focused, blurred])).save(path)
            return f"{why}: {path}"
        return ""


def _picture(camera, clip):
    """(height, width, 3) the colours of a piece of the screen"""
    asked = {"format": "png", "clip": clip, "optimizeForSpeed": True}
    shot = Image.open(io.BytesIO(base64.b64decode(camera.send("Page.captureScreenshot", asked)["data"])))
    return np.asarray(shot.convert("RGB"))


def ring_fault(ratio, sides=SIDES):
    """What is wrong with a ring; empty where nothing is.

    Parameters
    ----------
    ratio : (height, width) contrast of each pixel with the focus to the same without it
    sides : sides of the control that are on the screen
    """
    rows, cols = (np.flatnonzero((ratio >= LEAST).any(axis)) for axis in (1, 0))
    if not len(rows):
        return "no ring"
    ring = ratio[max(0, rows[0] - 1) : rows[-1] + 2, max(0, cols[0] - 1) : cols[-1] + 2]  # with a pixel covered in part
    if min(ring.shape) < SMALLEST:
        return f"no ring around it, but a mark of {ring.shape[1]} x {ring.shape[0]} pixels"
    lines = {"left": ring.T, "top": ring, "right": ring.T[::-1], "bottom": ring[::-1]}
    for side in sides:
        across = lines[side].shape[1]
        band = lines[side][:SIDE, across // 4 : -(across // 4)]
        thick, most = np.median((band >= PART).sum(0)), np.median(band.max(0))
        if thick < THICK or most < LEAST:
            return f"its {side} is {thick:g} pixels thick, with a contrast of {most:.1f}"
    return ""
