"""The sidebar: its fields follow the checkpoint that is chosen."""

from html import unescape

import pytest
from opened import healthy, no_data_sets, opened, text  # noqa: F401  a fixture

PAPER = "ml-1m"


def test_the_rounds_are_called_what_they_are():
    at = healthy(opened())
    healthy(at.slider(key="t").set_value(2).run())
    assert at.slider(key="t").label == "Sweep" and "after sweep 2 of 4" in text(at)
    assert at.slider(key="sweeps").label == "Sweeps T"
    with pytest.raises(KeyError):
        at.slider(key="steps")
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert at.slider(key="t").label == "Step" and "after step 2 of 10" in text(at)
    assert at.slider(key="steps").label == "MAP steps T"
    said = unescape(" ".join(caption for caption in at.radio(key="model").proto.captions))
    assert "The paper's model" in said and "Takes any size" in said
