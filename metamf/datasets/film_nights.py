"""Film nights: made-up worlds of people who each prefer one kind of film, and rate some of the
films or all of them.

    signal = level + row effect + column effect + taste       rating = round(clip(signal + noise, 1, 5))
    taste_nm = s a_n b_m  where person n prefers the kind of film m,  -s a_n b_m / (G - 1)  elsewhere (G kinds of film)

Everything is drawn from the ranges of a ``FilmNightWorld``: sizes, kinds, how many people prefer
which, the strength s of tastes from none on, effects, the level, how many ratings are given, and
how much people rather rate what they like. So a network that learns on such nights has seen many
worlds, and none of the people and films that it is shown later. No real data is behind them. The
checkpoint ``film-nights`` learns on them, the app's first example is one of them, and
``benchmarks.accuracy.film_nights`` measures on others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.datasets.synthetic import SyntheticMatrix, standardized, weighted_draw
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

STARS = RatingScale(1, 5, 1)
KINDS = "crime", "love", "space"
# fmt: off
PEOPLE = (
    "Ada", "Ben", "Chloe", "Dev", "Elena", "Finn", "Grace", "Hugo", "Iris", "Jonas", "Kira", "Leo", "Maya", "Noah",
    "Olga", "Pablo", "Quinn", "Rosa", "Sam", "Tara", "Umar", "Vera", "Wen", "Ximena", "Yusuf", "Zoe", "Amir", "Bea",
    "Carl", "Dina",
)
TITLES = {  # short, so that they are whole above a column
    "crime": (
        "Mill Lane", "Inspector Wren", "A Red Clue", "The Heiress", "Platform 9", "Alibi", "Third Witness",
        "Poison for Two", "Arsenic", "The Quiet Cop", "Lost in Leeds", "Body in the Bay", "Forged Will",
        "Sergeant Pike", "No Fingerprints",
    ),
    "love": (
        "Kiss in Vienna", "Valentine", "Wedding Train", "Love, Unsent", "Marry Me", "Two Hearts", "Yours, June",
        "The Proposal", "Dear Clara", "Roses for Rafael", "Sweethearts", "A Ring for Robin", "Honeymoon",
        "First Kiss", "Love at Low Tide",
    ),
    "space": (
        "Moonbase", "Last Astronaut", "Orbit of Fear", "Vega Calling", "Titan", "Starship", "Seven Suns",
        "Mars Garden", "Comet Riders", "Airlock", "Gravity", "Glass Planet", "The Dark Side", "Past Neptune",
        "Robots of Rhea",
    ),
}
KIND_NAMES = {  # of a film, and of who prefers it
    "crime": ("detective films", "detective fans"),
    "love": ("love films", "love-film fans"),
    "space": ("space films", "space-film fans"),
}
# fmt: on
# begin the seeds of nights, and of their names; their values mean nothing
A_NIGHT = 41
ITS_NAMES = 42


@dataclass(frozen=True)
class FilmNightWorld:
    """The ranges (smallest, largest) that a film night is drawn from, evenly; in stars where
    nothing else is said. There are names for 30 people, and for 30 films of 2 or 3 kinds."""

    people: tuple[int, int] = (12, 30)
    films: tuple[int, int] = (8, 16)
    kinds: tuple[int, int] = (
        2,
        3,
    )  # of films; each kind has as many films as the others, or one less
    majority: tuple[float, float] = (
        0.5,
        0.9,
    )  # share of the people who prefer one kind; others: evenly the others
    taste: tuple[float, float] = (0.0, 1.1)  # strength s of the tastes
    factor: tuple[float, float] = (0.7, 1.3)  # a_n of each person and b_m of each film
    row_effect: tuple[float, float] = (0.1, 0.6)  # standard deviation over the people
    column_effect: tuple[float, float] = (0.1, 0.6)  # standard deviation over the films
    noise: tuple[float, float] = (0.39, 0.39)  # standard deviation
    level: tuple[float, float] = (3.2, 3.9)  # the mean of the world
    given: tuple[float, float] = (0.08, 0.6)  # share of the cells whose ratings are given
    liking: tuple[float, float] = (
        0.0,
        2.0,
    )  # log-odds of being given for a rating one standard deviation higher
    # probability that a night's ratings are chosen by liking; otherwise at random: liking 0
    chosen: float = 0.5
    # added to what everybody thinks: -1 is the same night with people who are harder to please
    shift: float = 0.0


#: Nights as the app shows them: one size, two kinds, and tastes that are strong enough to be seen
#: and that neither nearly all nor half of the people have.
SHOWN = FilmNightWorld(
    people=(20, 20), films=(12, 12), kinds=(2, 2), majority=(0.6, 0.7), taste=(0.6, 1.1)
)


@dataclass(frozen=True, eq=False)
class FilmNight:
    """One night: what everybody would rate, why, and whose ratings are given."""

    truth: np.ndarray  # (N, M) every rating, stars
    # (N, M) what each person thinks of each film, before noise, rounding and clipping
    signal: np.ndarray
    tastes: np.ndarray  # (N, M) the part of the signal that is taste
    preference: np.ndarray  # (N,) the kind, in 0..G-1, that each person prefers, ascending
    kind: np.ndarray  # (M,) the kind of each film, ascending
    share: float  # of the cells whose ratings are given
    liking: float  # log-odds of being given for a rating one standard deviation higher
    chance: np.ndarray  # (N, M) Gumbel numbers, which decide with ``liking`` what is given

    def given(self, share: float | None = None, liking: float | None = None) -> np.ndarray:
        """(N, M) whether each rating is given, by default as the night was drawn.

        What is given at a share is given at every larger one, too. ValueError for a share outside
        (0, 1].
        """
        liking = self.liking if liking is None else liking
        share = self.share if share is None else share
        return weighted_draw(liking * standardized(self.truth), share, self.chance)

    def ratings(self, seed: int = 0) -> Ratings:
        """Every rating, with names of people and films; titles tell the kind. ``seed`` is that of
        the names."""
        rows, cols = np.indices(self.truth.shape).reshape(2, -1)
        people, titles = self.names(seed)
        return Ratings(rows, cols, self.truth.ravel(), self.truth.shape, people, titles, STARS)

    def groups(self) -> dict[str, list[tuple[str, int]]]:
        """Names and sizes of the groups of films that are next to each other, ``cols``, and of
        people who prefer them, ``rows``."""
        names = [KIND_NAMES[kind] for kind in KINDS]
        films = np.bincount(self.kind).tolist()
        people = np.bincount(self.preference, minlength=len(films)).tolist()
        return {
            "rows": [(fans, n) for (_, fans), n in zip(names, people)],
            "cols": [(film, n) for (film, _), n in zip(names, films)],
        }

    def matrix(self, seed: int = 0) -> SyntheticMatrix:
        """The night as an example of the app, in which every cell is rated."""
        return SyntheticMatrix(self.ratings(seed), self.truth, self.signal)

    def names(self, seed: int = 0) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the people, (N,), and the titles of the films, (M,)."""
        rng = np.random.default_rng([ITS_NAMES, seed])
        people = rng.permutation(PEOPLE[: len(self.truth)]).tolist()
        titles: list[str] = []
        for kind, n in zip(KINDS, np.bincount(self.kind)):
            titles += rng.permutation(TITLES[kind])[:n].tolist()
        return tuple(people), tuple(titles)


