"""What scikit-learn asks of a transformer: names of columns, and what it passes on."""

import pandas as pd
import pytest
from problems import ratings_matrix

from metamf import MetaMFImputer, Ratings


@pytest.fixture
def X():
    return ratings_matrix()


def test_the_names_of_the_columns_come_out_again(X):
    names = [f"film {m}" for m in range(9)]
    labelled = Ratings.from_dense(X, col_labels=names)
    for given in (labelled, pd.DataFrame(X, columns=names)):
        assert MetaMFImputer().fit(given).get_feature_names_out().tolist() == names
    assert MetaMFImputer().fit(X).get_feature_names_out().tolist() == [f"x{m}" for m in range(9)]
    assert MetaMFImputer().fit(labelled).get_feature_names_out(list("abcdefghi")).tolist() == list("abcdefghi")


def test_set_output_names_the_columns_of_an_array(X):
    out = MetaMFImputer().set_output(transform="pandas").fit_transform(X)
    assert list(out.columns) == [f"x{m}" for m in range(X.shape[1])]
