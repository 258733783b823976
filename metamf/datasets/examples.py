"""Example matrices: small synthetic ones, each of which shows one thing. People and titles are
invented.

``tests/answer/test_examples.py`` checks what the descriptions say of methods.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from metamf.datasets.film_nights import SHOWN, STARS, film_night
from metamf.datasets.loading import GENRES, year_of
from metamf.datasets.synthetic import SyntheticMatrix, from_signal, synthetic
from metamf.ratings.scale import RatingScale

JOKES = RatingScale(-10, 10)
FULL_HOUSE = "Full house"

# fmt: off
PEOPLE = (
    "Adila", "Bram", "Chidi", "Dorte", "Emil", "Farah", "Goran", "Hana", "Ilse", "Jomo", "Kaede", "Lucio", "Mirela",
    "Nils", "Oriol", "Petra", "Quim", "Rasha", "Sefa", "Tove",
)
DISHES = (
    "Vindaloo", "Kimchi", "Harissa", "Laksa", "Sambal", "Jerk stew", "Mole", "Tom yum", "Chili", "Ezme", "Porridge",
    "Custard", "Polenta", "Milk rice",
)
GUESTS = (
    "Elena", "Ben", "Chloe", "Dev", "Ada", "Finn", "Grace", "Hugo", "Iris", "Jonas", "Kira", "Leo", "Maya", "Noah",
    "Olga", "Pablo", "Quinn", "Rosa", "Sam", "Tara",
)
GENRE_OF = {  # of each of the old and new films
    "Ferryman (1941)": "Drama", "Quay Nine (1946)": "Film-Noir", "Blue Waltz (1949)": "Musical",
    "Salt House (1957)": "Drama", "Tangier (1959)": "Comedy", "Ice Trawlers (1964)": "Documentary",
    "City Bees (1992)": "Documentary", "Snowplough (1994)": "Children's", "Her Keys (1995)": "Drama",
    "Cellar (1996)": "Horror", "Full Torque (1997)": "Action", "Pip & Pop (1997)": "Children's",
    "Cellar II (1998)": "Horror", "Spring Bride (1999)": "Comedy",
}
# fmt: on
LIKED = {
    "Documentary": 0.6,
    "Drama": 0.3,
    "Film-Noir": 0.2,
    "Children's": -0.35,
    "Horror": -0.4,
}  # stars; others: 0
FILM_NIGHT = "Film night"
HARD_TO_PLEASE = "Hard to please"
OLD_AND_NEW = "Old and new"
NIGHTS = {
    FILM_NIGHT: SHOWN,
    HARD_TO_PLEASE: replace(SHOWN, shift=-1.0),
}  # the worlds that a seed draws a night from
# of 20 and 14: unequal parts, so that averages already help a little
N_HOT_GUESTS = 14
N_HOT_DISHES = 10


@dataclass(frozen=True, eq=False)
class ExampleMatrix:
    """A made-up matrix of the app."""

    name: str  # the name to show
    description: str  # one sentence on what to look for
    matrix: SyntheticMatrix  # the matrix with its truth


def example_matrices() -> dict[str, ExampleMatrix]:
    """Every example by name, in the order to show them; made once, and the same in every
    process."""
    return {example.name: example for example in _examples()}


def night(name: str, seed: int = 0) -> ExampleMatrix:
    """The film night of a seed, from one of ``NIGHTS``."""
    descriptions = {
        FILM_NIGHT: (
            "Made up, like the nights that the model learned on: twenty friends, twelve films of "
            "two kinds. Who likes which?"
        ),
        HARD_TO_PLEASE: (
            "The same night, and everybody gives a star less than the people the "
            "model learned from."
        ),
    }
    matrix = film_night(seed, NIGHTS[name]).matrix(seed)
    for array in (matrix.truth, matrix.signal):
        array.flags.writeable = False
    return ExampleMatrix(name, descriptions[name], matrix)


@cache
def _examples() -> tuple[ExampleMatrix, ...]:
    return (
        *map(night, NIGHTS),
        _example(
            OLD_AND_NEW,
            "Twenty people have rated a few of fourteen films, made up so that genre and year "
            "count about as much as "
            "in MovieLens: old films, dramas and documentaries are liked more, horror and "
            "children's films less. Let "
            "the model know the genre: it has seen that in other matrices.",
            _old_and_new(np.random.default_rng(18)),
            GUESTS,
            tuple(GENRE_OF),
        ),
        _example(
            "Hot or mild",
            "Fourteen of twenty guests love the ten hot dishes and not the four mild ones; with "
            "the other six it is "
            "the other way round. One factor says all of that. The network's first guess does not "
            "expect it, but "
            "enough ratings are shown, so the steps find it; more than ten steps come closer.",
            _hot_or_mild(np.random.default_rng(17)),
            PEOPLE,
            DISHES,
        ),
        _example(
            "Jokes",
            "Continuous ratings from -10 to 10, nearly three quarters of them observed: much "
            "data, much noise.",
            synthetic(
                np.random.default_rng(14),
                24,
                20,
                rank=3,
                density=0.72,
                scale=JOKES,
                taste=0.18,
                noise=0.15,
            ),
            "listener",
            "joke",
        ),
        _example(
            FULL_HOUSE,
            "200 guests rated nearly all of 300 dishes: so much evidence that the paper's fixed "
            "steps overshoot.",
            synthetic(
                np.random.default_rng(16),
                200,
                300,
                rank=3,
                density=0.95,
                scale=STARS,
                column_effect=0.2,
                taste=0.25,
            ),
            "guest",
            "dish",
        ),
    )


def _example(
    name: str,
    description: str,
    matrix: SyntheticMatrix,
    rows: str | tuple[str, ...],
    cols: str | tuple[str, ...],
) -> ExampleMatrix:
    """``rows`` and ``cols`` are names, or a noun to number."""

    def labels(names: str | tuple[str, ...], size: int) -> tuple[str, ...]:
        if isinstance(names, tuple):
            return names
        return tuple(f"{names} {n}" for n in range(1, size + 1))

    N, M = matrix.ratings.shape
    ratings = replace(matrix.ratings, row_labels=labels(rows, N), col_labels=labels(cols, M))
    return ExampleMatrix(name, description, replace(matrix, ratings=ratings))


def _old_and_new(rng: np.random.Generator) -> SyntheticMatrix:
    """Films with genre and year, which count about as much as in a regression of MovieLens' mean
    ratings on them."""
    known = np.array(
        [[*(one == name for name in GENRES), year_of(film)] for film, one in GENRE_OF.items()]
    )  # (M, 19)
    level = known @ [*(LIKED.get(name, 0.0) for name in GENRES), -0.3]  # (M,)
    people = 0.35 * rng.standard_normal((len(GUESTS), 1))
    own = 0.25 * rng.standard_normal(len(GENRE_OF))
    made = from_signal(rng, 3.3 + level + own + people, density=0.2, scale=STARS, noise=0.17)
    return replace(made, ratings=replace(made.ratings, col_features=known))


def _hot_or_mild(rng: np.random.Generator) -> SyntheticMatrix:
    def likes(people: int, of: int) -> np.ndarray:
        return np.where(np.arange(of) < people, 1.0, -1.0) * rng.uniform(0.8, 1.1, of)

    guests = likes(N_HOT_GUESTS, len(PEOPLE))  # (N,)
    dishes = likes(N_HOT_DISHES, len(DISHES))  # (M,)
    signal = 3 + 1.6 * np.outer(guests, dishes)
    return from_signal(rng, signal, density=1.0, scale=STARS, noise=0.08)
