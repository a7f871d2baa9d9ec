"""Algorithms that end with an answer, which is wrong with probability delta at most, after as few duels as possible."""
