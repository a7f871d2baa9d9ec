"""The commands of `duelbench matrix`."""
