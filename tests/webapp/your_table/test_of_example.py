"""The example table's verdict is measured once for all visitors, and nobody's own table's is."""

from collections import OrderedDict

import pytest
from opened import healthy, opened, text
from your_table import PAGE, small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.webapp.your_table import state


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(state, "_known", OrderedDict())


def tried():
    """A visitor who tries the example."""
    return healthy(opened(PAGE).button(key="table_example").click().run())


def test_a_class_that_tries_the_example_asks_for_one_measurement(small_world):
    first = text(tried())
    assert "typical error" in first and small_world.called.count("verdict") == 1
    assert text(tried()) == first and small_world.called.count("verdict") == 1
    for _ in range(2):  # each visitor's own table is that visitor's
        uploaded(stars(), "stars.csv")
    assert small_world.called.count("verdict") == 3


def test_who_waits_for_a_place_gets_what_was_measured_for_another(small_world):
    small_world.upto = 1  # hardly begun
    waiting = tried()
    assert "typical error" not in text(waiting)
    small_world.upto = None
    done = text(tried())
    assert text(healthy(waiting.run())) == done
    assert small_world.cancelled == ["job 1"]  # so its worker is free again


def test_a_checkpoint_that_is_replaced_is_measured_again(small_world, tmp_path):
    tried()
    (tmp_path / "ml-1m.safetensors").touch()
    tried()
    assert small_world.called.count("verdict") == 2
