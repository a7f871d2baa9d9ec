"""The benchmark: what rounds and decisions cost."""
