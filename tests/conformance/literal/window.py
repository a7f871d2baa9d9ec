"""A window of outcomes that notices a change, and the sizes of windows: Kolpaczki, Bengs, Huellermeier 2022."""

import math


class Window:
    """The last ``w`` outcomes of a pair, seen from one fixed arm."""

    def __init__(self, w, b):
        self.w = w
        self.b = b
        self.outcomes = []

    def push(self, won):
        """Take in an outcome; True is an alarm."""
        self.outcomes = [*self.outcomes, int(won)][-self.w :]
        return len(self.outcomes) == self.w and self.difference() > self.b

    def difference(self):
        """|A - B|, A wins in the newer half and B in the older one."""
        half = self.w // 2
        return abs(sum(self.outcomes[half:]) - sum(self.outcomes[:half]))


def even_ceil(x):
    """The smallest even integer that is not below ``x``."""
    return 2 * math.ceil(x / 2)
