"""How the bundled checkpoints are made."""

from metamf.recipes.paper import Run
from metamf.recipes.preparation import PreparedData, prepare, prepare_ratings
from metamf.recipes.presets import PRESETS, Preset, meta_training

__all__ = ["PRESETS", "Preset", "PreparedData", "Run", "meta_training", "prepare", "prepare_ratings"]
