"""Real runs of every kind, ended at random moments and begun again: ``python -m fuzz.kills``."""
