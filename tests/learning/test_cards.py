"""The cards: every figure of a checkpoint's header finds its place."""

import re
from dataclasses import replace

import pytest

from metamf.checkpoints.bundled import find_checkpoint, list_pretrained, open_checkpoint
from metamf.learning.recipes import paper_card, universal_card


@pytest.mark.parametrize("name", list_pretrained())
def test_a_card_is_written_from_the_header_and_the_parameters_alone(name):
    model, info = open_checkpoint(name)
    info = replace(info, recipe=info.recipe | {"kept_epoch": 17}, created="2031-02-03")
    text = (universal_card if info.kind == "universal" else paper_card)(info, model.network)
    assert text.startswith(f"# {name}\n") and info.recipe["command"] in text and "2031-02-03" in text
    assert f"{sum(value.numel() for value in model.network.parameters()):,}" in text
    assert "no rating can be read back" in " ".join(text.split())
    assert "{" not in text and "}" not in text
    if info.kind == "universal":
        assert all(
            f"| {data}, whole | {found['whole']['query_mse']:.3f} |" in text for data, found in info.errors.items()
        )
    else:
        assert f"**{info.errors['ratio']:.4f}**" in text and "17 of" in text


@pytest.mark.parametrize("name", list_pretrained())
def test_a_bundled_card_is_what_its_checkpoint_s_header_gives(name):
    """But for the tables that benchmarks/report writes between their markers."""
    model, info = open_checkpoint(name)
    text = (universal_card if info.kind == "universal" else paper_card)(info, model.network)
    card = find_checkpoint(name).with_suffix(".md").read_text(encoding="utf-8")
    assert without_tables(card) == without_tables(text)


def without_tables(card):
    return re.sub(r"(<!-- begin: (\w+) [^>]*-->\n).*?(<!-- end: \2 -->)", r"\1\3", card, flags=re.DOTALL)
