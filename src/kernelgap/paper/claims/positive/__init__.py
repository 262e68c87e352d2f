"""What the network learns."""
