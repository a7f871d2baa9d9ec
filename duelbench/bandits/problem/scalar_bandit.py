"""Scalar bandits: N arms that give 0 or 1, and a decision about their means (see `decision_rule`)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.problem.decision_rule import Decision
from duelbench.errors import InputError


class ScalarBandit:
    """N arms that give 0 or 1, and a decision about their means.

    Parameters
    ----------
    means : array_like, shape (N,)
        The probability that a sample of each arm is 1, in [0, 1].
    parameters : mapping
        Parameters of the decision; defaults are filled in.
    names : sequence of str, optional
        Names of the arms; by default "0" to "N-1".

    Examples
    --------
    >>> from duelbench.bandits.algorithms.exploration import scalar_decisions
    >>> bandit = ScalarBandit([0.9, 0.5, 0.25], scalar_decisions.get("rigged"), {"m": 1})
    >>> bandit.n_arms, bandit.best, bandit.losses.tolist()
    (3, (1,), [0.5, 0.0, 0.25])
    """

    def __init__(
        self,
        means: ArrayLike,
        decision: Decision,
        parameters: Mapping[str, Any] | None = None,
        names: Sequence[str] | None = None,
        source: str | None = None,
    ) -> None:
        self.means = _checked(means)
        self.means.setflags(write=False)
        self.decision = decision
        try:
            self.parameters = decision.resolve(parameters or {})
            decision.begin(self.n_arms, self.parameters)
        except ValueError as error:
            raise InputError(str(error)) from None
        self.names = tuple(map(str, range(self.n_arms)) if names is None else names)
        self.source = source

    @property
    def n_arms(self) -> int:
        """The number of arms, N."""
        return self.means.size

    @cached_property
    def losses(self) -> np.ndarray:
        """The cost of each decision, (n_decisions,) float64; 0 for the best."""
        return np.asarray(self.decision.losses(self.means, **self.parameters), np.float64)

    @property
    def best(self) -> tuple[int, ...]:
        """The decisions that cost nothing."""
        return tuple(np.flatnonzero(self.losses == 0).tolist())

    @property
    def question(self) -> tuple[Decision, Mapping[str, Any]]:
        """The part of the problem that an algorithm knows: the decision and its parameters, but not the means."""
        return self.decision, self.parameters

    def content(self) -> dict[str, Any]:
        """Return the problem in plain JSON types, as in a spec."""
        named = {"names": list(self.names)} if self.names != tuple(map(str, range(self.n_arms))) else {}
        return {"means": self.means.tolist(), "decision": self.decision.name, **self.parameters, **named}

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of means, decision and parameters, 64 hexadecimal digits; names and source do not matter."""
        canonical = {"means": self.means.tolist(), "decision": self.decision.name, "parameters": self.parameters}
        return hashlib.sha256(json.dumps(canonical, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _checked(means: ArrayLike) -> np.ndarray:
    try:
        values = np.array(means, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"means must be numbers, got {means!r}") from None
    if values.ndim != 1 or values.size < 1:
        raise InputError(f"means must be a list of at least one number, got an array of shape {values.shape}")
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if wrong.size:
        raise InputError(f"means must lie between 0 and 1, but arm {wrong[0]} (from 0) has {values[wrong[0]]}")
    return values
