"""The round of an event that does not come."""

NEVER = 2**62  # Rounds that a decision stands which nothing can change, and the round of an event that does not come.
