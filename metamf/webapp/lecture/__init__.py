"""Lecture mode: the app in front of a class."""
