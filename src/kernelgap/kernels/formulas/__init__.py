"""One kernel a file, stated by its formula."""
