"""The identity of a run: all that determines it, and nothing else. Two runs of equal identity are bitwise equal.

That of a *cell* (one algorithm on one problem up to one horizon) has everything but the run's index.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.problem.worlds.world import AnyProblem

FORMAT = 1
"""Version of the results format. Raised when the files change, or when a change of the engine alters all traces."""


@dataclass(frozen=True)
class Identity:
    """Everything that determines the traces of one cell's runs."""

    matrix: str  # SHA-256 of the preference matrix, of the scalar bandit, or of the world
    n_arms: int
    algorithm: str  # the algorithm's id
    parameters: Mapping[str, Any]  # all, defaults included
    trace_version: int
    horizon: int  # rounds
    n_checkpoints: int
    checkpoints: str  # SHA-256 of the checkpoints as little-endian int64
    regret: tuple[str, ...]  # regret definitions, in the order of the rows of a trace
    seed: int
    shuffle_arms: bool
    feedback_batch: int = 1
    feedback_delay: int = 0
    format: int = FORMAT
    # Fields that are None are no part of the identity.
    decision: str | None = None  # what a scalar bandit asks
    code: str | None = None  # SHA-256 of the sources of an algorithm or a decision that is plugged in
    cut_at_checkpoints: bool | None = None  # True where no batch of duels goes beyond a checkpoint

    def content(self) -> dict[str, Any]:
        """The identity as JSON can hold it."""
        values = {one.name: value for one in fields(self) if (value := getattr(self, one.name)) is not None}
        return {**values, "parameters": dict(self.parameters), "regret": list(self.regret)}

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> "Identity":
        """The identity that `content` gave; a TypeError or ValueError when a field is missing or unknown."""
        return cls(**{**content, "regret": tuple(content["regret"])})

    @cached_property
    def _canonical(self) -> bytes:
        """The identity as canonical JSON; made once, for every run asks for its key several times."""
        return json.dumps(self.content(), sort_keys=True, separators=(",", ":")).encode()

    def keys(self, runs: Sequence[int]) -> list[str]:
        """The keys of several runs (0-based): SHA-256 of the canonical identity and the run's index."""
        cell = hashlib.sha256(self._canonical)
        keys = []
        for run in runs:
            digest = cell.copy()  # the long part is hashed once: a plan of 10^5 runs must not take minutes
            digest.update(f" run {run}".encode())
            keys.append(digest.hexdigest())
        return keys

    def key(self, run: int) -> str:
        """The key of one run (0-based)."""
        return self.keys([run])[0]


def identify(
    matrix: AnyProblem,
    algorithm: Algorithm,
    parameters: Mapping[str, Any],
    *,
    horizon: int,
    checkpoints: Sequence[int],
    regret: Sequence[str],
    seed: int,
    shuffle_arms: bool,
    feedback_batch: int = 1,
    feedback_delay: int = 0,
    cut_at_checkpoints: bool = False,
) -> Identity:
    """The identity of a cell, of arguments as for `duelbench.simulate`; defaults of ``parameters`` are filled in."""
    decision = matrix.decision if isinstance(matrix, ScalarBandit) else None
    return Identity(
        matrix=matrix.sha256,
        n_arms=matrix.n_arms,
        algorithm=algorithm.id,
        parameters=algorithm.resolve(parameters),
        trace_version=algorithm.trace_version,
        horizon=int(horizon),
        n_checkpoints=len(checkpoints),
        checkpoints=digest_of_rounds(checkpoints),
        regret=tuple(regret),
        seed=int(seed),
        shuffle_arms=bool(shuffle_arms),
        feedback_batch=int(feedback_batch),
        feedback_delay=int(feedback_delay),
        decision=None if decision is None else decision.name,
        code=registry.code_of(algorithm, decision),
        cut_at_checkpoints=True if cut_at_checkpoints else None,
    )


def digest_of_rounds(rounds: Sequence[int] | np.ndarray) -> str:
    """SHA-256 of rounds as little-endian int64."""
    return hashlib.sha256(np.asarray(rounds, dtype="<i8").tobytes()).hexdigest()


def differences(old: Identity, new: Identity, in_world: bool = False) -> list[str]:
    """In words, what ``new`` has changed since ``old``; ``in_world`` says that both are of worlds.

    Examples
    --------
    >>> import dataclasses
    >>> old = Identity("a", 5, "rucb", {"alpha": 0.51}, 1, 10**5, 2, "c", ("copeland",), 7, False)
    >>> differences(old, dataclasses.replace(old, horizon=10**6, parameters={"alpha": 0.6}))
    ['alpha changed from 0.51 to 0.6', 'horizon changed from 1e5 to 1e6']
    """
    if old.algorithm != new.algorithm:
        return [f"algorithm changed from {old.algorithm} to {new.algorithm}"]
    changes = []
    if old.matrix != new.matrix:
        problem = "world" if in_world else "matrix" if new.decision is None else "scalar bandit"
        changes.append(f"the {problem} changed")
    parameters = [
        (name, old.parameters.get(name), new.parameters.get(name)) for name in {**old.parameters, **new.parameters}
    ]
    fields = ("horizon", "seed", "shuffle_arms", "feedback_batch", "feedback_delay", "regret")
    for name, before, now in [*parameters, *((name, getattr(old, name), getattr(new, name)) for name in fields)]:
        if before != now:
            changes.append(f"{name} changed from {_words(before)} to {_words(now)}")
    if old.cut_at_checkpoints != new.cut_at_checkpoints:
        changes.append(f"checkpoints are {'' if new.cut_at_checkpoints else 'no '}budgets now")
    if old.checkpoints != new.checkpoints and old.horizon == new.horizon:
        changes.append("the checkpoints changed")
    if old.trace_version != new.trace_version:
        changes.append(f"{new.algorithm}'s traces changed in version {new.trace_version}")
    if old.code != new.code:
        is_known = old.code and new.code
        changes.append("the plug-in's code changed" if is_known else f"{old.algorithm} is another algorithm now")
    if old.format != new.format:
        changes.append(f"the results format changed from {old.format} to {new.format}")
    return changes


def _words(value: Any) -> str:
    """A value as a spec would say it; round numbers of rounds as powers of ten."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value >= 1000:
        digits = str(value).rstrip("0")
        power = len(str(value)) - 1
        return f"{digits}e{power}" if len(digits) == 1 else f"{value}"
    return str(value)
