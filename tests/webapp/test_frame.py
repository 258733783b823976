"""What all pages share: the tab's title, the sidebar, and what is said where a page cannot go
on."""

from unittest.mock import Mock

import pytest
from opened import APP, healthy, no_data_sets, opened, players, shown_run, text  # noqa: F401  a fixture

from metamf.checkpoints import bundled
from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.webapp import frame

# Runs are kept for all visitors, and so for all tests of a process: those below ask for seeds of
# their own.


def test_a_checkpoint_that_is_damaged_while_it_is_served_costs_those_who_choose_it_a_sentence(
    monkeypatch, tmp_path
):
    for name in ("ml-1m", "jester"):
        (tmp_path / f"{name}.safetensors").write_bytes(bundled.find_checkpoint(name).read_bytes())
    tensors, header = read_safetensors(tmp_path / "ml-1m.safetensors")
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    tensors.pop(next(iter(tensors)))
    # swapped for another one's parameters
    write_safetensors(tmp_path / "ml-1m.safetensors", tensors, header)
    at = healthy(opened(seed=8341))
    assert "This model cannot be read now" in text(at)
    assert not players(at)
    assert str(tmp_path) not in text(at)
    assert players(healthy(at.radio(key="model").set_value("jester").run()))


def test_where_memory_ends_a_page_says_so(monkeypatch):
    at = healthy(opened())
    monkeypatch.setattr("metamf.webapp.run.measured_run.run", Mock(side_effect=MemoryError))
    at.number_input(key="seed").set_value(8342)
    assert "low on memory" in text(healthy(at.run()))


@pytest.mark.parametrize(
    "page", sorted(f"pages/{file.name}" for file in (APP.parent / "pages").glob("*.py"))
)
def test_every_page_opens_with_what_a_visitor_has_chosen_on_another_one(page, monkeypatch):
    """Streamlit refuses to write an address in which a control stands, wherever one writes it; and
    the code of a room is nothing to Explore."""
    configure = Mock(wraps=frame.st.set_page_config)
    monkeypatch.setattr(frame.st, "set_page_config", configure)
    asked = {"seed": 5, "keep": 40, "steps": 7, "sweeps": 3, "lecture": 1, "room": "BCDF"}
    at = healthy(opened(page, **asked, model="Trained on films", data="Drinks"))
    assert at.query_params["seed"] == "5"
    assert configure.call_args.kwargs["page_title"].endswith("MetaMF")  # of the browser's tab
    healthy(at.run())
