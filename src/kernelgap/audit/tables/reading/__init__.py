"""Files, arrays and data frames, as tables of raw cells."""
