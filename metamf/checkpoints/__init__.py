"""Checkpoints: safetensors files that describe themselves, and the bundled ones by name."""
