"""The commands of `duelbench leaderboard`."""
