"""Inference on many entries: part by part it gives what it gives at once, in memory that does not depend on N x M."""

import multiprocessing
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, random_ratings, small_universal, structured_ratings

from benchmarks.accuracy.universal import divide_unevenly
from benchmarks.speed.gpu import pays_from
from benchmarks.speed.scale import exponent, plot, synthetic
from metamf import MetaMFImputer
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.segments import Segments
from metamf.ratings.threads import conducted, in_threads, number
from metamf.universal import network as universal
from metamf.universal import streaming, variational

REPOSITORY = Path(__file__).resolve().parents[2]
MATRICES = [structured_ratings(40, 30), *CORNER_CASES.values()]


def answer(adapted, batch) -> list[torch.Tensor]:
    cells = batch.row, batch.col
    return [*adapted.factors, *adapted.rows, *adapted.cols, adapted.predict(*cells), adapted.variance(*cells)]


@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-9), (torch.float32, 1e-4)])
@pytest.mark.parametrize("size", [1, 7, 64])
def test_part_by_part_equals_at_once(monkeypatch, three_threads, dtype, tolerance, size):
    model, batch = small_universal().to(dtype), RatingsBatch.of(MATRICES, dtype)
    at_once = answer(model.adapt(batch), batch)  # with gradients there is one part
    monkeypatch.setattr(universal, "MANY", 0)
    monkeypatch.setitem(streaming.PART, "cpu", size)
    with torch.inference_mode():
        in_parts = answer(model.adapt(batch), batch)
    assert at_once[0].requires_grad and not in_parts[0].requires_grad
    for found, expected in zip(in_parts, at_once):
        torch.testing.assert_close(found, expected.detach(), rtol=tolerance, atol=tolerance)


def test_new_rows_are_read_part_by_part_as_at_once(monkeypatch):
    model, batch = small_universal().double(), RatingsBatch.of([structured_ratings(40, 30)], torch.float64)
    new = RatingsBatch.of([structured_ratings(9, 30)], torch.float64)
    adapted = model.adapt(batch)
    at_once = model.fold_in(new, adapted)
    monkeypatch.setattr(universal, "MANY", 0)
    monkeypatch.setitem(streaming.PART, "cpu", 7)
    with torch.inference_mode():
        in_parts = model.fold_in(new, adapted)
    torch.testing.assert_close(in_parts, at_once, rtol=1e-9, atol=1e-9)


