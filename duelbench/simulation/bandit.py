"""A scalar bandit in one line, its decision by name."""

from typing import Any

import numpy.typing as npt

from duelbench.algorithms.exploration import scalar_decisions
from duelbench.problem.decision_rule import Decision
from duelbench.problem.scalar_bandit import ScalarBandit


def scalar_bandit(means: npt.ArrayLike, decision: str | Decision = "argmax", **parameters: Any) -> ScalarBandit:
    """N arms that give 0 or 1, and what is to be decided about their means.

    Parameters
    ----------
    means : array_like, shape (N,)
    decision : str or Decision
        The name of a built-in decision (`duelbench.algorithms.exploration.scalar_decisions.DECISIONS`), or your own.
    **parameters
        The decision's own, e.g. ``m=4``.

    Raises
    ------
    InputError
        For an argument that makes no sense, naming it.

    Examples
    --------
    >>> import duelbench
    >>> bandit = duelbench.scalar_bandit([1.0, 0.0, 0.0, 0.0])
    >>> trace = duelbench.simulate("savage", bandit, horizon=10**6)
    >>> int(trace.recommended[-1]), trace.explored[0], trace.explored[-1], trace.finished < 10**3
    (0, np.int64(4), np.int64(0), True)
    """
    chosen = scalar_decisions.get(decision) if isinstance(decision, str) else decision
    return ScalarBandit(means, chosen, parameters)
