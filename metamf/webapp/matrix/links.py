"""The older forms of addresses: what links of an earlier version of the app mean, in the names of today."""

from __future__ import annotations

from collections.abc import Mapping

from metamf.webapp.matrix.choices import GRID, WHOLE, checkpoint_choices

OLDER_TITLES = {"Jester 1, part 1": "jester"}  # titles of models, in links
EXTENDED = "universal"  # the model that links without a model meant while it was the first one
OLDER_PRESETS = {  # presets of the page Paper
    "preset tuned": "settings tuned here",
    "preset paper": "the paper's settings",
}


def older(asked: Mapping[str, str]) -> dict[str, str]:
    """The texts that an address means by an older form, by parameter."""
    return meant(asked, {name: choice.title for name, choice in checkpoint_choices().items()})


def meant(asked: Mapping[str, str], titles: Mapping[str, str]) -> dict[str, str]:
    """The same, as a function of the titles of the checkpoints by name.

    A model may be called by the name of its checkpoint, 'ml-1m', or by an older title. A link that says a number
    of sweeps and no model is from the time when the universal model was the one that pages began with. Of an own grid
    all ratings are given, unless the link says another share.
    """
    found = {"keep": str(WHOLE)} if asked.get("data") == GRID and "keep" not in asked else {}
    if asked.get("preset") in OLDER_PRESETS:
        found["preset"] = OLDER_PRESETS[asked["preset"]]
    model = asked.get("model")
    model = OLDER_TITLES.get(model, model)
    if model is None and "sweeps" in asked:
        model = EXTENDED
    return found | {"model": titles[model]} if model in titles else found
