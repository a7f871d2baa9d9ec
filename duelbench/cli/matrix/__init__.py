"""The commands about matrices: show, and those of `duelbench matrix`."""
