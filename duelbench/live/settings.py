"""What a live session is made of: everything but its answers, checked once."""

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.stopping.rule import Rule
from duelbench.algorithms.stopping.rules import RULES
from duelbench.errors import InputError, nearest, nearest_or_all
from duelbench.parameters import resolve
from duelbench.problem.labelled import MAX_COUNT
from duelbench.problem.sources.counts import PairCounts
from duelbench.problem.sources.importing import read_counts
from duelbench.simulation.simulate import LONGEST, MOST_SEED, whole

HORIZON = 10**9
"""Rounds of an algorithm that need not know how many there are. Most are self-duels, which cost nothing here: with 10^6
of them D-TS asked for nothing more while it still had much to ask."""

TIES = ("half", "drop")

STOP: Mapping[str, Any] = {"rule": "e-condorcet", "delta": 0.05}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a session is made of, in the terms of `duelbench.Session`, all of them filled in.

    Two sessions with the same settings and answers ask the same questions.
    """

    algorithm: Algorithm
    arms: tuple[str, ...]
    seed: int
    horizon: int
    ties: str
    self_duels: bool
    standing_decisions: bool
    stop: Mapping[str, Any] | None  # the rule and all its parameters
    forbidden: tuple[tuple[int, int], ...]  # pairs i < j of arms, 0-based
    warm: tuple[tuple[float, ...], ...]
    parameters: Mapping[str, Any]  # all of the algorithm's
    digests: Mapping[str, str]

    def header(self) -> dict[str, Any]:
        """All of it as the first line of a log says it: what `settle` takes, by its names."""
        return {
            "algorithm": self.algorithm.id,
            "arms": list(self.arms),
            **{key: getattr(self, key) for key in ("seed", "horizon", "ties", "self_duels", "standing_decisions")},
            "stop": False if self.stop is None else dict(self.stop),
            "forbidden": [[self.arms[i], self.arms[j]] for i, j in self.forbidden],
            "warm": [list(row) for row in self.warm],
            "parameters": dict(self.parameters),
            "digests": dict(self.digests),
        }

    @property
    def rule(self) -> Rule | None:
        """The stopping rule; None without one."""
        return None if self.stop is None else RULES[self.stop["rule"]]

    @property
    def earlier_duels(self) -> str:
        """How many duels ``warm`` holds, in words; empty where there are none."""
        many = round(sum(map(sum, self.warm)))
        return f"{many:,} earlier duel{'s' * (many != 1)}" if many else ""

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: arm for arm, name in enumerate(self.arms)}

    def arm(self, name: object) -> int:
        """The number of an arm, from 0; `InputError` when there is no such arm."""
        if not isinstance(name, str) or name not in self._numbers:
            raise InputError(f"there is no arm {name!r}{nearest_or_all(name, self.arms[:20])}")
        return self._numbers[name]


def settle(
    *,
    algorithm: str | Algorithm,
    arms: Iterable[str],
    seed: int = 0,
    horizon: int | None = None,
    ties: str = "half",
    self_duels: bool = False,
    standing_decisions: bool = True,
    stop: Mapping[str, Any] | bool | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    warm: Any = None,
    parameters: Mapping[str, Any],
    digests: Mapping[str, str] | None = None,
) -> Settings:
    """Check what a user has asked for, in the terms of `duelbench.Session`."""
    chosen = registry.get(algorithm) if isinstance(algorithm, str) else algorithm
    if not isinstance(chosen, Algorithm):
        raise InputError(f"algorithm must be an id, such as 'd-ts-plus', or an Algorithm, got {chosen!r}")
    registry.check_plays(chosen, is_scalar=False)
    names = _names(arms)
    try:
        resolved = chosen.resolve(parameters)
    except ValueError as error:
        is_of_rule = any(name in parameters and name not in chosen.parameters for name in STOP)
        hint = f"; the stopping rule's are written stop={dict(STOP)}" if is_of_rule else ""
        raise InputError(f"{error}{hint}") from None
    if ties not in TIES:
        raise InputError(f"ties must be 'half' or 'drop', got {ties!r}")
    for name, value in (("self_duels", self_duels), ("standing_decisions", standing_decisions)):
        if not isinstance(value, bool):
            raise InputError(f"{name} must be True or False, got {value!r}")
    if horizon is None and not chosen.is_anytime(resolved):
        raise InputError(
            f"{chosen.id} must know beforehand how many rounds there are; give horizon=, the most duels you will ask"
        )
    return Settings(
        algorithm=chosen,
        arms=names,
        seed=whole("seed", seed, 0, MOST_SEED),
        horizon=HORIZON if horizon is None else whole("horizon", horizon, 1, LONGEST),
        ties=ties,
        self_duels=self_duels,
        standing_decisions=standing_decisions,
        stop=_stop(stop, len(names)),
        forbidden=_forbidden(forbidden, names),
        warm=_warm(warm, names),
        parameters=resolved,
        digests=check_digests(digests, names),
    )


def _names(arms: Iterable[str]) -> tuple[str, ...]:
    if isinstance(arms, (str, bytes)) or not isinstance(arms, Iterable):
        raise InputError(f"arms must be a list of names, such as ['a', 'b', 'c'], got {arms!r}")
    if isinstance(arms, (set, frozenset)):
        raise InputError("arms must be a list of names: a set has no order, so that the same seed would ask otherwise")
    names = tuple(arms)
    seen: dict[str, str] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"each arm is a name that is not empty, got {name!r}")
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"the arm {name!r} is no text that can be written as UTF-8") from None
        if names.count(name) > 1:
            raise InputError(f"the arm {name!r} is named twice; every arm has a name of its own")
        if (other := seen.setdefault(unicodedata.normalize("NFC", name), name)) != name:
            raise InputError(f"the arms {other!a} and {name!a} are the same letters; give one another name")
    if len(names) < 2:
        raise InputError(f"there must be two arms at least, got {len(names)}")
    return tuple(map(str, names))  # NumPy's are no plain ones


def _stop(stop: Any, n_arms: int) -> Mapping[str, Any] | None:
    """The rule and all its parameters."""
    if stop is False:
        return None
    if stop is None:
        stop = STOP
    if not isinstance(stop, Mapping):
        raise InputError(f"stop is {stop!r}; write {{'rule': 'e-condorcet', 'delta': 0.05}}, or False for no rule")
    given = {**stop}
    name = given.pop("rule", STOP["rule"])
    if name not in RULES:
        raise InputError(f"there is no stopping rule {name!r}{nearest_or_all(name, RULES)}")
    rule = RULES[name]
    try:
        resolved = resolve(rule.parameters, given, name, "the rule ")
    except ValueError as error:
        raise InputError(f"stop: {error}") from None
    why = rule.refuses(n_arms, **resolved) if rule.refuses is not None else None
    if why is not None:
        raise InputError(f"{name} cannot end this session: {why}")
    return {"rule": name, **resolved}


def _forbidden(forbidden: Iterable[tuple[str, str]], names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    found = set()
    for pair in forbidden:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(f"each forbidden pair is two names, such as ('a', 'b'), got {pair!r}")
        for name in pair:
            if name not in names:
                raise InputError(f"forbidden: there is no arm {name!r}{nearest_or_all(name, names[:20])}")
        i, j = sorted(names.index(name) for name in pair)
        if i == j:
            raise InputError(f"forbidden: {pair[0]!r} against itself is never asked anyway; leave it out")
        found.add((i, j))
    if len(found) == len(names) * (len(names) - 1) // 2:
        raise InputError("all pairs are forbidden, so that there is nothing to ask")
    return tuple(sorted(found))


def _warm(warm: Any, names: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """Counts of wins by arms; none where there is nothing to begin with."""
    if warm is None:
        warm = np.zeros((len(names), len(names)))
    elif isinstance(warm, (str, os.PathLike)):
        warm = read_counts(warm)
    source = "warm"
    if isinstance(warm, PairCounts):
        source, warm = warm.source, _by_names(warm, names)
    return tuple(tuple(map(float, row)) for row in checked_counts(warm, names, source))


def checked_counts(wins: Any, names: Sequence[str], source: str) -> np.ndarray:
    """A table of wins of the arms ``names`` as (K, K) float64, ties half each; messages call it ``source``."""
    K = len(names)
    try:
        counts = np.array(wins, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{source} must be a table of wins, {K} x {K}, or the path of one") from None
    if counts.shape != (K, K):
        shape = " x ".join(map(str, counts.shape))
        raise InputError(f"{source}: {shape} counts for {K} arms; a table of wins has a row and a column for each")
    for i in range(K):
        for j in range(K):
            wins, losses = counts[i, j], counts[j, i]
            what = f"{source}: {names[i]!r} against {names[j]!r}"
            if wins > MAX_COUNT:
                raise InputError(f"{what}: {wins:g} wins; {MAX_COUNT:.0e} at most are counted")
            if not wins >= 0 or (2 * wins) % 1 != 0:
                raise InputError(f"{what}: {wins:g} wins; write a whole number from 0, or half of one where duels tied")
            if (wins + losses) % 1 != 0:
                raise InputError(f"{what}: {wins:g} wins and {losses:g} losses; a tie is half a win for both")
            if i == j and wins != 0:
                raise InputError(f"{what}: {wins:g} wins against itself; write 0")
    return counts


def _by_names(found: PairCounts, names: Sequence[str]) -> np.ndarray:
    """Counts in the order of the session's arms; arms that are not in the file have none."""
    K = len(names)
    if found.names == tuple(map(str, range(K))) and not {*found.names} & {*names}:
        return found.wins  # a table without names
    counts = np.zeros((K, K))
    for name in found.names:
        if name not in names:
            raise InputError(f"{found.source}: there is no arm {name!r} in this session{nearest(name, names)}")
    at = [names.index(name) for name in found.names]
    counts[np.ix_(at, at)] = found.wins
    return counts


