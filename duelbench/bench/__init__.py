"""What rounds and decisions cost."""
