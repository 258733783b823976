"""Pages opened by Streamlit's AppTest, for the tests of the application."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest

from metamf.webapp.choices import UPLOAD
from metamf.webapp.data.own import Upload
from metamf.webapp.player.component import NAME

APP = Path(__file__).resolve().parents[2] / "app.py"
PAGES = ("pages/explore.py", "pages/compare.py")


@pytest.fixture(autouse=True)
def no_data_sets(request, monkeypatch, tmp_path):
    """Pages meet an empty data folder unless a test asks for the real one, start no process,
    and know nothing of the visits of other tests, which AppTest takes for one session.
    """
    clear_session_resource_cache("test session id")
    if "data" not in request.keywords:
        monkeypatch.setenv("METAMF_DATA", str(tmp_path))
    request.getfixturevalue("straight_engine")


def opened(page=PAGES[0], **query):
    """A page, as a link opens it."""
    at = AppTest.from_file(APP, default_timeout=180)
    if page != PAGES[0]:
        at.switch_page(page)
    for name, value in query.items():
        at.query_params[name] = str(value)
    return at.run()


def text(at):
    """All that the page says, without markup and style."""
    bodies = [
        element.proto.body
        for element in at.get("html")
        if not element.proto.body.startswith("<style>")
    ]
    bodies += [element.value for element in (*at.markdown, *at.header, *at.subheader)]
    words = re.sub(
        '<span class="mf-term"[^>]*>(.*?)</span>', r"\1", " ".join(bodies)
    )  # that have a title
    return unescape(re.sub("<[^>]+>", " ", words))


def html(at):
    return "".join(element.proto.body for element in at.get("html"))


def charts(at):
    return at.get("plotly_chart")


def given_to(at, component):
    """What each mount of a component on the page was given."""
    mounts = [mount.proto for mount in at.get("bidi_component")]
    return [json.loads(mount.json) for mount in mounts if mount.component_name == component]


def players(at):
    """What each player on the page was given: its run, its scene and what it may ask."""
    return [data for data, *_ in given_to(at, NAME)]


def tiles(at):
    """The numbers of the tiles by their names."""
    html = next(
        e.proto.body for e in at.get("html") if e.proto.body.startswith('<div class="mf-tiles">')
    )
    return dict(re.findall(r"<span>([^<]*)</span><b>([^<]*)</b>", html))


def shown_run(at):
    """The run that the page's one player was given."""
    [player] = players(at)
    return player["run"]


def healthy(at):
    """The page, which shows no error; all of its figures are described by numbers and have a table
    of them."""
    assert not at.exception and not at.error
    silent = [chart.proto.id for chart in charts(at) if not re.search(r"\d", chart.proto.alt)]
    assert not silent
    tables = [e for e in at.get("html") if "<table" in e.proto.body]
    assert tables or not charts(at)
    return at


def brought(at, data, name="mine.csv"):
    """The page, to which another file was brought from Your table."""
    at.session_state["table_upload"] = Upload(name, data)
    return at


def with_file(data, name="mine.csv", page=PAGES[0]):
    """A page on one matrix, with an uploaded file."""
    data = data.encode() if isinstance(data, str) else data
    at = AppTest.from_file(APP, default_timeout=180)
    at.query_params["data"] = UPLOAD
    brought(at, data, name).run()
    return healthy(at if page == PAGES[0] else at.switch_page(page).run())
