"""What all pages share: the tab's title, the sidebar, and what is said where a page cannot go on."""

from html import unescape

import pytest
from opened import APP, PAGES, healthy, no_data_sets, opened, players, shown_run, text  # noqa: F401  a fixture

from metamf.checkpoints import bundled
from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.webapp import frame


@pytest.mark.parametrize("page, title", [(PAGES[0], "Explore – MetaMF"), (PAGES[1], "Compare – MetaMF")])
def test_the_tab_of_the_browser_has_the_pages_own_title(monkeypatch, page, title):
    titles = []
    real = frame.st.set_page_config
    monkeypatch.setattr(
        frame.st, "set_page_config", lambda **said: titles.append(said.get("page_title")) or real(**said)
    )
    healthy(opened(page))
    assert titles[-1] == title


# Runs are kept for all visitors, and so for all tests of a process: those below ask for seeds of their own.


def test_a_checkpoint_that_is_damaged_while_it_is_served_costs_those_who_choose_it_a_sentence(monkeypatch, tmp_path):
    for name in ("ml-1m", "jester"):
        (tmp_path / f"{name}.safetensors").write_bytes(bundled.find_checkpoint(name).read_bytes())
    tensors, header = read_safetensors(tmp_path / "ml-1m.safetensors")
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    tensors.pop(next(iter(tensors)))
    write_safetensors(tmp_path / "ml-1m.safetensors", tensors, header)  # swapped for another one's parameters
    at = healthy(opened(seed=8341))
    assert "This model cannot be read now" in text(at) and not players(at)
    assert str(tmp_path) not in text(at)
    assert players(healthy(at.radio(key="model").set_value("jester").run()))


def test_where_memory_ends_a_page_says_so(monkeypatch):
    def run(*arguments):
        raise MemoryError

    at = healthy(opened())
    monkeypatch.setattr("metamf.webapp.explore.run.run", run)
    at.number_input(key="seed").set_value(8342)
    assert "low on memory" in text(healthy(at.run()))


@pytest.mark.parametrize("page", sorted(f"pages/{file.name}" for file in (APP.parent / "pages").glob("*.py")))
def test_every_page_opens_with_what_a_visitor_has_chosen_on_another_one(page):
    """Streamlit refuses to write an address in which a control stands, wherever one writes it."""
    asked = {
        "seed": 5,
        "keep": 40,
        "steps": 7,
        "sweeps": 3,
        "model": "Trained on films",
        "data": "Drinks",
        "lecture": 1,
    }
    at = healthy(opened(page, **asked))
    assert at.query_params["seed"] == "5"
    assert not healthy(at.run()).exception


def test_the_rounds_are_called_what_they_are():
    at = healthy(opened())
    assert shown_run(at)["round"] == "step"
    assert at.slider(key="steps").label == "Steps T"
    with pytest.raises(KeyError):
        at.slider(key="sweeps")
    healthy(at.radio(key="model").set_value("universal").run())
    assert shown_run(at)["round"] == "sweep"
    assert at.slider(key="sweeps").label == "Sweeps T"
    said = unescape(" ".join(caption for caption in at.radio(key="model").proto.captions))
    assert "MovieLens 1M" in said and "Our extension" in said
