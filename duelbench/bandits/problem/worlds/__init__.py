"""Worlds that change: segments of rounds, each with a preference matrix of its own."""
