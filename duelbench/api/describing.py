"""Facts of problems in words."""

from duelbench.problem import winners
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.problem.worlds.world import World
from duelbench.spec.experiment_spec import Problem

MOST_WINNERS = 5
"""Most Copeland winners that are listed of a matrix without a Condorcet winner."""


def matrix_facts(matrix: PreferenceMatrix) -> dict[str, str]:
    """Winners, smallest gap and ties of a matrix, by what they are called; arms are counted from 0.

    Examples
    --------
    >>> from duelbench.problem.preferences import PreferenceMatrix
    >>> matrix_facts(PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]]))["smallest gap"]
    '0.25, between 0 and 1'
    """
    condorcet = winners.condorcet_winner(matrix)
    copeland, borda = winners.copeland_winners(matrix), winners.borda_winners(matrix)
    pairs = [matrix.listed(pair, " and ") for pair in winners.ties(matrix)]
    nearest = matrix.listed(winners.closest_pair(matrix), " and ")
    return {
        "Condorcet winner": "none" if condorcet is None else matrix.listed([condorcet]),
        f"Copeland winner{'s' * (len(copeland) > 1)}": matrix.listed(copeland),
        f"Borda winner{'s' * (len(borda) > 1)}": matrix.listed(borda),
        "smallest gap": f"{winners.min_gap(matrix):.6g}, between {nearest}",
        "ties": f"{len(pairs)}: {'; '.join(pairs)}" if pairs else "none",
    }


def winner_in_words(matrix: PreferenceMatrix) -> str:
    """The Condorcet winner, or else the Copeland winners.

    Examples
    --------
    >>> from duelbench.problem.preferences import PreferenceMatrix
    >>> winner_in_words(PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]]))
    'Condorcet winner 0'
    >>> winner_in_words(PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]]))
    'no Condorcet winner, Copeland winners 0, 1'
    """
    condorcet = winners.condorcet_winner(matrix)
    if condorcet is not None:
        return f"Condorcet winner {matrix.listed([condorcet])}"
    copeland = list(winners.copeland_winners(matrix))
    more = f" and {len(copeland) - MOST_WINNERS} more" if len(copeland) > MOST_WINNERS else ""
    one_or_more = f"Copeland winner{'s' * (len(copeland) > 1)}"
    return f"no Condorcet winner, {one_or_more} {matrix.listed(copeland[:MOST_WINNERS])}{more}"


def bandit_in_words(bandit: ScalarBandit) -> str:
    """What is decided in a scalar bandit, and its parameters."""
    return ", ".join([bandit.decision.name, *(f"{name} = {value}" for name, value in bandit.parameters.items())])


def problem_in_words(problem: Problem) -> str:
    """A problem of a spec in a line."""
    of = problem.matrix
    if isinstance(of, World):
        facts = f"K={of.n_arms}, {len(of.matrices)} segment{'s' * (len(of.matrices) > 1)}"
    elif isinstance(of, ScalarBandit):
        facts = f"N={of.n_arms}, {bandit_in_words(of)}, best {', '.join(map(str, of.best))}"
    else:
        facts = f"K={of.n_arms}, {winner_in_words(of)}, min gap {winners.min_gap(of):.3g}"
    return f"{problem.name}{'  ' * bool(problem.name)}{facts}  ({problem.described})"
