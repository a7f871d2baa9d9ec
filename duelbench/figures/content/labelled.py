"""What algorithms show, by their labels: those that are asked for, and in which order."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from duelbench.statistics.curves import missing_in_words


class Labelled(Protocol):
    """Anything that belongs to an algorithm under a label."""

    @property
    def label(self) -> str:
        """What the spec calls the algorithm."""


class Counted(Protocol):
    """Anything made of runs."""

    @property
    def runs(self) -> int:
        """How many there are."""

    @property
    def planned(self) -> int:
        """How many the spec asks for."""


class OfAlgorithm(Labelled, Protocol):
    """Anything that belongs to an algorithm whose id is known, too."""

    @property
    def algorithm(self) -> str:
        """The algorithm's id."""


OneLabelled = TypeVar("OneLabelled", bound=Labelled)
OneOfAlgorithm = TypeVar("OneOfAlgorithm", bound=OfAlgorithm)


def labelled(found: Sequence[OneLabelled], only: Iterable[str] | None) -> list[OneLabelled]:
    """Those whose label is in ``only`` (None: all)."""
    labels = None if only is None else set(only)
    return [one for one in found if labels is None or one.label in labels]


def in_reading_order(found: Sequence[OneOfAlgorithm]) -> list[OneOfAlgorithm]:
    """Algorithm by algorithm, each on all problems, in the order of the spec."""
    keys = list(dict.fromkeys((one.algorithm, one.label) for one in found))
    return sorted(found, key=lambda one: keys.index((one.algorithm, one.label)))


def missing_of(own: Iterable[Counted]) -> str:
    """What a panel says of the runs of all in it; nothing where they are all there."""
    counts = [(one.runs, one.planned) for one in own]
    return missing_in_words(sum(runs for runs, _ in counts), sum(planned for _, planned in counts))
