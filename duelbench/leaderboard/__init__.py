"""The leaderboard: ranks of algorithms over matrices, as data, a page and a command."""
