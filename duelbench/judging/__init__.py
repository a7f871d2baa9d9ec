"""Duels that somebody is asked to judge: what is known so far, and which algorithm should choose them."""
