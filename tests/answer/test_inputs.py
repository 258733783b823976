"""What users pass: every kind of matrix, and the values of the parameters."""

import os
import signal
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch
from problems import ratings_matrix

from metamf import MetaMFImputer, Ratings, RatingScale

Network = partial(MetaMFImputer, "universal")  # a matrix is read before anything else is asked


@pytest.fixture(scope="module")
def fitted():
    """An imputer that nothing else is done with."""
    return Network().fit(ratings_matrix())


@pytest.fixture(scope="module")
def filled():
    """What every form of X is filled in with."""
    return Network().fit_transform(ratings_matrix())


class Survey(pd.DataFrame):
    """A data frame with metadata of its own."""

    _metadata = ("wave",)

    @property
    def _constructor(self):
        return Survey


def test_a_data_frame_comes_back_as_one_with_its_class_and_attrs(X):
    index = pd.MultiIndex.from_product([["a", "b"], range(6)], names=["group", "person"])
    frame = Survey(X, index=index, columns=pd.Index([f"c{m}" for m in range(9)], name="film"))
    frame.attrs, frame.wave = {"source": "paper"}, 3
    before = frame.copy()
    imputer = Network()
    out = imputer.fit_transform(frame)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(out[frame.notna()], frame)  # names, types and given cells
    for found in (out, imputer.transform(frame[:2])):
        assert (type(found), found.attrs, found.wave) == (Survey, {"source": "paper"}, 3)
    np.testing.assert_array_equal(imputer.feature_names_in_, frame.columns)
    assert imputer.ratings_.row_labels[7] == ("b", 1)
    assert not hasattr(imputer.fit(X), "feature_names_in_")  # a new fit forgets the names


def categorical(X):
    columns = [[None if np.isnan(x) else int(x) for x in column] for column in X.T]
    return pd.DataFrame({f"c{m}": pd.Categorical(column) for m, column in enumerate(columns)})


def objects(X):
    return np.array([[pd.NA if np.isnan(x) else x for x in row] for row in X], dtype=object)


def text(X):
    return pd.DataFrame(objects(X), dtype="string")


def mixed(X):
    parts = [categorical(X).iloc[:, :3], text(X).iloc[:, 3:5], pd.DataFrame(X).iloc[:, 5:]]
    return pd.concat(parts, axis=1).set_axis(list("abcdefghi"), axis=1)


def nullable(kind):
    return lambda X: pd.DataFrame(X).astype("Float64").astype(kind)


