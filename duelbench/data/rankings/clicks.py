"""How a user clicks: the cascade model of [1]_, in which a list is read from the top until a click satisfies.

The probabilities for three grades are those of [2]_.

References
----------
.. [1] F. Guo, C. Liu, Y. M. Wang, "Efficient Multiple-Click Models in Web Search", WSDM 2009.
.. [2] K. Hofmann, S. Whiteson, M. de Rijke, "Balancing Exploration and Exploitation in Listwise and Pairwise Online
   Learning to Rank for Information Retrieval", Information Retrieval 16, 2013.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duelbench.errors import InputError, nearest_or_all

MOST_GRADES = 32  # Grades that a collection may have: 0 to 31

_Models = Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]

_FIVE_GRADES: _Models = {
    "perfect": ((0, 0.2, 0.4, 0.8, 1), (0, 0, 0, 0, 0)),
    "navigational": ((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    "informational": ((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
}
_THREE_GRADES: _Models = {
    "perfect": ((0, 0.5, 1), (0, 0, 0)),
    "navigational": ((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
    "informational": ((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
}

NAMES: Sequence[str] = tuple(_FIVE_GRADES)

GRADES = (2, 3, 5)  # How many grades the named models are defined for


@dataclass(frozen=True)
class ClickModel:
    """A user who reads a list from the top, clicks a document or not, and after a click stops or goes on."""

    name: str
    click: tuple[float, ...]  # ``click[g]`` = probability of a click on a document of grade g that is read
    stop: tuple[float, ...]  # ``stop[g]`` = probability that the user reads no further after such a click

    def __post_init__(self) -> None:
        if len(self.click) != len(self.stop):
            raise InputError(
                f"{len(self.click)} probabilities of a click, but {len(self.stop)} of stopping; give one per grade"
            )
        if not 2 <= len(self.click) <= MOST_GRADES:
            raise InputError(f"{len(self.click)} grades; a click model has from 2 to {MOST_GRADES}")
        for probability in (*self.click, *self.stop):
            if not 0 <= probability <= 1:
                raise InputError(f"{probability} is not a probability; write numbers from 0 to 1")

    @property
    def n_grades(self) -> int:
        """How many grades it knows: 0 to ``n_grades - 1``."""
        return len(self.click)


def named(name: str, n_grades: int) -> ClickModel:
    """One of the models of the papers, `NAMES`, for collections of ``n_grades``, one of `GRADES`.

    With two grades the lowest and the highest of three are used.
    """
    if name not in _FIVE_GRADES:
        raise InputError(f"there is no click model '{name}'{nearest_or_all(name, NAMES)}")
    if n_grades not in GRADES:
        raise InputError(
            f"the click models have 2, 3 or 5 grades, not {n_grades}; give probabilities of your own for each grade"
        )
    click, stop = (_FIVE_GRADES if n_grades == 5 else _THREE_GRADES)[name]
    step = 2 if n_grades == 2 else 1
    return ClickModel(name, click[::step], stop[::step])


def scale_of(highest: int) -> int:
    """The number of grades of the named models that a collection seems to have, by its highest grade."""
    return next((n_grades for n_grades in GRADES if highest < n_grades), GRADES[-1])
