"""A user's table: read, asked about, prepared."""
