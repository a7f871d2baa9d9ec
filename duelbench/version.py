"""The version of duelbench."""

VERSION = "0.1.0"
