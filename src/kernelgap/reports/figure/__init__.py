"""The page of a figure."""
