"""Who does the work: processes on this machine, or a Dask cluster."""
