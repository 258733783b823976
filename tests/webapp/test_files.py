"""Files that a click makes: what their addresses answer."""

import gc

import pytest
from served import in_a_loop
from starlette.requests import Request
from streamlit.testing.v1 import AppTest

from metamf.webapp import files
from metamf.webapp.engine import EngineError


def get(url):
    """What the server answers to a browser that asks for an address."""
    [route] = files.routes()
    asked = {"type": "http", "method": "GET", "path": f"/{url}", "headers": []}
    match, found = route.matches(asked)
    assert match.name == "FULL"
    return in_a_loop(route.endpoint(Request({"type": "http", **found})))


def opened(make=lambda: b"1,2"):
    """A page with one button of a file that ``make`` fills."""

    def page(make):
        from metamf.webapp import files

        files.offer("As CSV", make, "größte Werte.csv", key="values")

    return AppTest.from_function(page, default_timeout=60, kwargs={"make": make}).run()


def url_of(at):
    [button] = at.get("link_button")
    return button.proto.url


def test_a_click_makes_the_file_and_the_next_run_s_button_has_the_same_address():
    at = opened()
    url = url_of(at)
    sent = get(url)
    assert (sent.status_code, sent.body) == (200, b"1,2")
    assert sent.headers["content-type"].startswith("text/csv")
    name = "filename*=UTF-8''gr%C3%B6%C3%9Fte%20Werte.csv"
    assert sent.headers["content-disposition"] == f"attachment; {name}"
    assert sent.headers["cache-control"] == "no-store"
    assert url_of(at.run()) == url


@pytest.mark.parametrize(
    "error, status, said",
    [
        (EngineError("The queue is full."), 503, "The queue is full."),
        (KeyError("Ada"), 500, "could not be made"),
    ],
)
def test_a_file_that_cannot_be_made_is_a_sentence(error, status, said):
    def refuse():
        raise error

    answer = get(url_of(opened(refuse)))
    assert answer.status_code == status
    assert said in answer.body.decode()
    assert "Ada" not in answer.body.decode()


def test_an_address_is_good_for_one_session_and_ends_with_it():
    first, second = opened(), opened()
    urls = [url_of(at) for at in (first, second)]
    assert urls[0] != urls[1]
    del first
    gc.collect()
    assert [get(url).status_code for url in urls] == [404, 200]
    assert "no longer offered" in get("file/unknown").body.decode()