@pytest.mark.gpu
def test_a_gpu_reads_part_by_part_what_a_cpu_reads(monkeypatch):
    monkeypatch.setattr(universal, "MANY", 0)
    answers = []
    for device in ("cpu", "cuda"):
        monkeypatch.setitem(streaming.PART, device, 100)
        batch, model = RatingsBatch.of(MATRICES, device=device), small_universal().to(device)
        with torch.inference_mode():
            answers.append([value.cpu() for value in answer(model.adapt(batch), batch)])
    torch.testing.assert_close(answers[1], answers[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("in_order", [True, False], ids=["sorted", "in any order"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_sums_of_parts_are_those_of_the_whole(in_order, size):
    batch = RatingsBatch.of([CORNER_CASES["empty rows and columns"], random_ratings(9, 8)], torch.float64)
    segments: Segments = batch.by_row if in_order else batch.by_col
    values = torch.randn(len(batch.x), 3, dtype=torch.float64)
    total = torch.zeros(segments.n_groups, 3, dtype=torch.float64)
    for start in range(0, len(values), size):
        part = slice(start, min(start + size, len(values)))
        segments.add_part(total, values[part], part)
    torch.testing.assert_close(total, segments.sum(values))


@pytest.fixture
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    assert torch.get_num_threads() == 3
    torch.set_num_threads(before)


def test_threads_compute_alone_and_keep_the_order(three_threads):
    def work():
        return number(), in_threads(lambda at: (at, torch.get_num_threads(), torch.ones(1) + at), range(7))

    with torch.inference_mode():
        threads, found = conducted(work)
        outside = in_threads(lambda at: at, range(3))
    assert threads == 3 and number() == 1 and outside == [0, 1, 2]
    assert [at for at, _, _ in found] == list(range(7)) and {n for _, n, _ in found} == {1}
    assert all(value.is_inference() for _, _, value in found)
    weight = torch.ones(1, requires_grad=True)
    assert not any(value.requires_grad for value in conducted(lambda: in_threads(lambda at: weight * at, range(3))))
    with pytest.raises(ZeroDivisionError):
        conducted(lambda: in_threads(lambda at: 1 / at, range(3)))


def test_threads_that_come_later_have_as_many_threads_as_before(three_threads):
    conducted(lambda: in_threads(lambda at: at, range(3)))
    with ThreadPoolExecutor(1) as later:  # a visitor's thread, say
        assert later.submit(torch.get_num_threads).result() == 3
        assert later.submit(conducted, number).result() == 3


@pytest.mark.parametrize("weighted", [True, False])
def test_sums_of_groups_by_several_threads_are_those_by_one(three_threads, weighted):
    for batch in (RatingsBatch.of(MATRICES, torch.float64), RatingsBatch.of([CORNER_CASES["1 x M"]], torch.float64)):
        table, weight = torch.randn(batch.M, 3, dtype=torch.float64), batch.x if weighted else None
        expected = batch.by_row.sum_across(table, batch.by_col, weight)
        found = conducted(lambda: batch.by_row.sum_across(table, batch.by_col, weight))  # noqa: B023
        torch.testing.assert_close(found, expected)


def test_a_matrix_of_few_or_of_very_long_rows_is_read_as_any_other(monkeypatch):
    model = small_universal().double()
    for shape in ((1, 300), (2, 300), (300, 1)):
        batch = RatingsBatch.of([random_ratings(*shape, density=1.0)], torch.float64)
        at_once = answer(model.adapt(batch), batch)
        with monkeypatch.context() as patch, torch.inference_mode():
            patch.setattr(universal, "MANY", 0)
            patch.setitem(streaming.PART, "cpu", 16)
            torch.testing.assert_close(answer(model.adapt(batch), batch), [v.detach() for v in at_once])


def test_solves_of_many_rows_are_those_of_few(monkeypatch, three_threads):
    batch, model = RatingsBatch.of([structured_ratings(40, 30)], torch.float64), small_universal().double()
    with torch.inference_mode():
        at_once = model.adapt(batch)
        monkeypatch.setattr("metamf.universal.variational.ROWS", 7)
        monkeypatch.setattr(universal, "MANY", 0)
        torch.testing.assert_close(model.adapt(batch).rows, at_once.rows, rtol=1e-12, atol=1e-12)


def test_variances_of_more_pairs_than_one_chunk(monkeypatch):
    batch = RatingsBatch.of([structured_ratings(12, 9)], torch.float64)
    adapted = small_universal().double().adapt(batch)
    row, col = torch.cartesian_prod(torch.arange(12), torch.arange(9)).T
    monkeypatch.setitem(variational.CHUNK, "cpu", 10)
    torch.testing.assert_close(adapted.variance(row, col).view(12, 9), adapted.variance_matrix())


# -- the benchmarks' own data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("nnz", [1, 10, 5000])
def test_synthetic_ratings_are_as_many_as_asked_for_and_differ_in_popularity(nnz):
    ratings = synthetic(nnz, np.random.default_rng(0))
    assert ratings.nnz == nnz and set(ratings.values) <= {1, 2, 3, 4, 5}
    if nnz == 5000:
        counts = ratings.col_counts
        assert ratings.shape == (70, 140) and counts[:20].mean() > 2 * counts[-20:].mean()


def test_the_exponent_of_a_power_law():
    import pandas as pd

    sizes = np.array([1e4, 1e5, 1e6])
    rows = pd.DataFrame({"ratings": sizes, "fit_seconds": 3e-6 * sizes**1.2, "predict_seconds": 0.0})
    assert exponent(rows) == pytest.approx(1.2)


def test_the_plot_is_an_image_with_a_point_for_each_size():
    import pandas as pd

    sizes = np.array([1e4, 1e5, 1e6])
    image = plot(pd.DataFrame({"ratings": sizes, "fit_seconds": 3e-6 * sizes, "predict_seconds": 0.01}))
    assert len(ElementTree.fromstring(image).findall("{http://www.w3.org/2000/svg}circle")) == 3


def test_a_gpu_pays_from_the_size_on_from_which_it_stays_ahead():
    import pandas as pd

    table = pd.DataFrame({"ratings": [100, 10, 1000, 10_000], "ratio": [0.8, 1.2, 1.5, 9.0]})
    assert pays_from(table) == "a GPU pays from 1,000 ratings on"
    assert "none" in pays_from(table[:1])


def test_rows_that_give_unevenly_give_none_few_and_many():
    ratings = random_ratings(400, 50, density=0.8)
    episode = divide_unevenly(ratings, np.random.default_rng(0))
    given = episode.support.row_counts
    assert (given + episode.query.row_counts == ratings.row_counts).all()
    assert (given < ratings.row_counts).all() and (given == 0).any() and given.max() > 25
    assert 0.3 < np.mean(given <= 5) < 0.7  # (log 7) / (log 41) = 0.52


# -- a million entries ----------------------------------------------------------------------------------------------


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def mib_of_a_fit(nnz: int, shape: tuple[int, int] | None) -> tuple[float, bool]:
    """What fit and predict add to the peak resident size of this process, and whether all is finite."""
    torch.set_num_threads(1)
    ratings = synthetic(nnz, np.random.default_rng(0))
    if shape is not None:  # the same entries, spread over more rows and columns
        spread = [np.linspace(0, size - 1, old).astype(int) for size, old in zip(shape, ratings.shape)]
        ratings = Ratings(spread[0][ratings.rows], spread[1][ratings.cols], ratings.values, shape)
    MetaMFImputer("universal").fit(np.eye(3))
    rng, before = np.random.default_rng(0), peak_mib()
    cells = [rng.integers(size, size=100_000) for size in ratings.shape]
    estimates = MetaMFImputer("universal").fit(ratings).predict(*cells)
    return peak_mib() - before, bool(np.isfinite(estimates).all())


FORKED = """
import multiprocessing, numpy, torch
from metamf import MetaMFImputer
torch.set_num_threads(1)
def fit():
    MetaMFImputer().fit(numpy.random.default_rng(0).normal(size=(150, 120)))
fit()
child = multiprocessing.get_context("fork").Process(target=fit)
child.start()
child.join(60)
child.kill()
raise SystemExit(child.exitcode)
"""


def test_a_forked_process_has_threads_of_its_own():
    """Those that its parent had made do not go on in it."""
    assert subprocess.run([sys.executable, "-c", FORKED], cwd=REPOSITORY, timeout=120).returncode == 0


def in_a_fresh_process(function, *arguments):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def test_no_array_of_all_cells():
    """20,000 x 10,000 cells are 760 MiB in float32; the fit needs memory for entries, rows and columns only."""
    mib, finite = in_a_fresh_process(mib_of_a_fit, 20_000, (20_000, 10_000))
    assert finite and mib < 500


@pytest.mark.slow
def test_a_million_ratings_fit_in_a_gibibyte():
    mib, finite = in_a_fresh_process(mib_of_a_fit, 1_000_000, None)
    assert finite and mib < 1024
