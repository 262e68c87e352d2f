"""How answers look in the terminal: a file for each kind of run, and for certificates."""
