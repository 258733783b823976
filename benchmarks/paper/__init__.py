"""The paper's experiments: every number of its tables and figures, one resumable command each (see
``__main__``).

plan.py has the parts of an experiment, methods.py computes their rows, store.py keeps them;
times.py measures the times of all methods side by side, bundle.py writes the meta-trained baselines
of the app.
"""
