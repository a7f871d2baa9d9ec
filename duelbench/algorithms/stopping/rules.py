"""The stopping rules by id."""

from duelbench.algorithms.stopping.e_bets import E_BETS
from duelbench.algorithms.stopping.e_condorcet import E_CONDORCET, GLR_CONDORCET

RULES = {rule.id: rule for rule in (E_CONDORCET, GLR_CONDORCET, E_BETS)}
"""id -> `Rule`."""
