"""Certificates of format 2, the older one: one network, evaluated in float64. They are verified, but not written."""
