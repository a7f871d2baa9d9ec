"""Settings that are not the default: as JSON for each cell, and in words for tables, figures and notes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.stopping.stopped import PREFIX
from duelbench.bandits.problem.identification import Question
from duelbench.bandits.problem.worlds.world import World
from duelbench.bandits.simulation.terms import SETTINGS, Identity
from duelbench.bandits.simulation.terms import in_words as setting_in_words
from duelbench.common.words import first_few
from duelbench.errors import InputError
from duelbench.experiments.results.cells import AnyCell

if TYPE_CHECKING:
    from duelbench.experiments.results.experiments import Experiment

MOST_NAMES = 4
"""The maximum number of algorithms or problems that are named; others are counted."""


class Played(NamedTuple):
    """An algorithm on a problem, with its settings."""

    problem: str
    label: str
    settings: Mapping[str, Any]  # from `settings_of`


def settings_of(cell: AnyCell) -> dict[str, Any]:
    """Return the settings of a cell that are not the default, in plain JSON types.

    The keys are those of specs: `duelbench.bandits.simulation.terms.Settings`, ``corruption`` of a world, and
    ``parameters`` of the algorithm.
    """
    identity, world = cell.identity, cell.matrix
    settings = {name: value for name, value in identity.settings.items() if name != "cut_at_checkpoints"}
    if isinstance(world, World) and world.flips:
        settings["corruption"] = {"budget": world.flips}
    elif isinstance(world, World) and world.flipped:
        first, last = world.flipped.bounds(identity.horizon)
        settings["corruption"] = {"rounds": [first, last], "share": world.flipped.share}
    if parameters := _changed_parameters(identity):
        settings["parameters"] = parameters
    return settings


def _changed_parameters(identity: Identity) -> dict[str, Any]:
    """Return the parameters that are not the default; none if the algorithm, and so its defaults, are not loaded."""
    try:
        defaults = {name: parameter.default for name, parameter in registry.get(identity.algorithm).parameters.items()}
    except InputError:
        return {}
    return {
        name: value
        for name, value in identity.parameters.items()
        if not name.startswith(PREFIX) and not (name in defaults and value == defaults[name])
    }


def played(cells: Iterable[AnyCell]) -> list[Played]:
    """Return the algorithms and problems of cells, with their settings."""
    return [Played(cell.setting, cell.label, settings_of(cell)) for cell in cells]


def in_words(items: Iterable[Played], question: Question | None = None) -> str:
    """Return one line on settings that are not the default, without those that a label or a problem's name contains.

    ``question`` is that of ``identify``; its delta is mentioned once.

    Examples
    --------
    >>> in_words([Played("p", "RUCB", {"feedback_batch": 100, "parameters": {"alpha": 0.8}})])
    'outcomes arrive in batches of 100 rounds; RUCB has alpha = 0.8'
    >>> in_words([Played("p", "RUCB", {"feedback_delay": 1}), Played("q", "RUCB", {})])
    'each outcome arrives 1 round late (p)'
    >>> in_words([Played("p", label, {"parameters": {"alpha": 0.8}}) for label in ("RUCB", "CCB")])
    'all algorithms have alpha = 0.8'
    """
    items = list(items)
    pairs = list(dict.fromkeys((item.problem, item.label) for item in items))
    pairs_with: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for item in items:
        for sentence in _sentences(item):
            pairs_with[sentence][item.problem, item.label] = None
    lines = [sentence + _which(list(some), pairs) for sentence, some in pairs_with.items()]
    return "; ".join(lines + _parameters(items, question.delta if question else None))


def beside_parameters(cell: AnyCell) -> str:
    """Return the settings of a cell that are not the default, in words, without the parameters of its algorithm."""
    return "; ".join(_sentences(Played("", cell.label, settings_of(cell))))


def notes(experiments: "Iterable[Experiment]") -> list[str]:
    """Return a sentence for each experiment with settings that are not the default."""
    sentences = []
    for experiment in experiments:
        if line := in_words(played(cell.stored for cell in experiment.cells), experiment.results.question):
            sentences.append(f"{experiment.name}: {line}")
    return sentences


def _sentences(item: Played) -> list[str]:
    """Return a sentence for each setting that is neither a parameter nor part of the problem's name."""
    sentences = []
    for name, value in item.settings.items():
        if name == "parameters" or f"{name} {value}" in item.problem:
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


def _which(some: list[tuple[str, str]], pairs: list[tuple[str, str]]) -> str:
    """Name the pairs of problem and label in brackets; empty if they are all pairs."""
    if len(some) == len(pairs):
        return ""
    for part in (0, 1):  # the problems or the labels alone, if they are enough
        names = list(dict.fromkeys(pair[part] for pair in some))
        if [pair for pair in pairs if pair[part] in names] == some:
            return f" ({_some_of(names)})"
    return f" ({_some_of([f'{label} on {problem}' for problem, label in some])})"


def _parameters(items: list[Played], delta: float | None) -> list[str]:
    """Return a sentence for each group of algorithms that share parameters, unless labels or problems' names have them.

    ``delta`` is that of ``identify``; one sentence is about all algorithms with this delta.
    """
    labels_with: dict[str, dict[str, None]] = defaultdict(dict)
    is_of_question = False
    for item in items:
        for name, value in item.settings.get("parameters", {}).items():
            if name == "delta" and value == delta:
                is_of_question = True
            elif str(value) not in item.label and f"{name} {value}" not in item.problem:
                labels_with[f"{name} = {value}"][item.label] = None
    texts_of: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text, labels in labels_with.items():
        texts_of[tuple(labels)].append(text)
    n_labels = len({item.label for item in items})
    sentences = [f"delta = {delta:g} by the key 'identify'"] if is_of_question else []
    for group, texts in texts_of.items():
        names = "all algorithms" if len(group) == n_labels > 1 else _some_of(list(group))
        sentences.append(f"{names} {'has' if len(group) == 1 else 'have'} {', '.join(texts)}")
    return first_few(sentences, MOST_NAMES, "{} more groups of algorithms have other parameters")


def _some_of(names: list[str]) -> str:
    left_out = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {left_out} more" if left_out > 0 else "")
