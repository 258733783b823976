"""How far the code walks for a click: figures that were brought down, held here (``benchmarks/speed/walks.py``)."""

from collections import Counter

import pytest
from your_table import small_world  # noqa: F401  a fixture

from benchmarks.speed.walks import Walk, walked, walks
from metamf import wording
from metamf.figures.window import Window


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.fixture
def walk(found, small_world):  # noqa: F811
    if not found:
        found.update(walks())
    return found


COMPUTES = ("universal/", "model/", "baselines/", "imputer/", "checkpoints/checkpoint.py", "filling/", "tables/")


def test_a_click_that_changes_nothing_on_your_table_computes_nothing_anew(walk):
    still = walk["Your table, a click that changes nothing"]
    assert still.files <= 13 and still.moves <= 75, still.visits  # 27 and 335 at commit 3e3adaa
    assert not [file for file in still.visits if file.removeprefix("metamf/").startswith(COMPUTES)]


@pytest.mark.parametrize("page", ["First page", "Watch"])
def test_a_click_that_changes_nothing_on_an_example_draws_what_was_made(walk, page):
    still = walk[f"{page}, a click that changes nothing"]
    assert still.files <= 10 and still.moves <= 50, still.visits  # 22 and 134, 17 and 162 at commit 3e3adaa
    assert not [file for file in still.visits if file.removeprefix("metamf/").startswith(COMPUTES)]


def test_a_walk_counts_the_files_of_the_app_and_the_moves_between_them():
    assert walked(lambda: Walk(Counter(a=2)).moves) == Walk(Counter())  # neither tests nor benchmarks count
    seen = walked(lambda: (wording.counted(1, "row"), wording.counted(2, "row"), Window.of((1, 1)), wording.percent(1)))
    assert seen.visits == {"metamf/wording.py": 2, "metamf/figures/window.py": 1}
    assert seen.files == 2 and seen.moves == 3
