"""The paper's experiments: every number of its tables and figures, one resumable command each (see ``__main__``).

plan.py : the parts of an experiment, and their order
compute.py : the rows of a part
methods.py : the methods, meta-trained or with their settings chosen
store.py : rows in and out of benchmarks/results/paper
times.py : the times of all methods, side by side
bundle.py : the meta-trained baselines that the app uses
"""
