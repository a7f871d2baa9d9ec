"""Numbers as people write them: the names of `duelbench.numerals` that figures import from here."""

from duelbench.numerals import real_number, shown

__all__ = ["real_number", "shown"]
