"""What the figures show."""
