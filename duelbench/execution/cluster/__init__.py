"""Playing runs on a cluster that Dask manages: the end that hands them out, and the end that plays them."""
