"""From results to pictures and tables."""
