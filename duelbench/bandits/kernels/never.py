"""The round of an event that never comes."""

NEVER = 2**62  # The rounds of a decision that holds forever, and the round of an event that never comes.
