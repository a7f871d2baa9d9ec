"""Notes on matrices that do not meet an algorithm's assumptions; such runs are allowed."""

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.problem.identification import Question, has_right_answer
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import condorcet_winner
from duelbench.bandits.problem.worlds.world import AnyProblem, World
from duelbench.experiments.spec.experiment_spec import ExperimentSpec

NEED_CONDORCET_WINNER = ("condorcet", "total order")
"""Assumptions of algorithms that include a Condorcet winner."""

WINNER, ORDER = "a Condorcet winner", "a total order"

_SHOWN = 3
"""The maximum number of problems that a note names."""


def lacking(algorithm: Algorithm, matrix: AnyProblem) -> str | None:
    """Return the assumption of an algorithm that a matrix does not meet, in words; None if it meets all.

    A world meets an assumption if all of its matrices do.

    Examples
    --------
    >>> from duelbench.bandits.algorithms import registry
    >>> circle = PreferenceMatrix([[0.5, 0.6, 0.4], [0.4, 0.5, 0.7], [0.6, 0.3, 0.5]])
    >>> lacking(registry.get("rucb"), circle), lacking(registry.get("ccb"), circle)
    ('a Condorcet winner', None)
    """
    if isinstance(matrix, World):
        lack = {lacking(algorithm, part) for part in matrix.matrices}
        return next((assumed for assumed in (WINNER, ORDER) if assumed in lack), None)
    if not isinstance(matrix, PreferenceMatrix) or algorithm.assumes not in NEED_CONDORCET_WINNER:
        return None
    if condorcet_winner(matrix) is None:
        return WINNER
    has_order = algorithm.assumes != "total order" or has_right_answer(matrix, Question("ranking"))
    return None if has_order else ORDER


def notes(spec: ExperimentSpec) -> list[str]:
    """Name the algorithms whose assumptions some problems do not meet: at most one sentence for each assumption.

    Examples
    --------
    >>> from duelbench.experiments.spec.load import load
    >>> notes(load({"name": "s", "matrix": "mslr5-noncondorcet", "horizon": 1e3, "algorithms": ["rucb"]}))
    ['RUCB assumes a Condorcet winner, which mslr5-noncondorcet does not have: its regret may keep growing']
    """
    assumptions = (WINNER, ORDER) if spec.identify else (WINNER,)
    sentences = [_note(spec, assumed) for assumed in assumptions]
    sentences += [_note_of_answers(spec), _note_of_parameters(spec)]
    return [sentence for sentence in sentences if sentence is not None]


def note_of_horizons(spec: ExperimentSpec) -> list[str]:
    """Return a sentence that names the algorithms run for several horizons that the spec does not list, or nothing.

    Examples
    --------
    >>> from duelbench.experiments.spec.load import load
    >>> note_of_horizons(load({"name": "s", "matrix": "cyclic", "horizon": 1e4, "algorithms": ["mdb"]}))
    ['MDB uses the horizon, and is run for each of 1000, 10000 rounds; to use only the last, add "horizons: 10000"']
    """
    again = [entry for entry in spec.entries if len(entry.horizons) > 1 and not (entry.has_own_horizons or spec.budget)]
    if not again:
        return []
    use, run = ("uses", "is run") if len(again) == 1 else ("use", "are run")
    rounds = ", ".join(map(str, again[0].horizons))
    return [
        f"{_listed([entry.label for entry in again])} {use} the horizon, and {run} for each of {rounds} rounds; "
        f'to use only the last, add "horizons: {spec.horizon}"'
    ]


def _note_of_answers(spec: ExperimentSpec) -> str | None:
    """Name the algorithms that end with an answer, if a problem is a world that changes; None if there are none."""
    names = list(dict.fromkeys(entry.algorithm.name for entry in spec.entries if _ends(entry.algorithm)))
    if not names or not any(isinstance(problem.matrix, World) for problem in spec.problems):
        return None
    settle = "settles" if len(names) == 1 else "settle"
    return (
        f"{_listed(names)} {settle} on an answer about one matrix, and the matrix of a world changes: nothing bounds "
        "how often such an answer is wrong"
    )


def _note_of_parameters(spec: ExperimentSpec) -> str | None:
    """Name the parameters outside the range of the theorems on their algorithms; None if there are none.

    A default is the choice of the algorithm's author, so it gets no note.
    """
    outside = []
    for entry in spec.entries:
        for name, parameter in entry.algorithm.parameters.items():
            value, limit = entry.parameters.get(name), parameter.proven_above
            if limit is not None and value is not None and value <= limit and value != parameter.default:
                outside.append(f"{entry.label} has {name} = {value:g}, and its theorem needs more than {limit:g}")
    return "; ".join(dict.fromkeys(outside)) or None


def _ends(algorithm: Algorithm) -> bool:
    """Return whether an algorithm ends with an answer; Uniform explores, too, but never ends."""
    ends = bool(algorithm.parts) or "delta" in algorithm.parameters or not algorithm.anytime
    return algorithm.explored is not None and ends


def _note(spec: ExperimentSpec, assumed: str) -> str | None:
    """Name the algorithms with this assumption, and the problems that do not meet it; None if there are none."""
    lack = [
        (entry.algorithm.name, problem.title)
        for problem in spec.problems
        for entry in spec.entries
        if lacking(entry.algorithm, problem.matrix) == assumed
    ]
    if not lack:
        return None
    names, problems = (list(dict.fromkeys(column)) for column in zip(*lack, strict=True))
    assume, their = ("assumes", "its") if len(names) == 1 else ("assume", "their")
    do = "does" if len(problems) == 1 else "do"
    more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    shown = ", ".join(problems[:_SHOWN]) if more else _listed(problems)
    outcome = "answers may be wrong" if spec.identify else "regret may keep growing"
    return f"{_listed(names)} {assume} {assumed}, which {shown}{more} {do} not have: {their} {outcome}"


def _listed(words: list[str]) -> str:
    """Join words with commas and `and`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
