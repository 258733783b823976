"""Errors of estimates and coverage of intervals.

splits.py : a preset of the paper's architecture over ten splits of each data set, on held-out blocks
extended.py : the extended model and averages of models on the same blocks;  ensemble.py : such averages
universal.py : the bundled universal checkpoint on data sets that it was not trained on
domains.py : the same on matrices of other domains, from R's data sets
transfer.py : the same recipe, trained without one data set and measured on it
ablations.py : what each part of the universal model is worth
"""
