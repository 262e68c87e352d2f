"""Generated inputs for every door of kernelgap, each in a process that can be ended: ``python -m fuzz``.

A target is a file in ``targets/`` with ``make(rng, place)``, which draws an input and returns it as a ``Case``. It
follows from its target, seed and index. ``kills/`` ends real runs at random moments and compares what comes of them.
"""
