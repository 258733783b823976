"""Time and memory.

kernels.py : the sparse kernels against the dense reference, on one training step, one block, one large matrix
scale.py : the universal model on up to 20 million ratings, and Surprise's SVD on ML-1M
gpu.py : from which size on a GPU is faster
parallel.py : meta-training by one process and by two
opening.py : how soon the app's first page shows its result;  upload.py : how long the upload of a large file takes
"""
