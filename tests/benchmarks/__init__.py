"""What rounds and decisions cost: `make bench`, for developers."""
