"""The paper's experiments: every number of its tables and figures, one resumable command each (see ``__main__``).

plan.py : which jobs an experiment consists of, and in which order
compute.py : a job -> its rows;  methods.py : the methods, meta-trained or with their settings chosen
store.py : rows in and out of benchmarks/results/paper;  times.py : the times of all methods, side by side
"""
