"""The commands about algorithms: list, new, check and audit."""
