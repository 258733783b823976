"""benchmarks/accuracy/ablations.py: every variant is another model than the full one, trained and judged as it."""

from contextlib import ExitStack
from dataclasses import replace
from pkgutil import resolve_name
from unittest.mock import patch

import pandas as pd
import pytest
from made_up import made_up_ratings

from benchmarks.accuracy import ablations
from metamf import datasets
from metamf.learning import recipes as universal_recipe
from metamf.learning.episodes import held_out_blocks


@pytest.fixture(scope="module")
def measured():
    """The rows of each variant after three updates on made-up ratings."""
    training = replace(universal_recipe.UNIVERSAL_TRAINING, updates_per_epoch=3, warmup=0)
    with ExitStack() as stack:
        for target, name, value in (
            (datasets, "load", made_up_ratings),
            (universal_recipe, "UNIVERSAL_TRAINING", training),
            (universal_recipe, "VALIDATION_BATCHES", 1),
            (universal_recipe, "UNIT_BLOCKS", 5),
            (ablations, "SHORT_EPOCHS", 1),
        ):
            stack.enter_context(patch.object(target, name, value))
        domains = ablations.load_domains(ablations.TRAINED_ON, 0)
        cases = [("blocks", held_out_blocks(domains.test["ml-1m"], 3, [0, 2]))]
        rows = [row for name in ablations.VARIANTS for row in ablations.rows_of(name, domains, cases)]
    return pd.DataFrame(rows).set_index("variant")


@pytest.mark.slow
def test_every_variant_is_another_model_than_the_full_one(measured):
    assert list(measured.index) == list(ablations.VARIANTS)
    assert measured.ratio.nunique() == len(ablations.VARIANTS)
    assert set(measured.updates) == {3}


@pytest.mark.parametrize("name", ablations.VARIANTS)
def test_what_a_variant_replaces_exists(name):
    for target, replacement in ablations.VARIANTS[name].patches.items():
        assert resolve_name(f"metamf.{target}") is not replacement
