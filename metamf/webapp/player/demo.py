"""The opening night as one file that plays without Python: docs/demo.html.

    python -m metamf.webapp.player.demo docs/demo.html

Fills in the film night of seed 0, of which 72 of 240 ratings are given, at random and as people like, and writes the
page with the app's own player: steps, factors, points, inspector and truth.
"""

from __future__ import annotations

import sys
from pathlib import Path

from metamf.answer.division import Matrix, Task
from metamf.datasets.film_nights import film_night
from metamf.webapp.explore.run import Run, run
from metamf.webapp.player.component import saved_choice
from metamf.webapp.player.replay import replay

SEED = 0  # not chosen
SHARE = 0.3  # of the ratings, given
LIKING = {"what people like": 1.0, "at random": 0.0}  # odds e^liking per spread of the rating
CHECKPOINT = "film-nights"
STEPS = 10


def page() -> str:
    """The text of the file."""
    runs = {name: replay(shown(liking)) for name, liking in LIKING.items()}
    found = {name: run["errors"]["hidden"] for name, run in runs.items()}
    first = found["what people like"]
    sentence = (
        "Twenty people, twelve films, 72 of 240 ratings given. A network that learned from other people's ratings of "
        f"other films fills in the rest: ten steps take its error from {first[0]:.2f} to {first[-1]:.2f} stars where "
        f"people rate what they like, and to {found['at random'][-1]:.2f} where the ratings are given at random."
    )
    return saved_choice(runs, "Given ratings", "fill", "Who likes what?", sentence)


def shown(liking: float) -> Run:
    """The run on the night, whose ratings are given by that much liking."""
    night = film_night(SEED)
    ratings = night.ratings(SEED)
    given = night.given(SHARE, liking)[ratings.rows, ratings.cols]
    matrix = Matrix("Film night", "", ratings, night.truth)
    task = Task(matrix, ratings.select(given), ratings.select(~given))
    return run(task, CHECKPOINT, STEPS)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
