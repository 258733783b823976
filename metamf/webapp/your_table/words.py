"""A description of each method, in words that need no book."""

from __future__ import annotations

SAID = {
    "mean": "the average of all ratings, everywhere",
    "row_means": "the average of the row",
    "col_means": "the average of the column",
    "universal": "learned from many tables; with intervals",
    "universal+normal": "Universal and a linear model of the columns together, weighed by your ratings; with intervals",
    "universal+trees": "the same and trees on what the linear model misses, weighed by your ratings; with intervals",
    "tuned": "Universal moved a little for your table, anew each time ratings were hidden, with the same beside it",
    "ml-1m": "the paper's model, learned from film ratings",
    "ml-100k": "the paper's model, learned from film ratings",
    "jester": "the paper's model, learned from ratings of jokes",
    "damped_bias": "how high the row and the column lie, drawn to the average",
    "crossed_effects": "how high the row and the column lie, by what the table itself says",
    "normal": "what the other answers of the row say, by how columns go together",
    "knn": "the average of the most similar rows",
    "soft_impute": "the simplest pattern that agrees with the ratings",
    "als": "a few hidden traits of rows and columns",
    "iterative": "each column predicted from the others",
}
