"""The terms of a run: everything that determines it except its index, in one frozen object.

A spec makes `Terms`, their key identifies results, `simulate_terms` plays them, and a failed run is repeated from them.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.problem.round_losses import Costs, costs
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.worlds.world import AnyProblem, World

FORMAT = 1
"""Version of the results format. Increased when the files change, or when a change of the engine alters all traces."""


def _setting(default: Any, words: str) -> Any:
    """Return the field of a setting; ``words`` describe values other than the default, with braces for the value."""
    return field(default=default, metadata={"words": words})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a game is played, apart from its problem and its algorithm; the names are those of specs and `simulate`."""

    shuffle_arms: bool = _setting(True, "arms are not shuffled")
    feedback_batch: int = _setting(1, "outcomes arrive in batches of {} rounds")  # they are delivered together
    feedback_delay: int = _setting(0, "each outcome arrives {} round(s) late")
    cut_at_checkpoints: bool = _setting(False, "")  # batches of duels end at checkpoints; follows from a budget

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Settings":
        """Return the settings among ``values``, which may have other names too."""
        return cls(**{name: values[name] for name in SETTINGS if name in values})

    @property
    def unusual(self) -> dict[str, Any]:
        """The settings that are not the default."""
        return {name: getattr(self, name) for name, usual in SETTINGS.items() if getattr(self, name) != usual}

    @property
    def is_late(self) -> bool:
        """Whether outcomes are delivered late or in batches."""
        return self.feedback_batch > 1 or self.feedback_delay > 0


USUAL = Settings()

SETTINGS: Mapping[str, Any] = {setting.name: setting.default for setting in fields(Settings)}
"""The default of each setting."""


def in_words(name: str, value: Any) -> str:
    """Describe a setting that is not the default.

    Examples
    --------
    >>> in_words("feedback_delay", 1), in_words("feedback_batch", 10)
    ('each outcome arrives 1 round late', 'outcomes arrive in batches of 10 rounds')
    """
    words: str = Settings.__dataclass_fields__[name].metadata["words"]
    return words.format(value).replace("(s)", "" if value == 1 else "s")


@dataclass(frozen=True)
class Identity:
    """The stored form of `Terms`: digests in place of the problem, the checkpoints and third-party code."""

    matrix: str  # SHA-256 of the preference matrix, of the scalar bandit, or of the world
    n_arms: int
    algorithm: str  # its id
    parameters: Mapping[str, Any]  # all, defaults included
    trace_version: int
    horizon: int  # rounds
    n_checkpoints: int
    checkpoints: str  # SHA-256 of the checkpoints as little-endian int64
    regret: tuple[str, ...]  # regret definitions, in the order of the rows of a trace
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)  # those that are not the default
    format: int = FORMAT
    # None if the problem or the algorithm has none
    decision: str | None = None  # the decision of a scalar bandit
    code: str | None = None  # SHA-256 of the sources of an algorithm or a decision that is plugged in

    def content(self) -> dict[str, Any]:
        """Return the identity in plain JSON types."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values = {name: value for name, value in values.items() if value is not None}
        mappings = {"parameters": dict(self.parameters), "settings": dict(self.settings)}
        return {**values, **mappings, "regret": list(self.regret)}

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> "Identity":
        """Read the identity from `content`; a TypeError or ValueError if a field is missing or unknown."""
        identity = cls(**{**content, "regret": tuple(content["regret"])})
        Settings(**identity.settings)  # refuses unknown settings
        return identity

    @cached_property
    def _canonical(self) -> bytes:
        """The identity as canonical JSON; cached, because every run needs its key several times."""
        return json.dumps(self.content(), sort_keys=True, separators=(",", ":")).encode()

    def keys(self, runs: Iterable[int]) -> list[str]:
        """Return the keys of several runs (0-based): SHA-256 of the canonical identity and the run's index."""
        cell = hashlib.sha256(self._canonical)
        keys = []
        for run in runs:
            digest = cell.copy()  # the long part is hashed once: a plan of 10^5 runs must not take minutes
            digest.update(f" run {run}".encode())
            keys.append(digest.hexdigest())
        return keys

    def key(self, run: int) -> str:
        """Return the key of one run (0-based)."""
        return self.keys([run])[0]


@dataclass(frozen=True, eq=False, kw_only=True)
class Terms:
    """Everything that determines the runs of an algorithm on a problem up to a horizon, except their index.

    Two runs with equal terms and index are bitwise equal.
    """

    problem: AnyProblem
    algorithm: str | Algorithm  # its id, known in other processes; or an algorithm that only this process knows
    parameters: Mapping[str, Any]  # all, defaults included
    horizon: int  # rounds
    checkpoints: Sequence[int] | np.ndarray  # rounds (1-based), increasing; the last is the horizon
    regret: tuple[str, ...]  # definitions
    seed: int
    settings: Settings = USUAL

    @classmethod
    def of(cls, identity: Identity, problem: AnyProblem, checkpoints: Sequence[int] | np.ndarray) -> "Terms":
        """Return the terms of an identity, given the problem and the checkpoints, of which it has only digests.

        Raises
        ------
        InputError
            If there is no such algorithm.
        ValueError
            If the algorithm does not have these parameters.
        """
        return cls(
            problem=problem,
            algorithm=identity.algorithm,
            parameters=registry.get(identity.algorithm).resolve(identity.parameters),
            horizon=identity.horizon,
            checkpoints=checkpoints,
            regret=identity.regret,
            seed=identity.seed,
            settings=Settings(**identity.settings),
        )

    @property
    def played(self) -> Algorithm:
        """The algorithm to play."""
        return registry.get(self.algorithm) if isinstance(self.algorithm, str) else self.algorithm

    @cached_property
    def identity(self) -> Identity:
        """The stored form of these terms."""
        decision = self.problem.decision if isinstance(self.problem, ScalarBandit) else None
        algorithm = self.played
        return Identity(
            matrix=self.problem.sha256,
            n_arms=self.problem.n_arms,
            algorithm=algorithm.id,
            parameters=algorithm.resolve(self.parameters),
            trace_version=algorithm.trace_version,
            horizon=self.horizon,
            n_checkpoints=len(self.checkpoints),
            checkpoints=digest_of_rounds(self.checkpoints),
            regret=self.regret,
            seed=self.seed,
            settings=self.settings.unusual,
            decision=None if decision is None else decision.name,
            code=registry.code_of(algorithm, decision),
        )

    @cached_property
    def costs(self) -> Costs:
        """The costs of rounds, unless the problem is a world. Runs share these arrays and do not change them."""
        assert not isinstance(self.problem, World)
        return costs(self.problem, self.regret)

    @property
    def form(self) -> tuple[bool, bool, bool]:
        """What has a compiled loop of its own: late outcomes, flipped outcomes, and announcements that cost regret."""
        flips = isinstance(self.problem, World) and self.problem.flips > 0
        return self.settings.is_late, flips, any(name.startswith("announced") for name in self.regret)

    def until(self, horizon: int) -> "Terms":
        """Return the same terms with an earlier horizon."""
        return replace(self, horizon=horizon, checkpoints=[*(t for t in self.checkpoints if t < horizon), horizon])


def digest_of_rounds(rounds: Sequence[int] | np.ndarray) -> str:
    """Return the SHA-256 of rounds as little-endian int64."""
    return hashlib.sha256(np.asarray(rounds, dtype="<i8").tobytes()).hexdigest()
