"""The commands about algorithms: list, new and check."""
