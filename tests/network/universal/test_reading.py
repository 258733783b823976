"""What the layers read of an entry: its value, its residual, and what its row and column contribute."""

import pytest
import torch
from problems import CORNER_CASES, random_ratings, small_universal, structured_ratings
from torch_threads import three_threads  # noqa: F401  a fixture

from metamf.network.universal import reading
from metamf.network.universal.effects import Side, statistics_of
from metamf.network.universal.reading import input_values, soft_clip
from metamf.ratings.batch import RatingsBatch


def test_outliers_reach_the_network_within_limits():
    x = torch.tensor([-1e30, -6.0, -0.1, 0.0, 0.1, 1e30])
    torch.testing.assert_close(soft_clip(x[2:5]), x[2:5], rtol=1e-3, atol=0)
    assert soft_clip(x).abs().max() <= 6 and soft_clip(x, 2.0)[-1] == 2


def test_the_input_layer_applied_to_rows_columns_and_entries_is_the_layer_applied_to_six_inputs():
    batch, model = RatingsBatch.of([random_ratings(6, 5), CORNER_CASES["a block"]], torch.float64), small_universal()
    model = model.double()
    effects, variances = model._effects(batch)
    rows = statistics_of(Side.ROWS, batch, effects.row, variances, components=True)
    cols = statistics_of(Side.COLS, batch, effects.col, variances, components=True)
    values = input_values(batch, rows, cols, model.input)
    found, row, col = values(None), batch.row, batch.col
    torch.testing.assert_close(values(slice(3, 9)), found[3:9])
    x, noise = batch.x.unsqueeze(1), variances.noise[batch.row_matrix[row]]
    residual = (x - effects.row[row] - effects.col[col]) / noise.sqrt()
    clipped = [soft_clip(value) for value in (x, residual, effects.row[row], effects.col[col])]
    counts = [(count + 1).log() / 5 for count in (batch.row_count[row], batch.col_count[col])]
    torch.testing.assert_close(found, model.input(torch.cat([*clipped, *counts], 1)))


MATRICES = [structured_ratings(40, 30), *CORNER_CASES.values()]


def answer(adapted, batch) -> list[torch.Tensor]:
    cells = batch.row, batch.col
    return [*adapted.factors, *adapted.rows, *adapted.cols, adapted.predict(*cells), adapted.variance(*cells)]


@pytest.mark.slow
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
    at_once = model.posterior_of_rows(new, adapted)
    monkeypatch.setattr(reading, "STREAM_ABOVE", 0)
    monkeypatch.setitem(reading.PART_SIZES, "cpu", 7)
    with torch.inference_mode():
        in_parts = model.posterior_of_rows(new, adapted)
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
