"""The first screen as one file that needs no server: docs/demo.html, which runs the network by
itself.

    python -m metamf.webapp.explore.demo docs/demo.html

It has the weights of film-nights and forty film nights with their truth, the first of which is the
app's: the share, at random or as people like, every step, edits of cells, and ratings of one's own
are computed in the page.
"""

from __future__ import annotations

import sys
from pathlib import Path

from metamf.answer.division import Matrix, Selection, divide
from metamf.datasets.film_nights import film_night
from metamf.webapp.player.component import saved_page
from metamf.webapp.player.live import live_of, table_of
from metamf.webapp.run.curve import over_nights
from metamf.webapp.run.measured_run import run
from metamf.webapp.run.replay import replay

NIGHTS = 40  # in the file; the first one, of seed 0, is not chosen
KEEP = 30  # percent of the ratings, given
BY: Selection = "at random"
CHECKPOINT = "film-nights"
STEPS = 10
TITLE = "Who would like what?"
EXAMPLE = """\
\tAlien\tAmélie\tCasablanca\tDune\tNotting Hill\tTitanic
Ann\t5\t\t\t5\t2\t
Bob\t\t4\t5\t\t4\t5
Cem\t4\t2\t\t\t\t
Dee\t\t\t4\t\t5\t5
Eve\t5\t\t\t4\t\t2
Fay\t\t5\t\t2\t\t4
"""


def page() -> str:
    """Returns the text of the file."""
    nights = [table_of(_night(seed), seed, film_night(seed).groups()) for seed in range(NIGHTS)]
    weights = live_of(CHECKPOINT, nights, over_nights(CHECKPOINT))
    task = divide(_night(0), KEEP / 100, BY, 0)
    choices = {"keep": KEEP, "by": BY, "seed": 0, "steps": STEPS}
    return saved_page(
        replay(run(task, CHECKPOINT, STEPS)),
        "fill",
        TITLE,
        "The people, the films and their ratings are made up. The method of Iwata (2021), step by "
        "step.",
        live={"id": weights["id"], "choices": choices, "seen": 0},
        weights=weights,
        own={"example": EXAMPLE},
    )


def _night(seed: int) -> Matrix:
    night = film_night(seed)
    return Matrix("Film night", "", night.ratings(seed), night.truth)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
