"""Errors of estimates and coverage of intervals.

extended.py : averages of models on the paper's protocol
universal.py, domains.py, transfer.py : the universal model on data that it was not trained on
ablations.py, sensitivity.py : the worth of its parts, and of constants chosen by hand
hiding.py, tuning.py : training on one matrix, on all its given entries or on hidden ones, and its worth
selection.py : ratings that are missing for a reason
"""
