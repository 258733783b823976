"""Time and memory of kernels, of many ratings and of the app."""
