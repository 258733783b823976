"""Recipes of the bundled checkpoints."""

from metamf.recipes.paper import PaperRun
from metamf.recipes.preparation import PreparedData, prepare, prepare_ratings
from metamf.recipes.presets import PRESETS, Preset, meta_training

__all__ = ["PRESETS", "Preset", "PreparedData", "PaperRun", "meta_training", "prepare", "prepare_ratings"]
