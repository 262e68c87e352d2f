"""The page of the claims."""
