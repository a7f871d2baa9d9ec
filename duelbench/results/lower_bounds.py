"""The ``bounds`` of a spec: the constants that figures draw and reports divide by.

They stand in the manifest as ``[kind, constant, regret]`` under each problem: the constant is that of this definition
of regret. They have no part in the identity of a run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from duelbench.problem.bounds import NEED_CONDORCET_WINNER, lower_bound, regret_factor
from duelbench.problem.winners import ties
from duelbench.spec.experiment_spec import ExperimentSpec, Problem

Line = list[Any]
"""``[kind, constant, regret]``, as JSON has it."""

LONG = 100
"""Arms from which on a message says that a bound is being computed."""

_SPOKEN_OF = {"copeland": "Copeland", "ecw": "Copeland", "condorcet": "Condorcet"}


def lines(spec: ExperimentSpec, known: Mapping[str, Sequence[Line]], say: Callable[[str], None]) -> list[list[Line]]:
    """The lines of every problem of a spec, in the order of its problems, bounds and regrets.

    ``known`` has lines that are computed already, by the matrix's SHA-256. ``say`` is called before what takes a while.
    """
    return [list(_of_problem(spec, problem, known.get(problem.matrix.sha256, ()), say)) for problem in spec.problems]


def _of_problem(
    spec: ExperimentSpec, problem: Problem, known: Sequence[Line], say: Callable[[str], None]
) -> Iterator[Line]:
    for kind in spec.bounds:
        factors = {name: regret_factor(problem.preferences, kind, name) for name in spec.regret}
        wanted = {name: factor for name, factor in factors.items() if factor is not None}
        constant = _known_constant(kind, problem, known) if wanted else None
        if wanted and constant is None:
            if problem.preferences.n_arms >= LONG:
                say(f"computing the bound '{kind}' of {problem.title} ({problem.preferences.n_arms} arms) ...")
            constant = lower_bound(problem.preferences, kind).constant
        for name, factor in wanted.items():
            assert constant is not None
            yield [kind, factor * constant, name]


def _known_constant(kind: str, problem: Problem, known: Sequence[Line]) -> float | None:
    """The constant for the regret that the kind speaks of, from any line of that kind; factors are powers of two."""
    for known_kind, constant, regret in known:
        if known_kind == kind:
            factor = regret_factor(problem.preferences, kind, regret)
            return constant / factor if factor else None
    return None


def notes(spec: ExperimentSpec) -> list[str]:
    """Which bounds of a spec are not drawn, or not to be taken literally, and why; one sentence each."""
    sentences = []
    for kind in spec.bounds:
        if not any(_is_bounded(kind, name) for name in spec.regret):
            sentences.append(
                f"the bound '{kind}' is not drawn: it speaks of {_SPOKEN_OF[kind]} regret,"
                f" and the spec records {', '.join(spec.regret)}"
            )
        elif kind not in NEED_CONDORCET_WINNER:
            tied = [problem for problem in spec.problems if ties(problem.preferences)]
            sentences += [_about_ties(kind, problem, spec.regret) for problem in tied]
    return sentences


def _is_bounded(kind: str, regret: str) -> bool:
    """Whether the kind bounds this regret on a matrix without ties; any will do."""
    return regret_factor([[0.5, 1.0], [0.0, 0.5]], kind, regret) is not None


def _about_ties(kind: str, problem: Problem, regrets: Sequence[str]) -> str:
    count = len(ties(problem.preferences))
    pairs = "a tied pair" if count == 1 else f"{count} tied pairs"
    if all(regret_factor(problem.preferences, kind, name) is None for name in regrets):
        return f"the bound '{kind}' of {problem.title} is not drawn: with {pairs} it bounds no regret of the spec"
    return f"the bound '{kind}' of {problem.title} leaves out {pairs}, which its theory does not allow"
