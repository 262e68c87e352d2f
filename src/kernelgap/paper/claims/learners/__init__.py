"""Who learns: the networks and their starts."""