FORMS = {
    "categories": categorical,
    "text": text,
    "columns of several kinds": mixed,
    "objects": objects,
    "lists": lambda X: objects(X).tolist(),
    "lists of None": lambda X: [[None if np.isnan(x) else int(x) for x in row] for row in X],
    "a masked array": lambda X: np.ma.masked_array(np.nan_to_num(X, nan=3), mask=np.isnan(X)),
    "sparse columns": lambda X: pd.DataFrame(X).astype(pd.SparseDtype(float, np.nan)),
    **{kind: nullable(kind) for kind in ("Int64", "Float64", "int64[pyarrow]", "object")},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_is_read_with_na_as_missing_and_left_as_it_is(X, filled, form):
    given = form(X)
    before = given.copy()
    out = np.asarray(Network().fit_transform(given))
    assert out.dtype == np.float64
    np.testing.assert_array_equal(out, filled)
    assert pd.DataFrame(before).equals(pd.DataFrame(given))


def test_two_columns_of_one_name_are_refused(X, fitted):
    frame = pd.DataFrame(X, columns=list("abcdefgha"))
    for call in (Network().fit, fitted.transform):
        with pytest.raises(ValueError, match="two columns have the name 'a'"):
            call(frame)


@pytest.mark.parametrize("form", [np.int16, pd.SparseDtype(float, 0.0)])
def test_a_matrix_without_gaps_comes_back(X, form):
    full = np.where(np.isnan(X), 3, X)
    out = np.asarray(Network().fit_transform(pd.DataFrame(full).astype(form)))
    assert out.dtype == np.float64
    np.testing.assert_array_equal(out, full)


@pytest.mark.parametrize(
    "container", [scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array]
)
def test_explicit_entries_of_a_sparse_matrix_are_observed_zeros_included(container):
    rows, cols = np.array([0, 0, 1, 2, 2]), np.array([0, 2, 1, 0, 2])
    values = np.array([0.0, 4.0, 1.0, 3.0, 0.0])
    sparse = container(scipy.sparse.coo_array((values, (rows, cols)), shape=(3, 4)))
    imputer = Network()
    out = imputer.fit_transform(sparse)
    assert imputer.ratings_.nnz == 5 and sparse.nnz == 5
    np.testing.assert_array_equal(out[rows, cols], values)
    np.testing.assert_array_equal(out, Network().fit_transform(Ratings(rows, cols, values, (3, 4))))
    dense = np.full((3, 4), np.nan)
    dense[rows, cols] = values
    np.testing.assert_array_equal(out, Network().fit_transform(dense))


def test_explicit_nan_is_missing_padding_is_no_rating_and_a_cell_given_twice_is_refused():
    entries = scipy.sparse.coo_array(([5.0, np.nan, 1.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert Network().fit(entries).ratings_.nnz == 2
    csr = scipy.sparse.csr_array(np.array([[5.0, 0, 0, 0], [0, 0, 3, 0], [0, 2, 0, 4]]))
    imputer = Network().fit(csr.tobsr(blocksize=(3, 2)))
    padded = imputer.transform(csr.tobsr(blocksize=(1, 4)))
    np.testing.assert_array_equal(padded, Network().fit_transform(csr))
    twice = scipy.sparse.coo_array(([5.0, 4.0, 1.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    with pytest.raises(ValueError, match=r"cell \(0, 0\) is given twice"):
        Network().fit(twice)
    assert twice.nnz == 3  # and the caller's matrix is as it was


def test_ratings_keep_their_scale_and_labels():
    cells = [0, 1, 1], [0, 0, 1], [3.0, 4.0, 3.0]
    ratings = Ratings(*cells, (2, 3), ("a", "b"), ("x", "y", "z"), RatingScale(0, 100))
    imputer = Network().fit(ratings)
    assert imputer.scale_ == RatingScale(0, 100)
    assert imputer.n_features_in_ == 3
    with pytest.raises(ValueError, match="column 1 is 'w', in fit it was 'y'"):
        imputer.transform(replace(ratings, col_labels=("x", "w", "z")))
    with pytest.raises(ValueError, match="column 0 is 1, in fit it was 'x'"):
        imputer.transform(pd.DataFrame(np.ones((1, 3)), columns=[1, 2, 3]))
    with pytest.raises(ValueError, match="X has 2 features, but MetaMFImputer is expecting 3"):
        imputer.transform(Ratings([0], [0], [1.0], (1, 2)))


NO_MATRIX = [
    (np.full((2, 3), np.nan), ValueError, "no entry of the 2 x 3 matrix is observed: give at"),
    ([[1, 2], [np.inf, 3]], ValueError, r"rating at \(1, 0\) is inf; leave missing entries out"),
    ([[1, "great"], [2, 3]], ValueError, r"cell \(0, 1\) holds 'great', which is not a number"),
    (pd.DataFrame({"age": [30.0], "sex": ["f"]}), ValueError, "drop or encode column 'sex'"),
    (np.array([[1, {}]], dtype=object), TypeError, r"cell \(0, 1\) holds {}, which is not a"),
    (pd.DataFrame({"a": [1.0], "when": pd.to_datetime(["2020"])}), TypeError, "holds Timestamp"),
    ([1, 2, 3], ValueError, "Expected 2D array"),
    (np.empty((0, 3)), ValueError, "0 sample"),
]


@pytest.mark.parametrize(("matrix", "error", "message"), NO_MATRIX)
def test_what_cannot_be_a_rating_matrix_is_refused_by_name(matrix, error, message):
    with pytest.raises(error, match=message):
        Network().fit(matrix)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_an_offset_drowns_no_rating_of_few_digits(X, dtype):
    """At 2**22 (float16: 2**10) stars are exact numbers, but their mean is not."""
    offset = 2.0**22 if dtype == np.float32 else 2.0**10
    imputer = MetaMFImputer(clip=False)
    ratings = Ratings.from_dense(X + offset)
    few = ratings.with_values(ratings.values.astype(dtype))
    found, expected = imputer.impute(few).mean, imputer.impute(ratings).mean
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    out = np.float32 if dtype == np.float32 else np.float64
    assert MetaMFImputer().fit_transform(few).dtype == out


WRONG = [
    ({"steps": True}, "steps must be None or a whole number that is not negative, got True"),
    ({"checkpoint": 3}, "checkpoint must be None, a name or a path, got 3"),
    ({"guard": "quiet"}, "guard must be True or False, got 'quiet'"),
    ({"standardize": "both"}, r"standardize must be one of \('auto', 'checkpoint', .* got 'both'"),
    ({"step_rule": ["auto"]}, r"step_rule must be one of \('auto', 'paper', 'safe'\), got \['au"),
    ({"clip": "no"}, "clip must be True or False, got 'no'"),
    ({"scale": "1:5"}, r"scale must be a pair \(minimum, maximum\), .* or None, got '1:5'"),
    ({"scale": (5, 1)}, "minimum < maximum, got 5.0"),
    ({"scale": (2, 5)}, "cell .* lies outside the scale 2 to 5: correct it, or give another"),
    ({"device": None}, "device must be the name of a device, got None"),
    ({"random_state": -1}, "random_state must be None, a RandomState or a whole .*, got -1"),
    ({"tune": "always"}, "tune must be None, 'auto' or a positive whole number, got 'always'"),
    ({"device": "cuda:99"}, r"device 'cuda:99' cannot be used here \(.*\): use device='cpu'"),
]


@pytest.mark.parametrize(("values", "message"), WRONG)
def test_a_parameter_that_it_may_not_be_is_named(X, values, message):
    for call in (MetaMFImputer(**values).fit, MetaMFImputer(**values).impute):
        with pytest.raises(ValueError, match=message):
            call(X)


def test_a_random_state_seeds_tuning_as_scikit_learn_s_do(X):
    few = X[:4, :4]  # too few to tune to, so that it takes no time

    def seed(random_state):
        return Network(tune=1, random_state=random_state).fit(few).info_.tuning_seed

    shared = np.random.RandomState(7)
    assert seed(3) == 3 and seed(np.random.RandomState(7)) == seed(shared) != seed(shared)
    assert seed(None) != seed(None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_child_is_told_what_to_do_where_it_would_hang(X, fitted, threads):
    """torch waits forever in a child for threads that a fork has left behind; with one thread it
    needs none."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            for call in (Network().fit, fitted.transform):
                call(X)
            os._exit(0)
        except RuntimeError as error:
            os._exit(2 if "torch.set_num_threads(1)" in str(error) else 3)
        finally:
            os._exit(4)
    torch.set_num_threads(before)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (0 if threads == 1 else 2)
