"""The paper's experiments: every number of its tables and figures, one resumable command each (see
``__main__``).

plan.py has the parts of an experiment and where their rows are, methods.py computes these;
times.py measures the times of all methods side by side, bundle.py writes the meta-trained baselines
of the app.
"""
