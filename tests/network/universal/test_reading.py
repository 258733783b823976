"""Entries are read part by part as at once. What is read of them, test_network.py compares with the
dense equations."""

import pytest
import torch
from problems import CORNER_CASES, random_ratings, small_universal, structured_ratings
from torch_threads import three_threads  # noqa: F401  a fixture

from metamf.network.universal import reading
from metamf.network.universal.reading import soft_clip
from metamf.ratings.batch import RatingsBatch


def test_outliers_reach_the_network_within_limits():
    x = torch.tensor([-1e30, -6.0, -0.1, 0.0, 0.1, 1e30])
    torch.testing.assert_close(soft_clip(x[2:5]), x[2:5], rtol=1e-3, atol=0)
    assert soft_clip(x).abs().max() <= 6 and soft_clip(x, 2.0)[-1] == 2


LONG = [random_ratings(*shape, density=1.0) for shape in ((1, 300), (2, 300), (300, 1))]
MATRICES = [structured_ratings(40, 30), *LONG, *CORNER_CASES.values()]


def answer(adapted, batch) -> list[torch.Tensor]:
    cells = batch.row, batch.col
    return [
        *adapted.factors,
        *adapted.rows,
        *adapted.cols,
        adapted.predict(*cells),
        adapted.variance(*cells),
    ]


def in_parts(monkeypatch, size, function):
    """What is found with parts of so many entries; with gradients there is one part."""
    with monkeypatch.context() as patch, torch.inference_mode():
        patch.setattr(reading, "STREAM_ABOVE", 0)
        patch.setitem(reading.PART_SIZES, "cpu", size)
        return function()


@pytest.mark.slow
@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-9), (torch.float32, 1e-4)])
@pytest.mark.parametrize("size", [1, 7, 64])
def test_part_by_part_equals_at_once(monkeypatch, three_threads, dtype, tolerance, size):
    model, batch = small_universal().to(dtype), RatingsBatch.of(MATRICES, dtype)
    at_once = [value.detach() for value in answer(model.adapt(batch), batch)]
    found = in_parts(monkeypatch, size, lambda: answer(model.adapt(batch), batch))
    torch.testing.assert_close(found, at_once, rtol=tolerance, atol=tolerance)


def test_new_rows_are_read_part_by_part_as_at_once(monkeypatch):
    model = small_universal().double()
    adapted = model.adapt(RatingsBatch.of([structured_ratings(40, 30)], torch.float64))
    new = RatingsBatch.of([structured_ratings(9, 30)], torch.float64)
    found = in_parts(monkeypatch, 7, lambda: model.fold_in(new, adapted))
    torch.testing.assert_close(found, model.fold_in(new, adapted), rtol=1e-9, atol=1e-9)


@pytest.mark.gpu
def test_a_gpu_reads_part_by_part_what_a_cpu_reads(monkeypatch):
    monkeypatch.setattr(reading, "STREAM_ABOVE", 0)
    answers = []
    for device in ("cpu", "cuda"):
        monkeypatch.setitem(reading.PART_SIZES, device, 100)
        batch, model = RatingsBatch.of(MATRICES, device=device), small_universal().to(device)
        with torch.inference_mode():
            answers.append([value.cpu() for value in answer(model.adapt(batch), batch)])
    torch.testing.assert_close(answers[1], answers[0], rtol=1e-4, atol=1e-4)
