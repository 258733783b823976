"""Scenes and players of the package on a page of their own, in a real browser without the
application."""

from dataclasses import replace
from pathlib import Path

import pytest

from metamf.answer.division import Matrix, divide
from metamf.datasets.examples import FILM_NIGHT, example_matrices
from metamf.webapp.player import component
from metamf.webapp.player.bundle import bundle
from metamf.webapp.run.measured_run import run
from metamf.webapp.run.replay import replay

FOLDER = Path(component.__file__).parent
STYLE = "\n".join(
    (FOLDER / f"{name}.css").read_text("utf-8") for name in ("player", "inspector", "maps")
)
ADDRESS = "http://scene.test"  # answered from the package; nothing else is there
LIGHT = {"text-color": "#23272f", "background-color": "#fdfcf9", "primary-color": "#1f6f78"}
DARK = {"text-color": "#e9e7e1", "background-color": "#12161c", "primary-color": "#63bdb6"}
HTML = """<!doctype html><meta charset="utf-8"><title>Scene</title><link rel="stylesheet" href="/style.css">
<main id="room" style="background: var(--st-background-color)"></main>
<script type="module">
import { createPlayer } from "/bundle.js";
let player;
Object.defineProperty(window, "state", { get: () => player.state() });
window.theme = (colours) => {
  room.style.colorScheme = parseInt(colours["background-color"].slice(1), 16) < 0x800000 ? "dark" : "light";
  for (const [name, value] of Object.entries(colours)) room.style.setProperty(`--st-${name}`, value);
};
window.dispatch = async (event) => {
  player.dispatch(event);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
};
// Draws a run in a scene, at step t; a run in the scene that is there takes the place of the one before.
window.draw = (run, name, t = null) => {
  const data = { run, scene: name, asks: [], options: { address: false } };
  if (player && name !== player.scene.name) {
    player.destroy();
    player = undefined;
  }
  player ??= createPlayer(room, data);
  player.update(data, () => {});
  return window.dispatch({ type: "go", t: t ?? run.T });
};
window.ready = true;
</script>"""


def payload(checkpoint, steps, **labels):
    """The film night as ``checkpoint`` fills it in."""
    night = example_matrices()[FILM_NIGHT]
    ratings = replace(night.matrix.ratings, **labels)
    task = divide(
        Matrix(night.name, night.description, ratings, night.matrix.truth), 0.5, "at random", 1
    )
    return replay(run(task, checkpoint, steps))


@pytest.fixture(scope="module")
def page(browser, request):
    """One page for all tests of a file; each draws its own scene. ``DENSITY`` of the file: device
    pixels for one."""
    density = getattr(request.module, "DENSITY", 1)
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, accept_downloads=True, device_scale_factor=density
    )
    page = context.new_page()
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on("dialog", lambda dialog: (page.troubles.append(dialog.message), dialog.dismiss()))

    files = {"": (HTML, "html"), "bundle.js": (bundle(), "javascript"), "style.css": (STYLE, "css")}

    def answer(route):
        body, kind = files[route.request.url.removeprefix(f"{ADDRESS}/")]
        route.fulfill(body=body, content_type=f"text/{kind}")

    page.route(f"{ADDRESS}/**", answer)
    page.goto(ADDRESS)
    page.wait_for_function("window.ready")
    yield page
    assert page.troubles == [], page.troubles
    context.close()


def draw(page, data, scene, t=None, size=(1440, 900), theme=LIGHT):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("theme", theme)
    page.evaluate("([data, scene, t]) => draw(data, scene, t)", [data, scene, t])
    page.mouse.move(0, 0)


def figure(page, name):
    return page.locator(f"[data-figure={name}]")
