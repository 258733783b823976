"""Made-up ratings: matrices in the place of data sets, and a log of lines."""

import numpy as np

from metamf.datasets import synthetic
from metamf.ratings.scale import RatingScale

SCALES = {"ml-1m": RatingScale(1, 5, 1), "jester": RatingScale(-10, 10), "ml-100k": RatingScale(1, 5, 1)}


def made_up_ratings(name, folder=None, **options):
    rng = np.random.default_rng(len(name))
    return synthetic(rng, 250, 200, density=0.3, scale=SCALES[name]).ratings


def ratings_log(lines, users, items, seed=0):
    """A file of user, item, rating, time, as people bring them."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(users * items, lines, replace=False)
    taste = rng.normal(3.5, 0.6, users)[cells // items] + rng.normal(0, 0.6, items)[cells % items]
    stars = np.clip(np.round(taste + rng.normal(0, 0.8, lines)), 1, 5)
    columns = (cells // items, cells % items, stars.astype(int), 956703932 + rng.integers(0, 10**8, lines))
    rows = "\n".join(map(",".join, zip(*(column.astype(str) for column in columns))))
    return f"userId,movieId,rating,timestamp\n{rows}\n".encode()


def stars(n=16, m=8, seed=0, sign=",", ending=""):
    """A wide table of 1 to 5 stars, six in ten cells rated."""
    rng = np.random.default_rng(seed)
    X = np.clip(np.round(3 + rng.normal(size=(n, 1)) + rng.normal(size=m) + 0.5 * rng.normal(size=(n, m))), 1, 5)
    lines = [sign.join(["name", *(f"c{j}" for j in range(m))])]
    lines += [sign.join([f"r{i}", *(f"{x:g}{ending}" if rng.random() < 0.6 else "" for x in X[i])]) for i in range(n)]
    return "\n".join(lines).encode() + b"\n"
