"""The ``bounds`` of a spec: the constants that figures draw and reports divide by.

The manifest has them as ``[kind, constant, regret]`` for each problem, where ``regret`` is the definition that the
constant bounds. They are not part of a run's identity.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from duelbench.bandits.problem.bounds import NEED_CONDORCET_WINNER, lower_bound, regret_factor
from duelbench.bandits.problem.winners import ties
from duelbench.experiments.spec.experiment_spec import ExperimentSpec, Problem

Line = list[Any]
"""``[kind, constant, regret]``, in JSON types."""

LONG = 100
"""For matrices with at least this many arms, a message says that a bound is being computed."""

_BOUNDED_REGRET = {"copeland": "Copeland", "ecw": "Copeland", "condorcet": "Condorcet"}


def lines(spec: ExperimentSpec, known: Mapping[str, Sequence[Line]], say: Callable[[str], None]) -> list[list[Line]]:
    """Return the lines of each problem of a spec, in the order of its problems, bounds and regrets.

    ``known`` has earlier lines by the matrix's SHA-256. ``say`` is called before a computation that takes long.
    """
    return [list(_of_problem(spec, problem, known.get(problem.matrix.sha256, ()), say)) for problem in spec.problems]


def _of_problem(
    spec: ExperimentSpec, problem: Problem, known: Sequence[Line], say: Callable[[str], None]
) -> Iterator[Line]:
    for kind in spec.bounds:
        factors = {name: regret_factor(problem.preferences, kind, name) for name in spec.regret}
        wanted = {name: factor for name, factor in factors.items() if factor is not None}
        if not wanted:
            continue
        constant = _known_constant(kind, problem, known)
        if constant is None:
            if problem.preferences.n_arms >= LONG:
                say(f"computing the bound '{kind}' of {problem.title} ({problem.preferences.n_arms} arms) ...")
            constant = lower_bound(problem.preferences, kind).constant
        for name, factor in wanted.items():
            yield [kind, factor * constant, name]


def _known_constant(kind: str, problem: Problem, known: Sequence[Line]) -> float | None:
    """Return the constant of a kind of bound without the factor of a definition of regret, from a line of that kind.

    The constant is exact, because factors are powers of two.
    """
    for known_kind, constant, regret in known:
        if known_kind == kind:
            factor = regret_factor(problem.preferences, kind, regret)
            return constant / factor if factor else None
    return None


def notes(spec: ExperimentSpec) -> list[str]:
    """Return a sentence for each bound of a spec that is not drawn, or does not hold exactly, and why."""
    without_ties = [[0.5, 1.0], [0.0, 0.5]]
    sentences = []
    for kind in spec.bounds:
        if all(regret_factor(without_ties, kind, name) is None for name in spec.regret):
            sentences.append(
                f"the bound '{kind}' is not drawn: it is about {_BOUNDED_REGRET[kind]} regret,"
                f" and the spec records {', '.join(spec.regret)}"
            )
        elif kind not in NEED_CONDORCET_WINNER:
            for problem in spec.problems:
                if n_ties := len(ties(problem.preferences)):
                    sentences.append(_note_on_ties(kind, problem, spec.regret, n_ties))
    return sentences


def _note_on_ties(kind: str, problem: Problem, regrets: Sequence[str], n_ties: int) -> str:
    pairs = "a tied pair" if n_ties == 1 else f"{n_ties} tied pairs"
    if all(regret_factor(problem.preferences, kind, name) is None for name in regrets):
        return f"the bound '{kind}' of {problem.title} is not drawn: with {pairs} it bounds no regret of the spec"
    return f"the bound '{kind}' of {problem.title} leaves out {pairs}, which its theory does not allow"
