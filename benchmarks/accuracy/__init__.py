"""Errors of estimates and coverage of intervals.

splits.py : a preset of the paper's architecture over ten splits of each data set, on held-out blocks
extended.py : the extended model and averages of models on the same blocks;  ensemble.py : such averages
universal.py : the bundled universal checkpoint on data sets that it was not trained on
domains.py : the same on matrices of other domains, from R's data sets
transfer.py : the same recipe, trained without one data set and measured on it
ablations.py : worth of each part of the universal model;  sensitivity.py : of the constants chosen by hand
mf_choice.py : how the settings of MF are chosen
wider.py : more meta-training of the universal model, on tables of numbers, too
examples.py : figures behind the descriptions of the bundled examples
live.py : the training that a visitor watches
hiding.py : going on to train on one matrix, on all its given entries and on some that are hidden
overshoot.py : steps of the paper that overshoot, and the threshold by which safe ones are taken
"""
