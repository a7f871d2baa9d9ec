"""What a live session is made of: everything but its answers, checked once."""

import json
import os
import reprlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from typing import Any

import numpy as np

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.stopping.rule import Rule
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.bandits.parameters import resolve
from duelbench.bandits.problem.labelled import MAX_COUNT
from duelbench.bandits.simulation.simulate import LONGEST, MOST_SEED, whole
from duelbench.common.words import plural
from duelbench.data.votes import Votes, read_votes
from duelbench.errors import InputError, likeliest, nearest_or_all
from duelbench.judging.arms import check_arm_name, first_of

HORIZON = 10**9
"""Rounds of an algorithm that need not know how many there are. Most are self-duels, which cost nothing here: with 10^6
of them D-TS asked for nothing more while it still had much to ask."""

OWN = "own"
"""The rule that ends a session by the test of its algorithm; the usual one where there is such a test."""

STOP: Mapping[str, Any] = {"rule": "e-bets", "delta": 0.05}
"""The stopping rule of other algorithms; after earlier duels it is `RULE_AFTER_EARLIER_DUELS`."""

RULE_AFTER_EARLIER_DUELS = "e-condorcet"
"""In which they count as much as others: ``e-bets`` stakes the same on all of a pair."""


def has_own_test(algorithm: Algorithm) -> bool:
    """Whether an algorithm names a Condorcet or Copeland winner, wrong with probability ``delta`` at most at any time.

    It may assume a Condorcet winner, as the rules do, but no order of the arms, no horizon and no least gap ``h``.
    """
    promises = not {"condorcet", "copeland"}.isdisjoint(algorithm.answers) and "delta" in algorithm.parameters
    assumes_more = algorithm.assumes == "total order" or not algorithm.anytime or "h" in algorithm.parameters
    return promises and not assumes_more


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What `duelbench.Session` is made of, all of it filled in.

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
    orders: str = "random"  # in which pairs are shown
    once: bool = False  # whether each pair is asked at most once
    presentation: Mapping[str, Any] = field(default_factory=dict)  # how questions are shown, as JSON values

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
            "orders": self.orders,
            "once": self.once,
            "presentation": dict(self.presentation),
        }

    @property
    def rule(self) -> Rule | None:
        """The stopping rule; None without one, and for `OWN`."""
        return None if self.stop is None else RULES.get(self.stop["rule"])

    @property
    def is_own(self) -> bool:
        """Whether the algorithm's own test ends the session."""
        return self.stop is not None and self.stop["rule"] == OWN

    @property
    def is_about_condorcet(self) -> bool:
        """Whether the rule names an arm only if it beats all others."""
        if self.is_own:
            return "condorcet" in self.algorithm.answers
        has_margin = self.stop is not None and self.stop.get("epsilon", 0.0) > 0
        return self.rule is not None and self.rule.assumes == "condorcet" and not has_margin

    @property
    def earlier_duels(self) -> str:
        """How many duels ``warm`` holds, in words; empty where there are none."""
        many = round(sum(map(sum, self.warm)))
        return f"{many:,} earlier {plural(many, 'duel')}" if many else ""


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
    orders: str = "random",
    once: bool = False,
    presentation: Mapping[str, Any] | None = None,
) -> Settings:
    """Check what a user has asked for; parameters are those of `duelbench.Session`."""
    chosen = registry.get(algorithm) if isinstance(algorithm, str) else algorithm
    if not isinstance(chosen, Algorithm):
        raise InputError(f"algorithm must be an id, such as 'd-ts-plus', or an Algorithm, got {chosen!r}")
    registry.check_plays(chosen, is_scalar=False)
    names = _names(arms)
    earlier = _warm(warm, names)
    try:
        resolved = chosen.resolve(parameters)
    except ValueError as error:
        unknown = [name for name in parameters if name not in chosen.parameters]
        keywords = (*(field.name for field in fields(Settings)), "log")
        meant = next((meant for name in unknown if (meant := likeliest(name, keywords))), None)
        hint = f"; of the session, did you mean {meant}=?" if meant else ""
        if {*unknown} & {*STOP}:
            hint = f"; the stopping rule's are written stop={dict(STOP)}"
        raise InputError(f"{error}{hint}") from None
    if ties not in ("half", "drop"):
        hint = (
            f"; the parameter of {chosen.id} is written parameters={{'ties': {ties!r}}}"
            if "ties" in chosen.parameters
            else ""
        )
        raise InputError(f"ties must be 'half' or 'drop', got {ties!r}{hint}")
    if orders not in ("random", "first", "both"):
        raise InputError(f"orders must be 'random', 'first' or 'both', got {orders!r}")
    for name, value in (
        ("self_duels", self_duels),
        ("standing_decisions", standing_decisions),
        ("once", once),
    ):
        if not isinstance(value, bool):
            raise InputError(f"{name} must be True or False, got {value!r}")
    if horizon is None and not chosen.is_anytime(resolved):
        raise InputError(
            f"{chosen.id} must know beforehand how many rounds there are; give horizon=, the most duels you will ask"
        )
    never_asked = _forbidden(forbidden, names)
    has_earlier = bool(np.any(earlier))
    not_own = _why_not_own(chosen, has_earlier, bool(never_asked))
    usual = RULE_AFTER_EARLIER_DUELS if has_earlier else STOP["rule"] if not_own else OWN
    if once and stop:
        raise InputError("each pair is asked once, so no stopping rule can be used; leave out stop")
    if once and ties == "drop":
        raise InputError("each pair is asked once, so a tie cannot be asked again; leave out ties='drop'")
    ends = _stop(False if once else stop, len(names), usual, not_own, parameters.get("delta"))
    if ends is not None and ends["rule"] == OWN:
        resolved["delta"] = ends["delta"]
    return Settings(
        algorithm=chosen,
        arms=names,
        seed=whole("seed", seed, 0, MOST_SEED),
        horizon=HORIZON if horizon is None else whole("horizon", horizon, 1, LONGEST),
        ties=ties,
        self_duels=self_duels,
        standing_decisions=standing_decisions,
        stop=ends,
        forbidden=never_asked,
        warm=earlier,
        parameters=resolved,
        digests=_digests({} if digests is None else digests, names),
        orders=orders,
        once=once,
        presentation=check_json("presentation", {} if presentation is None else presentation, Mapping),
    )


