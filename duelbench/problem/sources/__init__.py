"""Preference matrices from data: complete and partial orders, counts of wins, rankers of a search engine."""
