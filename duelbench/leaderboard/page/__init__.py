"""The leaderboard on one HTML page that needs no other file and no network."""
