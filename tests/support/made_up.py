"""Made-up ratings: matrices in the place of data sets, and a log of lines."""

import numpy as np

from metamf.datasets import synthetic
from metamf.ratings.scale import RatingScale

SCALES = dict.fromkeys(("ml-1m", "ml-100k"), RatingScale(1, 5, 1)) | {
    "jester": RatingScale(-10, 10)
}


def made_up_ratings(name, folder=None, **options):
    rng = np.random.default_rng(len(name))
    return synthetic(rng, 250, 200, density=0.3, scale=SCALES[name]).ratings


def stars(n=16, m=8, seed=0, sign=",", ending=""):
    """A wide table of 1 to 5 stars, six in ten cells rated."""
    rng = np.random.default_rng(seed)
    effects = rng.normal(size=(n, 1)) + rng.normal(size=m)
    X = np.clip(np.round(3 + effects + 0.5 * rng.normal(size=(n, m))), 1, 5)
    lines = [sign.join(["name", *(f"c{j}" for j in range(m))])]
    for i in range(n):
        cells = [f"{x:g}{ending}" if rng.random() < 0.6 else "" for x in X[i]]
        lines.append(sign.join([f"r{i}", *cells]))
    return "\n".join(lines).encode() + b"\n"
