"""The commands about duels that people judge, or a command: a session, and advice on which algorithm to take."""
