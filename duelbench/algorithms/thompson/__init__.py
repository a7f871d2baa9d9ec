"""Thompson sampling for duels."""
