"""How the bundled checkpoints are made."""

from metamf.recipes.paper import PRESETS, Run
from metamf.recipes.preparation import PreparedData, prepare, prepare_ratings

__all__ = ["PRESETS", "PreparedData", "Run", "prepare", "prepare_ratings"]
