"""Kernels by families, each stated by its formula."""
