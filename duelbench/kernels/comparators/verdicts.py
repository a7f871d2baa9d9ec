"""What a test of a pair says."""

OPEN = 0
FIRST = 1
SECOND = -1

MIDDLE = 2
"""The test has ended, and neither arm has it."""
