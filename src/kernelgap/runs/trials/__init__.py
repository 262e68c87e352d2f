"""Trials of networks and kernels on a problem: described, done, stored."""
