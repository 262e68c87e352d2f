"""Who competes: each contender learns from the same rows, chooses by the same others, with the same number of fits.

A fit is one factorisation or one training. What comes with it at no cost is tried too: every ridge of a kernel's path,
every epoch at which a network may stop, every number of trees.
"""
