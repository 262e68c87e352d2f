"""Certificates of format 1, the oldest one: read as ones of format 2. They are verified, but not written."""
