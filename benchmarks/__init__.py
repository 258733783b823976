"""Measurements of this project, in the repository only. Results are in ``results``.

accuracy : errors of estimates and coverage of intervals, the paper's protocol aside
paper : every number of the paper's tables and figures
speed : time and memory
report : the tables of the documentation, from the results
rows.py, timing.py, browser.py, dense_reference.py : what several of them use
"""
