"""Real tables of nine kinds, and the methods that fill them in best.

corpus.py : the tables;  packages.py, r_files.py : the packages that hold them;  download.py : fetches them
matrices.py : a table as a matrix, and entries hidden in it
methods.py : the methods
run.py : every method on every table
"""
