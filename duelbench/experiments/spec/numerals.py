"""Numbers as people write them: the names of `duelbench.common.numerals` that figures import from here."""

from duelbench.common.numerals import real_number, shown

__all__ = ["real_number", "shown"]
