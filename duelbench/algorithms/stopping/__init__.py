"""Rules that end any algorithm with an answer, once what it was told suffices."""
