"""Ranks of algorithms over the matrices of finished experiments, and the page that shows them."""
