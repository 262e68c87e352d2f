"""What the talk says of convex methods, of the lazy regime, and of kernels on images."""
