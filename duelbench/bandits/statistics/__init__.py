"""Curves and intervals from runs: no plotting, no files."""