def entry_of(algorithm: Any, parameters: Any, more: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The algorithm, and its parameters by whichever way they were given: as of `duelbench.Session`."""
    ways = [{} if parameters is None else parameters, more]
    if isinstance(algorithm, Mapping):
        if len(algorithm) != 1:
            raise InputError(f"algorithm must name one, as in {{'rucb': {{'alpha': 0.8}}}}, got {algorithm!r}")
        ((algorithm, parameters_of_entry),) = algorithm.items()
        ways.append({} if parameters_of_entry is None else parameters_of_entry)
    merged: dict[str, Any] = {}
    for way in ways:
        if not isinstance(way, Mapping):
            raise InputError(f"the parameters of an algorithm are a mapping, such as {{'alpha': 0.8}}, got {way!r}")
        if twice := merged.keys() & way.keys():
            raise InputError(f"the parameter {min(twice)} is given twice; leave one out")
        merged |= way
    return algorithm, merged


def number_of(name: object, names: Sequence[str], place: str = "") -> int:
    """The number of an arm, from 0; `InputError`, which begins with ``place``, where there is no such arm."""
    if name not in names:
        raise InputError(f"{place}there is no arm {name!r}{nearest_or_all(name, names[:20])}")
    return names.index(str(name))


def pair_of(pair: Any, names: Sequence[str], what: str, place: str = "") -> tuple[int, int]:
    """The numbers of the two arms that a pair names; ``what`` says in a message what that should be."""
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise InputError(f"{what}, got {reprlib.repr(pair)}")
    return number_of(pair[0], names, place), number_of(pair[1], names, place)


def _names(arms: Iterable[str]) -> tuple[str, ...]:
    if isinstance(arms, (str, bytes, set, frozenset)) or not isinstance(arms, Iterable):
        raise InputError(f"arms must be a list of names, such as ['a', 'b', 'c'] (a set has no order), got {arms!r}")
    names: dict[str, str] = {}  # by their letters: an accent may be stored in two ways that look the same
    for name in arms:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"each arm is a name that is not empty, got {name!r}")
        check_arm_name(name, "arms")
        letters = unicodedata.normalize("NFC", name)
        if letters in names:
            raise InputError(f"the arms {names[letters]!a} and {name!a} are the same letters; give one another name")
        names[letters] = str(name)  # NumPy's are no plain ones
    if len(names) < 2:
        raise InputError(f"there must be two arms at least, got {len(names)}")
    return tuple(names.values())


def _why_not_own(algorithm: Algorithm, has_earlier: bool, has_forbidden: bool) -> str:
    """Why an algorithm's own test cannot end a session; empty where it can."""
    if not has_own_test(algorithm):
        return f"{algorithm.id} has no test of its own, as kelly-elimination has"
    what = "earlier duels" if has_earlier else "forbidden pairs" if has_forbidden else ""
    return what and f"the test of {algorithm.id} cannot be used with {what}"


def _stop(stop: Any, n_arms: int, usual: str, not_own: str, delta: Any) -> Mapping[str, Any] | None:
    """The rule, the ``usual`` one unless another is named, and all its parameters.

    ``not_own`` says why it cannot be `OWN`, which has the algorithm's ``delta``, where that is given.
    """
    if stop is False:
        return None
    if stop is None:
        stop = {}
    rules = (*RULES, OWN)
    if not isinstance(stop, Mapping):
        meant = stop if isinstance(stop, str) and stop in rules else STOP["rule"]
        raise InputError(f"stop is {stop!r}; write {dict(STOP) | {'rule': meant}}, or False for no rule")
    options = {**stop}
    name = options.pop("rule", usual)
    if name not in rules:
        raise InputError(f"there is no stopping rule {name!r}{nearest_or_all(name, rules)}")
    is_own = name == OWN
    if is_own and not_own:
        raise InputError(f"stop: {not_own}; leave out the rule {OWN}, or name another")
    if is_own and delta is not None and options.setdefault("delta", delta) != delta:
        raise InputError(
            f"delta is {options['delta']} of the rule {OWN} and {delta} of the algorithm;"
            " it is one number: leave one out"
        )
    rule = RULES[STOP["rule"] if is_own else name]  # that of `OWN` has the same parameters
    try:
        resolved = resolve(rule.parameters, options, name, "the rule ")
    except ValueError as error:
        raise InputError(f"stop: {error}") from None
    why = rule.refuses(n_arms, **resolved) if rule.refuses is not None else None
    if why is not None:
        raise InputError(f"{name} cannot end this session: {why}")
    return {"rule": name, **resolved}


def _forbidden(forbidden: Iterable[tuple[str, str]], names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    pairs = set()
    for pair in forbidden:
        i, j = sorted(pair_of(pair, names, "each forbidden pair is two names, such as ('a', 'b')", "forbidden: "))
        if i == j:
            raise InputError(f"forbidden: {names[i]!r} against itself is never asked anyway; leave it out")
        pairs.add((i, j))
    if len(pairs) == len(names) * (len(names) - 1) // 2:
        raise InputError("all pairs are forbidden, so that there is nothing to ask")
    return tuple(sorted(pairs))


def _warm(warm: Any, names: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """Counts of wins by arms; none where there is nothing to begin with."""
    if warm is None:
        warm = np.zeros((len(names), len(names)))
    elif isinstance(warm, (str, os.PathLike)):
        warm = read_votes(warm)
    source = "warm"
    if isinstance(warm, Votes):
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
    for i, j in product(range(K), repeat=2):
        won, lost = counts[i, j], counts[j, i]
        if won > MAX_COUNT:
            why = f"{MAX_COUNT:.0e} at most are counted"
        elif not won >= 0 or (2 * won) % 1 != 0:
            why = "write a whole number from 0, or half of one where duels tied"
        elif (won + lost) % 1 != 0:
            why = f"the other arm has {lost:g}, and a tie is half a win for both"
        elif i == j and won != 0:
            why = "an arm against itself has 0"
        else:
            continue
        raise InputError(f"{source}: {names[i]!r} against {names[j]!r}: {won:g} wins; {why}")
    return counts


def _by_names(votes: Votes, names: Sequence[str]) -> np.ndarray:
    """Wins in the order of the session's arms; arms that are not in the files have none, and others are left out."""
    K = len(names)
    shared = [name for name in votes.arms if name in names]
    if votes.arms == tuple(map(str, range(K))) and not shared:
        return votes.wins()  # a table without names
    if len(shared) < 2:
        known = f"only {shared[0]!r}" if shared else f"none, but {first_of(votes.arms)}"
        raise InputError(f"{votes.source}: of the arms of this session, {first_of(names)}, it has {known}")
    wins = np.zeros((K, K))
    here, in_votes = [names.index(name) for name in shared], [votes.arms.index(name) for name in shared]
    wins[np.ix_(here, here)] = votes.wins()[np.ix_(in_votes, in_votes)]
    return wins


def arms_left_out(votes: Votes, names: Sequence[str]) -> list[str]:
    """Return the arms of earlier duels that a session does not have; none if the votes are without names."""
    unknown = [name for name in votes.arms if name not in names]
    return unknown if len(unknown) < len(votes.arms) else []


def _digests(digests: Any, names: Sequence[str]) -> Mapping[str, str]:
    """Digests of what arms show, by their names."""
    if not isinstance(digests, Mapping) or not all(isinstance(digest, str) for digest in digests.values()):
        raise InputError(f"digests must be texts by the names of arms, such as {{'a': '9f86d081'}}, got {digests!r}")
    for name in digests:
        number_of(name, names, "digests: ")
    return {**digests}


def check_json(name: str, value: Any, kind: type) -> Any:
    """A value as JSON holds it; `InputError` where it is of another kind, or JSON cannot hold it."""
    try:
        if isinstance(value, kind):
            return json.loads(json.dumps(dict(value) if isinstance(value, Mapping) else value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name} must be what JSON can hold: {error}") from None
    raise InputError(f"{name} must be a {'mapping' if kind is Mapping else 'text'}, got {reprlib.repr(value)}")
