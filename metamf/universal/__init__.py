"""The extended model: one network for matrices of any size, density and units."""

from metamf.universal.network import Universal, UniversalConfig

__all__ = ["Universal", "UniversalConfig"]