def film_night(seed: int, world: FilmNightWorld = SHOWN) -> FilmNight:
    """The night of a seed, the same in every process; no training draws from these seeds."""
    return draw_night(np.random.default_rng([A_NIGHT, seed]), world)


def draw_night(rng: np.random.Generator, world: FilmNightWorld = FilmNightWorld()) -> FilmNight:
    """A night of a world, of which everything is drawn from ``rng``."""
    N, M, G = (
        int(rng.integers(low, high + 1)) for low, high in (world.people, world.films, world.kinds)
    )
    kind = np.arange(M) * G // M
    preference = _preferences(rng, N, G, rng.uniform(*world.majority))
    match = np.where(preference[:, None] == kind, 1.0, -1.0 / (G - 1))  # (N, M)
    factors = np.outer(rng.uniform(*world.factor, N), rng.uniform(*world.factor, M))
    tastes = rng.uniform(*world.taste) * factors * match
    row_effect = rng.uniform(*world.row_effect) * rng.standard_normal((N, 1))
    column_effect = rng.uniform(*world.column_effect) * rng.standard_normal((1, M))
    signal = rng.uniform(*world.level) + world.shift + row_effect + column_effect + tastes
    noise = rng.uniform(*world.noise) * rng.standard_normal((N, M))
    truth = STARS.clip(np.round(signal + noise))
    share = rng.uniform(*world.given)
    liking = rng.uniform(*world.liking) if rng.random() < world.chosen else 0.0
    return FilmNight(
        truth, signal, tastes, preference, kind, share, liking, rng.gumbel(size=(N, M))
    )


def _preferences(rng: np.random.Generator, N: int, G: int, majority: float) -> np.ndarray:
    """(N,) the kinds that people prefer, ascending: ``majority`` of them one kind, the others
    evenly the rest."""
    favourite = int(rng.integers(G))
    n_majority = round(majority * N)
    others = (favourite + 1 + np.arange(N - n_majority) % (G - 1)) % G
    return np.sort(np.concatenate([np.full(n_majority, favourite), others]))
