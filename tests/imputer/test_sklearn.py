"""The estimator in scikit-learn's world: its checks, parameters, pipelines."""

import doctest

import numpy as np
import pandas as pd
import pytest
from problems import ratings_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import metamf
from metamf import MetaMFImputer


@pytest.fixture
def X():
    return ratings_matrix()


CALLS_PREDICT = "calls predict(X); predict(rows, cols) takes positions, so that no N x M matrix is built"
EXPECTED_FAILURES = dict.fromkeys(
    (
        "check_estimators_unfitted",
        "check_n_features_in_after_fitting",
        "check_estimators_dtypes",
        "check_dtype_object",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_dict_unchanged",
        "check_fit_idempotent",
        "check_fit2d_predict1d",
    ),
    CALLS_PREDICT,
)


class WithoutPredict(MetaMFImputer):
    @property
    def predict(self):
        raise AttributeError("scikit-learn's checks call predict(X)")


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks_pass_but_for_those_that_call_predict_on_a_matrix():
    results = check_estimator(MetaMFImputer(), expected_failed_checks=EXPECTED_FAILURES, on_fail=None)
    status = {kind: {r["check_name"] for r in results if r["status"] == kind} for kind in ("failed", "xfail", "passed")}
    assert not status["failed"]
    assert status["xfail"] == set(EXPECTED_FAILURES)
    assert len(status["passed"]) >= 30


@pytest.mark.filterwarnings("ignore")
def test_those_pass_once_predict_is_taken_away():
    results = check_estimator(WithoutPredict(), on_fail=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"] == []
    assert {r["check_name"] for r in results if r["status"] == "passed"} >= set(EXPECTED_FAILURES)


def test_clone_and_parameters():
    imputer = MetaMFImputer("jester", standardize="matrix", steps=3, step_rule="safe", clip=False)
    copy = clone(imputer)
    assert copy.get_params() == imputer.get_params()
    assert copy.set_params(steps=4).steps == 4 and imputer.steps == 3
    with pytest.raises(NotFittedError):
        copy.predict([0], [0])


def test_an_unknown_checkpoint_is_named_and_the_others_are_listed(X):
    with pytest.raises(FileNotFoundError, match=r"no checkpoint 'ml-2m': .* jester, ml-100k, ml-1m"):
        MetaMFImputer("ml-2m").fit(X)
    with pytest.raises(metamf.CheckpointError, match=r"'ml-2m'; there are jester, ml-100k, ml-1m"):
        metamf.load_pretrained("ml-2m")


def test_a_path_is_a_checkpoint_and_a_new_file_under_it_is_seen(X, tmp_path):
    from metamf.checkpoints.bundled import PRETRAINED
    from metamf.checkpoints.files import load_checkpoint, save_checkpoint

    path = tmp_path / "mine.safetensors"
    save_checkpoint(path, *load_checkpoint(PRETRAINED / "ml-1m.safetensors"))
    before = MetaMFImputer(str(path)).fit_transform(X)
    np.testing.assert_array_equal(before, MetaMFImputer("ml-1m").fit_transform(X))
    save_checkpoint(path, *load_checkpoint(PRETRAINED / "ml-100k.safetensors"))
    after = MetaMFImputer(path).fit_transform(X)
    np.testing.assert_array_equal(after, MetaMFImputer("ml-100k").fit_transform(X))
    assert not np.array_equal(before, after)


def test_the_example_in_the_docstring_runs():
    found = doctest.DocTestFinder(recurse=False).find(MetaMFImputer, "MetaMFImputer")
    result = doctest.DocTestRunner().run(found[0])
    assert result.attempted == 7 and result.failed == 0


def test_in_a_pipeline_with_names_and_pandas_output(X):
    frame = pd.DataFrame(X, columns=[f"film {m}" for m in range(X.shape[1])])
    pipeline = make_pipeline(FunctionTransformer(feature_names_out="one-to-one"), MetaMFImputer(), StandardScaler())
    out = pipeline.set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == list(frame.columns)
    assert out.notna().all(axis=None)
    assert list(pipeline[:2].get_feature_names_out()) == list(frame.columns)