def check_digests(digests: Any, names: Sequence[str] | None = None) -> Mapping[str, str]:
    """Digests of arms' contents, which must be texts by names of arms; none where nothing is given.

    Examples
    --------
    >>> check_digests({"a": "9f86d081"}, ["a"]), check_digests(None)
    ({'a': '9f86d081'}, {})
    """
    if digests is None:
        return {}
    if not isinstance(digests, Mapping) or not all(isinstance(part, str) for item in digests.items() for part in item):
        raise InputError(f"digests must be texts by the names of arms, such as {{'a': '9f86d081'}}, got {digests!r}")
    for name in digests:
        if names is not None and name not in names:
            raise InputError(f"digests: there is no arm {name!r}{nearest(name, names)}")
    return {**digests}


def answer_in_words(stop: Mapping[str, Any], answer: str | None) -> str:
    """What an answer says; it is wrong with probability delta at most.

    Parameters
    ----------
    stop : mapping
        ``rule`` and all its parameters.
    answer : str or None
        The arm; None where the answer is that there is no Condorcet winner.

    Examples
    --------
    >>> answer_in_words({"rule": "e-condorcet", "delta": 0.05}, "tea")
    'if one arm beats all others, it is tea'
    >>> answer_in_words({"rule": "pairs", "delta": 0.05, "target": "copeland", "epsilon": 0.0, "k": 1}, "tea")
    'if no two arms are exactly even, no arm beats more others than tea'
    """
    epsilon, k = stop.get("epsilon", 0.0), stop.get("k", 1)
    by_more = f" by more than {epsilon:g}" if epsilon > 0 else ""
    if RULES[stop["rule"]].assumes == "condorcet":
        if answer is None:
            return "no arm beats all others"
        return f"if one arm beats all others, {f'{answer} loses to none{by_more}' if by_more else f'it is {answer}'}"
    if stop["rule"] != "pairs":
        fewer = "no arm has" if k == 1 else f"fewer than {k} arms have"
        return f"{fewer} a Borda score that is larger than that of {answer}{by_more}"
    if stop["target"] not in ("condorcet", "copeland"):
        place = f"among the best {k}" if stop["target"] == "top-k" and k > 1 else "the best"
        return f"if the arms stand in an order, {answer} is {place}"
    if stop["target"] == "condorcet":
        said = f"{answer or 'no arm'} beats all others"
    elif by_more:
        said = f"no arm's Copeland score is larger than that of {answer}{by_more}"
    else:
        said = f"no arm beats more others than {answer}"
    return f"if no two arms are exactly even, {said}"
