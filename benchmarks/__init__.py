"""Measurements of this project, in the repository only. Results are in ``results``.

accuracy : errors of estimates and coverage of intervals, the paper's protocol aside
paper : every number of the paper's tables and figures
tables : a dozen methods on real tables of nine kinds
speed : time and memory
load : many visitors at once
report : the tables and pictures of the documentation, from the results and the app
rows.py, timing.py, browser.py, screens.py : parts that several of them use
"""
