"""The page of a run on images."""
