"""The extended model: one network for matrices of any size, density and units."""
