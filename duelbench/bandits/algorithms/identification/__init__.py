"""Algorithms that end with an answer after few duels; it is wrong with probability at most delta."""
