"""Kernels of networks as they are: at random weights, or after training."""
