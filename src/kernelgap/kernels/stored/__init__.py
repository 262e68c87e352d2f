"""Gram matrices on disk."""
