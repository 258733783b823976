"""Time and memory of the sparse kernels, of many ratings, of several processes that train, and of the app."""
