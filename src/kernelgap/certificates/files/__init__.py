"""Certificate files: written, read, verified, trained again."""
