"""The commands ``duelbench live`` and ``duelbench rank``."""
