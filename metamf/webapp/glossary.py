"""The words of the field with their meanings, and the forms in which they stand in sentences.

``metamf.webapp.look`` explains each word where it first appears on a page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Term:
    """A word of the field.

    Attributes
    ----------
    key : identifier, in the ids of the page's elements too
    name : the word as a headword
    meaning : explanation in one or two sentences
    forms : other forms in which it stands in sentences; the plural with s is found by itself
    """

    key: str
    name: str
    meaning: str
    forms: tuple[str, ...] = ()


TERMS = (
    Term(
        "rating-matrix",
        "rating matrix",
        "A table with a row for each person and a column for each thing; a cell holds the rating, if there is one.",
        ("rating matrices", "matrix of ratings"),
    ),
    Term("given", "given", "A rating that the model is shown. All other cells are empty to it.", ("given cell",)),
    Term(
        "hidden",
        "hidden cell",
        "A cell whose true rating is known to us and withheld from the model, so that its estimate can be checked.",
        ("hidden rating", "held-out rating"),
    ),
    Term(
        "factor",
        "factor",
        "One of a few numbers that describe a row or a column. Nobody chooses their meaning; they are fitted.",
    ),
    Term(
        "factorization",
        "matrix factorization",
        "Writing a matrix as a product U Vᵀ: each estimate is the sum of a row's factors times a column's factors.",
    ),
    Term("mf", "MF", "Matrix factorization that is fitted to this one matrix, and knows nothing of other matrices."),
    Term(
        "rank",
        "rank",
        "How many patterns, each one number per row times one per column, add up to a matrix. K factors make rank K at "
        "most; a low rank is simple.",
    ),
    Term(
        "rmse", "RMSE", "Typical size of an error: the root of the mean squared difference between estimate and truth."
    ),
    Term("mae", "MAE", "Mean absolute error: how far an estimate is from the truth on average, without its sign."),
    Term(
        "baseline",
        "baseline",
        "A simple method to compare with, such as guessing the mean. A model has to beat it to be worth its effort.",
    ),
    Term(
        "prior",
        "prior",
        "What is assumed about the factors before they are fitted: a mean for each of them, and how firmly it holds.",
        ("prior distribution",),
    ),
    Term(
        "prior-mean",
        "prior mean",
        "The values U(0) and V(0) that the factors start from, and towards which they are pulled back.",
    ),
    Term(
        "map",
        "MAP",
        "Maximum a posteriori: the factors that agree best with the given ratings and with the prior together.",
    ),
    Term(
        "map-step",
        "MAP step",
        "One small change of all factors: towards the given ratings, and back towards the prior. Eqs. (6) and (7).",
        ("gradient step",),
    ),
    Term(
        "sweep",
        "sweep",
        "The universal checkpoint's round: all rows are set to their best values, then all columns. It has no step "
        "size.",
    ),
    Term(
        "step-size",
        "step size",
        "η, how far one step moves along its direction. Too small is slow; too large overshoots and diverges.",
        ("η",),
    ),
    Term(
        "learning-rate",
        "learning rate",
        "How far one update of a training moves the numbers that are learned. Too small is slow; too large diverges.",
    ),
    Term(
        "lambda",
        "λ",
        "How strongly the factors are pulled back to the prior. The paper's model learns it along with its network.",
        ("prior precision",),
    ),
    Term(
        "regularization",
        "regularization",
        "A penalty for large factors. It is a prior, too: one that expects every factor to be zero.",
        ("weight decay", "regularisation"),
    ),
    Term(
        "overfitting",
        "overfitting",
        "Matching the given ratings so closely, noise included, that the estimates of the others become worse.",
        ("overfits",),
    ),
    Term(
        "standardised",
        "standardised",
        "Minus the mean, divided by the standard deviation: so 0 is an average rating, and 1 a typical distance from "
        "it.",
        ("standardized",),
    ),
    Term(
        "checkpoint",
        "checkpoint",
        "A file with everything that a model has learned. Opening it is all that is needed to use the model.",
    ),
    Term(
        "seed",
        "seed",
        "The number that a random choice starts from: the same seed makes the same choice, another seed another one.",
    ),
    Term(
        "support",
        "support",
        "In meta-training, the part of a matrix that the model is given.",
    ),
    Term(
        "query",
        "query",
        "In meta-training, the part of a matrix that is held back, and on which the error is measured.",
    ),
    Term(
        "episode",
        "episode",
        "One exercise of meta-training: draw a matrix, divide its ratings into support and query, estimate the query.",
    ),
    Term(
        "meta-learning",
        "meta-learning",
        "Learning how to learn: from many matrices, how to fill in one that was never seen.",
        ("meta-learned", "meta-learns"),
    ),
    Term(
        "meta-training",
        "meta-training",
        "Improving the network by episode after episode. It ends before the matrix that is shown here is seen.",
        ("meta-trained",),
    ),
    Term(
        "exchangeable",
        "exchangeable",
        "A layer that treats all rows alike and all columns alike: reorder the matrix, and its output is reordered "
        "too.",
    ),
    Term(
        "interval",
        "interval",
        "A range around an estimate. Of the ratings that nobody has given, 90 % should lie in their 90 % interval.",
    ),
    Term(
        "held-out",
        "held out",
        "Kept away from training or from the model, in order to measure the error on it.",
        ("held-out",),
    ),
    Term(
        "training-domain",
        "training domain",
        "The sizes, the densities and the rating scales of the matrices that a checkpoint has learned from.",
    ),
    Term(
        "at-random",
        "missing at random",
        "Which cells are empty has nothing to do with what would stand in them. People often rate what they like.",
    ),
    Term(
        "residual",
        "residual",
        "Estimate minus rating on a given cell: what is still wrong there, and what drives the next step.",
    ),
    Term(
        "frobenius-norm",
        "Frobenius norm",
        "The size of a matrix as one number: the root of the sum of the squares of all its numbers.",
    ),
    Term(
        "channel",
        "channel",
        "One of the numbers that a layer computes for every cell: a whole map of the matrix, seen in one way.",
    ),
    Term(
        "relu",
        "ReLU",
        "Keeps a positive number and makes a negative one zero: this lets a network do more than add up averages.",
    ),
    Term(
        "curvature",
        "curvature",
        "How fast a slope changes on the way. In a narrow valley it is large, and a long step lands on the other side.",
    ),
    Term(
        "saddle",
        "saddle point",
        "A place without any slope that is not the bottom of a valley: steps that follow the slope never leave it.",
    ),
    Term(
        "permutation",
        "permutation",
        "Another order of the same rows, or of the same columns; nothing is added and nothing is left out.",
    ),
    Term(
        "eml",
        "EML",
        "Exchangeable layers that answer at once, without factors and without steps; a comparing method of the paper.",
    ),
)
BY_KEY = {term.key: term for term in TERMS}


@cache
def key_of_form() -> dict[str, str]:
    """The key of the term by each form in which it stands in sentences; in small letters unless all are capitals."""
    found: dict[str, str] = {}
    for term in TERMS:
        for form in (term.name, *term.forms):
            if _folded(form) in found:
                raise ValueError(f"{form!r} is a form of two terms, {found[_folded(form)]!r} and {term.key!r}")
            found[_folded(form)] = term.key
            found.setdefault(_folded(f"{form}s"), term.key)
    return found


@cache
def any_form() -> re.Pattern[str]:
    """Any form as a whole word; of two that begin alike, the longer one. Capitals are told apart in abbreviations."""
    forms = sorted({form for term in TERMS for name in (term.name, *term.forms) for form in (name, f"{name}s")})
    words = [
        re.escape(form) if form.isupper() or not form.isascii() else f"(?i:{re.escape(form)})"
        for form in sorted(forms, key=len, reverse=True)
    ]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])")


def _folded(form: str) -> str:
    return form if form.isupper() else form.lower()
