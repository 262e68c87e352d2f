"""What is learned, and how complex it is."""
