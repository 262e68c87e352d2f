"""Generated inputs for every door of kernelgap, each in a process that can be ended: ``python -m fuzz``.

A target is a file in ``targets/`` with ``make(rng, place)``, which draws an input and returns it as a ``Case``. It follows
from target, seed and index alone. ``kills/`` ends real runs at random moments and compares what they give.
"""
