"""The stopping rules by id."""

from duelbench.bandits.algorithms.stopping.borda import BORDA
from duelbench.bandits.algorithms.stopping.e_bets import E_BETS
from duelbench.bandits.algorithms.stopping.e_condorcet import E_CONDORCET, GLR_CONDORCET
from duelbench.bandits.algorithms.stopping.pac_condorcet import PAC_CONDORCET
from duelbench.bandits.algorithms.stopping.pairs import PAIRS

RULES = {rule.id: rule for rule in (E_CONDORCET, E_BETS, GLR_CONDORCET, PAC_CONDORCET, PAIRS, BORDA)}
"""id -> `Rule`."""
