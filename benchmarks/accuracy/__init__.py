"""Errors of estimates and coverage of intervals.

universal.py, domains.py : the universal model on data that it was not trained on
film_nights.py : film nights, and the curve that the app draws

docs/benchmark.md lists the studies that ran once, whose scripts went.
"""
