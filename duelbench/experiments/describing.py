"""Describes problems in words."""

from duelbench.bandits.problem import winners
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.worlds.world import World
from duelbench.common.words import counted, plural
from duelbench.experiments.spec.experiment_spec import Problem

MOST_WINNERS = 5
"""Most Copeland winners of a matrix that are listed."""


def matrix_facts(matrix: PreferenceMatrix) -> dict[str, str]:
    """The winners, smallest gap and ties of a matrix: heading -> text; arms are counted from 0.

    Examples
    --------
    >>> from duelbench.bandits.problem.preferences import PreferenceMatrix
    >>> matrix_facts(PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]]))["smallest gap"]
    '0.25, between 0 and 1'
    """
    condorcet = winners.condorcet_winner(matrix)
    copeland, borda = winners.copeland_winners(matrix), winners.borda_winners(matrix)
    pairs = [matrix.listed(pair, " and ") for pair in winners.ties(matrix)]
    nearest = matrix.listed(winners.closest_pair(matrix), " and ")
    return {
        "Condorcet winner": "none" if condorcet is None else matrix.listed([condorcet]),
        plural(len(copeland), "Copeland winner"): matrix.listed(copeland),
        plural(len(borda), "Borda winner"): matrix.listed(borda),
        "smallest gap": f"{winners.min_gap(matrix):.6g}, between {nearest}",
        "ties": f"{len(pairs)}: {'; '.join(pairs)}" if pairs else "none",
    }


def winner_in_words(matrix: PreferenceMatrix) -> str:
    """The Condorcet winner, or the Copeland winners if there is none.

    Examples
    --------
    >>> from duelbench.bandits.problem.preferences import PreferenceMatrix
    >>> winner_in_words(PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]]))
    'Condorcet winner 0'
    >>> winner_in_words(PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]]))
    'no Condorcet winner, Copeland winners 0, 1'
    """
    condorcet = winners.condorcet_winner(matrix)
    if condorcet is not None:
        return f"Condorcet winner {matrix.listed([condorcet])}"
    copeland = list(winners.copeland_winners(matrix))
    names = matrix.listed(copeland[:MOST_WINNERS])
    if len(copeland) > MOST_WINNERS:
        names += f" and {len(copeland) - MOST_WINNERS} more"
    return f"no Condorcet winner, {plural(len(copeland), 'Copeland winner')} {names}"


def bandit_in_words(bandit: ScalarBandit) -> str:
    """The decision in a scalar bandit, and its parameters."""
    return ", ".join([bandit.decision.name, *(f"{name} = {value}" for name, value in bandit.parameters.items())])


def problem_in_words(problem: Problem) -> str:
    """A problem of a spec in one line."""
    matrix = problem.matrix
    if isinstance(matrix, World):
        facts = f"K={matrix.n_arms}, {counted(len(matrix.matrices), 'segment')}"
    elif isinstance(matrix, ScalarBandit):
        facts = f"N={matrix.n_arms}, {bandit_in_words(matrix)}, best {', '.join(map(str, matrix.best))}"
    else:
        facts = f"K={matrix.n_arms}, {winner_in_words(matrix)}, min gap {winners.min_gap(matrix):.3g}"
    name = f"{problem.name}  " if problem.name else ""
    return f"{name}{facts}  ({problem.described})"
