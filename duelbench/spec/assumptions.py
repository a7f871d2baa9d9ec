"""Notes where a matrix does not fulfil what an algorithm assumes; such runs are played, as they can be wanted."""

from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner
from duelbench.problem.worlds.world import AnyProblem, World
from duelbench.spec.experiment_spec import ExperimentSpec

NEED_CONDORCET_WINNER = ("condorcet", "total order")
"""What an algorithm may assume of which a Condorcet winner is a part."""

_SHOWN = 3
"""Problems that a note names."""


def notes(spec: ExperimentSpec) -> list[str]:
    """Which algorithms assume a Condorcet winner where a matrix has none: one sentence, or none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from duelbench.spec.load import load
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "circle.csv").write_text("0.5,0.6,0.4\\n0.4,0.5,0.7\\n0.6,0.3,0.5\\n")
    >>> _ = (folder / "s.yaml").write_text("matrix: circle.csv\\nhorizon: 1e3\\nalgorithms: [rucb, ccb]\\n")
    >>> notes(load(folder / "s.yaml"))
    ['RUCB assumes a Condorcet winner, which circle does not have: its regret may go on growing']
    """
    assuming = [entry.algorithm for entry in spec.entries if entry.algorithm.assumes in NEED_CONDORCET_WINNER]
    problems = [
        problem.title
        for problem in (spec.problems if assuming else ())
        if any(condorcet_winner(matrix) is None for matrix in _matrices(problem.matrix))
    ]
    if not problems:
        return []
    names = list(dict.fromkeys(algorithm.name for algorithm in assuming))
    assume, their = ("assumes", "its") if len(names) == 1 else ("assume", "their")
    do = "does" if len(problems) == 1 else "do"
    more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    shown = _listed(problems[:_SHOWN], goes_on=bool(more))
    return [
        f"{_listed(names)} {assume} a Condorcet winner, which {shown}{more} {do} not have: "
        f"{their} regret may go on growing"
    ]


def _matrices(problem: AnyProblem) -> tuple[PreferenceMatrix, ...]:
    """The matrices of a problem: of a world all, of a scalar bandit none."""
    if isinstance(problem, World):
        return problem.matrices
    return (problem,) if isinstance(problem, PreferenceMatrix) else ()


def _listed(words: list[str], goes_on: bool = False) -> str:
    """The words as in a sentence."""
    if goes_on or len(words) == 1:
        return ", ".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
