"""Features of rows as people have them: numbers, words and gaps become numbers."""

import numpy as np
import pandas as pd
import pytest

from metamf import MetaMFImputer
from metamf.ratings.features import MOST_WORDS, FeatureCoding

PUPILS = pd.DataFrame(
    {
        "age": [11, 12, None, 13],
        "class": pd.Categorical([6, 7, 7, 6]),
        "late": [True, False, True, None],
        "name": ["Ada", "Ben", "Cleo", "Dan"],
        "school": "one",
        "note": ["ill", "", "ill", None],
    }
)


def test_words_become_zeros_and_ones_and_gaps_say_nothing():
    coding = FeatureCoding.of(PUPILS)  # no names, not the one school
    of_classes = [[11, 1, 0], [12, 0, 1], [12, 0, 1], [13, 1, 0]]
    np.testing.assert_allclose(coding(PUPILS)[:, :3], of_classes)
    np.testing.assert_allclose(coding(PUPILS)[:, 3:], [[1, 1], [0, 0], [1, 1], [2 / 3, 0]])
    new = PUPILS[:1].assign(**{"class": 8, "age": None})
    np.testing.assert_array_equal(coding(new), [[12, 0, 0, 1, 1]])
    assert coding.idle == ("name", "school")
    assert FeatureCoding.of(PUPILS["name"])(PUPILS["name"]) is None
    texts = np.array([["a", "3"], ["a", "4"], ["b", ""]])
    np.testing.assert_array_equal(FeatureCoding.of(texts)(texts), [[1, 3], [1, 4], [0, 3.5]])
    many = FeatureCoding.of([f"{i}th" for i in range(2 * MOST_WORDS)] * 2)
    assert len(many.parts[0]) == MOST_WORDS


def test_what_does_not_fit_the_features_of_the_fit_is_named():
    X = np.array([[5, 4, np.nan], [1, np.nan, 2], [4, 2, 1], [np.nan, 3, 5]])
    imputer = MetaMFImputer().fit(X, row_features=PUPILS)
    for features, said in (
        (PUPILS.assign(age="old"), "the feature 'age' holds 'old', in fit it held numbers"),
        (PUPILS[["age"]], r"the features are \['age'\], in fit they were \['age', 'class'"),
    ):
        with pytest.raises(ValueError, match=said):
            imputer.transform(X, row_features=features)
    with pytest.raises(ValueError, match="fit was not given row_features"):
        MetaMFImputer().fit(X).transform(X, row_features=PUPILS)
    with pytest.raises(TypeError, match="the feature 'born' holds datetime64"):
        imputer.fit(X, row_features=pd.DataFrame({"born": pd.date_range("2010", periods=4)}))
