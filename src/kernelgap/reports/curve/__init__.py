"""The chart of a predicted learning curve."""
