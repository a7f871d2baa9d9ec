"""Arms in small batches that merge as arms are eliminated."""
