"""Names of regrets and bounds in figures and pages."""

from duelbench.bandits.problem.round_losses import SCALAR

REGRET_NAMES = {
    "copeland": "Copeland regret",
    "copeland-komiyama": "Copeland regret (Komiyama)",
    "copeland-zoghi": "Copeland regret (Zoghi)",
    "copeland-binary": "binary Copeland regret",
    "condorcet": "Condorcet regret",
    "condorcet-sum": "summed Condorcet regret",
    "strong": "strong regret",
    "weak": "weak regret",
    "borda": "Borda regret",
}
"""Regret definition -> its name on an axis."""

BOUND_NAMES = {
    "copeland": "lower bound",
    "ecw": "bound of ECW-RMED",
    "condorcet": "Condorcet lower bound",
}
"""Kind of bound -> its name in legends and pages."""


def regret_name(definition: str) -> str:
    """The name of a definition of regret."""
    return REGRET_NAMES.get(definition, f"{definition} regret")


def axis_name(regret: str) -> str:
    """The name of an axis of cumulative regret."""
    return f"cumulative {regret_name(regret)} ({unit(regret)})"


def unit(regret: str) -> str:
    """The unit of a definition of regret: duels, or samples of a scalar bandit.

    Examples
    --------
    >>> unit("copeland"), unit("announced")
    ('duels', 'samples')
    """
    return "samples" if regret in SCALAR else "duels"
