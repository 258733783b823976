"""Layers on many entries: part by part they give what they give at once."""

import pytest
import torch
from problems import CORNER_CASES, random_ratings, small_universal, structured_ratings
from torch_threads import three_threads  # noqa: F401  a fixture

from metamf.ratings.batch import RatingsBatch
from metamf.universal import reading

MATRICES = [structured_ratings(40, 30), *CORNER_CASES.values()]


def answer(adapted, batch) -> list[torch.Tensor]:
    cells = batch.row, batch.col
    return [*adapted.factors, *adapted.rows, *adapted.cols, adapted.predict(*cells), adapted.variance(*cells)]


@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-9), (torch.float32, 1e-4)])
@pytest.mark.parametrize("size", [1, 7, 64])
def test_part_by_part_equals_at_once(monkeypatch, three_threads, dtype, tolerance, size):
    model, batch = small_universal().to(dtype), RatingsBatch.of(MATRICES, dtype)
    at_once = answer(model.adapt(batch), batch)  # with gradients there is one part
    monkeypatch.setattr(reading, "STREAM_ABOVE", 0)
    monkeypatch.setitem(reading.PART_SIZES, "cpu", size)
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
    monkeypatch.setattr(reading, "STREAM_ABOVE", 0)
    monkeypatch.setitem(reading.PART_SIZES, "cpu", 7)
    with torch.inference_mode():
        in_parts = model.fold_in(new, adapted)
    torch.testing.assert_close(in_parts, at_once, rtol=1e-9, atol=1e-9)


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


def test_a_matrix_of_few_or_of_very_long_rows_is_read_as_any_other(monkeypatch):
    model = small_universal().double()
    for shape in ((1, 300), (2, 300), (300, 1)):
        batch = RatingsBatch.of([random_ratings(*shape, density=1.0)], torch.float64)
        at_once = answer(model.adapt(batch), batch)
        with monkeypatch.context() as patch, torch.inference_mode():
            patch.setattr(reading, "STREAM_ABOVE", 0)
            patch.setitem(reading.PART_SIZES, "cpu", 16)
            torch.testing.assert_close(answer(model.adapt(batch), batch), [v.detach() for v in at_once])
