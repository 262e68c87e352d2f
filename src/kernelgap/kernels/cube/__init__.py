"""Spectra of kernels on the cube."""
