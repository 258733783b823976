"""Files that a click makes: what their addresses answer."""

import gc
from functools import partial

import pytest
from served import in_a_loop
from starlette.requests import Request
from streamlit.testing.v1 import AppTest

from metamf.webapp import files
from metamf.webapp.engine import EngineError


def get(url):
    """What the server answers to a browser that asks for an address."""
    [route] = files.routes()
    match, found = route.matches({"type": "http", "method": "GET", "path": f"/{url}", "headers": []})
    assert match.name == "FULL"
    return in_a_loop(route.endpoint(Request({"type": "http", **found})))


def opened(make=lambda: b"1,2"):
    """A page with one button of a file that ``make`` fills."""

    def page(make):
        from metamf.webapp import files

        files.offer("As CSV", make, "größte Werte.csv", key="values")

    return AppTest.from_function(page, default_timeout=60, kwargs={"make": make}).run()


def refuse(error):
    raise error


def test_a_click_makes_the_file_and_the_next_run_s_button_has_the_same_address():
    at = opened()
    [button] = at.get("link_button")
    sent = get(button.proto.url)
    assert sent.status_code == 200 and sent.body == b"1,2" and sent.headers["content-type"].startswith("text/csv")
    assert sent.headers["content-disposition"] == "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fte%20Werte.csv"
    assert sent.headers["cache-control"] == "no-store"
    assert at.run().get("link_button")[0].proto.url == button.proto.url


@pytest.mark.parametrize(
    "error, status, said",
    [(EngineError("The queue is full."), 503, "The queue is full."), (KeyError("Ada"), 500, "could not be made")],
)
def test_a_file_that_cannot_be_made_is_a_sentence(error, status, said):
    [button] = opened(partial(refuse, error)).get("link_button")
    answer = get(button.proto.url)
    assert answer.status_code == status and said in answer.body.decode() and "Ada" not in answer.body.decode()


def test_an_address_is_good_for_one_session_and_ends_with_it():
    first, second = opened(), opened()
    urls = [at.get("link_button")[0].proto.url for at in (first, second)]
    assert urls[0] != urls[1]
    del first
    gc.collect()
    assert [get(url).status_code for url in urls] == [404, 200]
    assert "no longer offered" in get("file/unknown").body.decode()
