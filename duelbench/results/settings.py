"""What is played otherwise than by default: as JSON for each cell, and in words for everything that is shown."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from duelbench.algorithms import registry
from duelbench.algorithms.stopping.stopped import PREFIX
from duelbench.errors import InputError
from duelbench.problem.worlds.world import World
from duelbench.results.cells import AnyCell
from duelbench.simulation.terms import SETTINGS, Identity
from duelbench.simulation.terms import in_words as setting_in_words

if TYPE_CHECKING:
    from duelbench.results.experiments import Experiment

MOST_NAMES = 4
"""More algorithms or problems than these are counted."""


class Played(NamedTuple):
    """One algorithm on one problem, and how it is played there."""

    problem: str
    label: str
    settings: Mapping[str, Any]  # as of `settings_of`


def settings_of(cell: AnyCell) -> dict[str, Any]:
    """What of a cell is not the default, in plain JSON types; empty where everything is.

    The keys are those of specs: `duelbench.simulation.terms.Settings`, ``corruption`` of a world, and ``parameters`` of
    the algorithm.
    """
    identity, world = cell.identity, cell.matrix
    found = {name: value for name, value in identity.settings.items() if name != "cut_at_checkpoints"}
    if isinstance(world, World) and world.flips:
        found["corruption"] = {"budget": world.flips}
    elif isinstance(world, World) and world.flipped:
        first, last = world.flipped.bounds(identity.horizon)
        found["corruption"] = {"rounds": [first, last], "share": world.flipped.share}
    if parameters := _unusual(identity):
        found["parameters"] = parameters
    return found


def _unusual(identity: Identity) -> dict[str, Any]:
    """The parameters that are not the default; none of an algorithm that is not loaded, whose defaults are unknown."""
    try:
        known = registry.get(identity.algorithm).parameters
    except InputError:
        return {}
    return {
        name: value
        for name, value in identity.parameters.items()
        if not name.startswith(PREFIX) and not (name in known and value == known[name].default)
    }


def played(cells: Iterable[AnyCell]) -> list[Played]:
    """How cells are played."""
    return [Played(cell.setting, cell.label, settings_of(cell)) for cell in cells]


def in_words(found: Iterable[Played]) -> str:
    """One line on all that is not the default; empty where everything is. What a label or a problem says is left out.

    Examples
    --------
    >>> in_words([Played("p", "RUCB", {"feedback_batch": 100, "parameters": {"alpha": 0.8}})])
    'outcomes arrive in batches of 100 rounds; RUCB has alpha = 0.8'
    >>> in_words([Played("p", "RUCB", {"feedback_delay": 1}), Played("q", "RUCB", {})])
    'each outcome arrives 1 round late (p)'
    """
    found = list(found)
    every = list(dict.fromkeys((one.problem, one.label) for one in found))
    said: dict[str, dict[tuple[str, str], None]] = {}
    for one in found:
        for sentence in _sentences(one):
            said.setdefault(sentence, {})[one.problem, one.label] = None
    lines = [sentence + _where(list(cells), every) for sentence, cells in said.items()]
    return "; ".join(lines + _parameters(found))


def beside_parameters(cell: AnyCell) -> str:
    """What of a cell is not the default in words, but for the parameters of its algorithm."""
    return "; ".join(_sentences(Played("", cell.label, settings_of(cell))))


def notes(experiments: "Iterable[Experiment]") -> list[str]:
    """A sentence for each experiment that is not played as by default."""
    words = ((one.name, in_words(played(cell.stored for cell in one.cells))) for one in experiments)
    return [f"{name}: {said}" for name, said in words if said]


def _sentences(one: Played) -> list[str]:
    """What is not the default beside parameters, and not in the problem's name."""
    sentences = []
    for name, value in one.settings.items():
        if name == "parameters" or f"{name} {value}" in one.problem:
            continue
        if name in SETTINGS:
            sentences.append(setting_in_words(name, value))
        elif "budget" in value:
            sentences.append(f"an adversary may flip {value['budget']} outcomes of each run")
        else:
            (first, last), share = value["rounds"], value["share"]
            often = "" if share == 1 else f" with probability {share:g}"
            sentences.append(f"outcomes of the Condorcet winner are flipped{often} in rounds {first} to {last}")
    return sentences


def _where(own: list[tuple[str, str]], every: list[tuple[str, str]]) -> str:
    """Which cells are meant, in brackets; empty where all are."""
    if len(own) == len(every):
        return ""
    for place in (0, 1):  # problems or labels, where these alone say which
        names = list(dict.fromkeys(cell[place] for cell in own))
        if [cell for cell in every if cell[place] in names] == own:
            return f" ({_some(names)})"
    return f" ({_some([f'{label} on {problem}' for problem, label in own])})"


def _parameters(found: list[Played]) -> list[str]:
    """What algorithms have parameters of which values, where their labels do not say so."""
    said: dict[str, None] = {}
    for one in found:
        values = [
            f"{name} = {value}"
            for name, value in one.settings.get("parameters", {}).items()
            if str(value) not in one.label and f"{name} {value}" not in one.problem
        ]
        if values:
            said[f"{one.label} has {', '.join(values)}"] = None
    lines, more = list(said), len(said) - MOST_NAMES
    return lines if more <= 0 else [*lines[:MOST_NAMES], f"{more} more algorithms have parameters of their own"]


def _some(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
