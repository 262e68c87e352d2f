"""What the columns of a table are: numbers, labels, dates, counters, copies of the target."""
