"""The risk of a predictor over every point of the cube."""
