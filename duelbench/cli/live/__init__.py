"""``duelbench live``: a session with people, or with a command that decides."""
