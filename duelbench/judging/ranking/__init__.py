"""Ranks the arms of votes: numbers, sentences, pictures and a page."""
