"""Time and memory.

kernels.py : the sparse kernels against the dense reference, on one training step, one block, one large matrix
scale.py : the universal model on up to 20 million ratings, and Surprise's SVD on ML-1M
gpu.py : sizes from which a GPU is faster
parallel.py : meta-training by one process and by two;  tuning.py : tuning the universal model to one table
own_parts.py : parts written by hand beside torch's
opening.py : time until the app's first page shows its result;  upload.py : time that the upload of a large file takes
player.py : frames of the player in the browser;  edit.py : time until everything follows an edit
walks.py : files that a click on a page enters;  verdict.py : time until a filled table says how far to trust it
"""
