"""The commands about duels that are judged: a session, and advice on which algorithm to take."""
