"""What no kernel learns."""
