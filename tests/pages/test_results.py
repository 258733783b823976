"""The page Results: the first table, in RMSE and in the paper's ratio."""

import re

import pytest
from opened import healthy, html, opened


def test_a_method_has_its_rmse_its_ratio_and_the_paper_s():
    at = healthy(opened("pages/results.py"))
    lines = re.findall(r'<th scope="row">([^<]+)</th>(.*?)</tr>', html(at))
    numbers = {name: re.findall("<td>([^<]*)</td>", rest) for name, rest in lines}
    assert len(numbers) == 15
    rmse, ratio, printed = map(float, numbers["Ours"][:3])
    mean, one, _ = map(float, numbers["Mean"][:3])
    assert (ratio, printed, one) == (0.875, 0.895, 1.0)
    assert rmse / mean == pytest.approx(0.875**0.5, abs=0.01)
