"""Rules that end any algorithm with an answer once the outcomes so far suffice."""
