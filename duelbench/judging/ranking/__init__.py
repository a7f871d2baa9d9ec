"""Ranks the arms of votes: numbers, sentences, pictures and an HTML page."""
