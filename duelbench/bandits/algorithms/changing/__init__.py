"""Algorithms for worlds that change: they forget, they notice changes, or they bear some false outcomes."""
