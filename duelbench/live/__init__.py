"""Live sessions: an algorithm asks which pair to compare, people or programs answer."""
