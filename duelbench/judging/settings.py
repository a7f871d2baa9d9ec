"""Checks and stores the settings of a live session."""

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
"""The default horizon. Most rounds are self-duels, which cost nothing in a session; with 10^6 rounds D-TS stopped
asking too early."""

OWN = "own"
"""The rule that ends a session by the algorithm's own test; the default for algorithms that have one."""

STOP: Mapping[str, Any] = {"rule": "e-bets", "delta": 0.05}
"""The default stopping rule for all other algorithms, if there are no earlier duels."""

RULE_AFTER_EARLIER_DUELS = "e-condorcet"
"""The default rule if there are earlier duels. It counts them like all others; ``e-bets`` would place the same bet on
all earlier duels of a pair."""


def has_own_test(algorithm: Algorithm) -> bool:
    """Return whether an algorithm names a Condorcet or Copeland winner with an error probability of at most ``delta``.

    The algorithm may assume a Condorcet winner, as the rules do, but no order of the arms, no horizon and no minimum
    gap ``h``.
    """
    promises = not {"condorcet", "copeland"}.isdisjoint(algorithm.answers) and "delta" in algorithm.parameters
    assumes_more = algorithm.assumes == "total order" or not algorithm.anytime or "h" in algorithm.parameters
    return promises and not assumes_more


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of a `duelbench.Session`, with defaults filled in.

    Two sessions with the same settings and answers ask the same questions.
    """

    algorithm: Algorithm
    arms: tuple[str, ...]
    seed: int
    horizon: int
    ties: str
    self_duels: bool
    standing_decisions: bool
    stop: Mapping[str, Any] | None  # the stopping rule and all its parameters
    forbidden: tuple[tuple[int, int], ...]  # pairs i < j of arms, 0-based
    warm: tuple[tuple[float, ...], ...]
    parameters: Mapping[str, Any]  # all parameters of the algorithm
    digests: Mapping[str, str]
    orders: str = "random"  # the orders in which pairs are shown
    once: bool = False  # whether each pair is asked at most once
    presentation: Mapping[str, Any] = field(default_factory=dict)  # how questions are shown, as JSON values

    def header(self) -> dict[str, Any]:
        """Return the settings as the first line of a log has them, with the parameters of `settle` as keys."""
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
        """The stopping rule; None if there is none, or if it is `OWN`."""
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
        """The number of duels in ``warm``, in words; empty if it has none."""
        n_duels = round(sum(map(sum, self.warm)))
        return f"{n_duels:,} earlier {plural(n_duels, 'duel')}" if n_duels else ""


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
    """Check the parameters of a `duelbench.Session`, and fill in the defaults."""
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
        suggestions = list(filter(None, (likeliest(name, keywords) for name in unknown)))
        hint = f"; of the session, did you mean {suggestions[0]}=?" if suggestions else ""
        if {*unknown} & {*STOP}:
            hint = f"; the stopping rule's are written stop={dict(STOP)}"
        raise InputError(f"{error}{hint}") from None
    if ties not in ("half", "drop"):
        hint = ""
        if "ties" in chosen.parameters:
            hint = f"; the parameter of {chosen.id} is written parameters={{'ties': {ties!r}}}"
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
            f"{chosen.id} must know the number of rounds beforehand; give horizon=, the most duels you will ask"
        )
    never_asked = _forbidden(forbidden, names)
    has_earlier = bool(np.any(earlier))
    not_own = _why_not_own(chosen, has_earlier, bool(never_asked))
    default_rule = STOP["rule"] if not_own else OWN
    if has_earlier:
        default_rule = RULE_AFTER_EARLIER_DUELS
    if once and stop:
        raise InputError("each pair is asked once, so no stopping rule can be used; leave out stop")
    if once and ties == "drop":
        raise InputError("each pair is asked once, so a tie cannot be asked again; leave out ties='drop'")
    rule = _stop(False if once else stop, len(names), default_rule, not_own, parameters.get("delta"))
    if rule is not None and rule["rule"] == OWN:
        resolved["delta"] = rule["delta"]
    return Settings(
        algorithm=chosen,
        arms=names,
        seed=whole("seed", seed, 0, MOST_SEED),
        horizon=HORIZON if horizon is None else whole("horizon", horizon, 1, LONGEST),
        ties=ties,
        self_duels=self_duels,
        standing_decisions=standing_decisions,
        stop=rule,
        forbidden=never_asked,
        warm=earlier,
        parameters=resolved,
        digests=_digests({} if digests is None else digests, names),
        orders=orders,
        once=once,
        presentation=check_json("presentation", {} if presentation is None else presentation, Mapping),
    )


def entry_of(algorithm: Any, parameters: Any, more: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the algorithm and its parameters, merged from the three ways to give them to `duelbench.Session`."""
    groups = [{} if parameters is None else parameters, more]
    if isinstance(algorithm, Mapping):
        if len(algorithm) != 1:
            raise InputError(
                f"algorithm must name one algorithm, as in {{'rucb': {{'alpha': 0.8}}}}, got {algorithm!r}"
            )
        ((algorithm, entry_parameters),) = algorithm.items()
        groups.append({} if entry_parameters is None else entry_parameters)
    merged: dict[str, Any] = {}
    for group in groups:
        if not isinstance(group, Mapping):
            raise InputError(f"the parameters of an algorithm are a mapping, such as {{'alpha': 0.8}}, got {group!r}")
        if repeated := merged.keys() & group.keys():
            raise InputError(f"the parameter {min(repeated)} is given twice; leave one out")
        merged |= group
    return algorithm, merged


def number_of(name: object, names: Sequence[str], prefix: str = "") -> int:
    """Return the number of an arm, from 0; if it does not exist, raise an `InputError` that starts with ``prefix``."""
    if name not in names:
        raise InputError(f"{prefix}there is no arm {name!r}{nearest_or_all(name, names[:20])}")
    return names.index(str(name))


def pair_of(pair: Any, names: Sequence[str], expected: str, prefix: str = "") -> tuple[int, int]:
    """Return the numbers of the two arms in a pair; the error about anything else starts with ``expected``."""
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise InputError(f"{expected}, got {reprlib.repr(pair)}")
    return number_of(pair[0], names, prefix), number_of(pair[1], names, prefix)


def _names(arms: Iterable[str]) -> tuple[str, ...]:
    if isinstance(arms, (str, bytes, set, frozenset)) or not isinstance(arms, Iterable):
        raise InputError(f"arms must be a list of names, such as ['a', 'b', 'c'] (a set has no order), got {arms!r}")
    names: dict[str, str] = {}  # by their letters: an accent may be stored in two ways that look the same
    for name in arms:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"each arm must be a name that is not empty, got {name!r}")
        check_arm_name(name, "arms")
        letters = unicodedata.normalize("NFC", name)
        if letters in names:
            raise InputError(f"the arms {names[letters]!a} and {name!a} have the same letters; rename one")
        names[letters] = str(name)  # NumPy's strings are a subclass
    if len(names) < 2:
        raise InputError(f"a session needs at least two arms, got {len(names)}")
    return tuple(names.values())


def _why_not_own(algorithm: Algorithm, has_earlier: bool, has_forbidden: bool) -> str:
    """Return the reason why an algorithm's own test cannot end a session; empty if it can."""
    if not has_own_test(algorithm):
        return f"{algorithm.id} has no test of its own, as kelly-elimination has"
    if has_earlier:
        return f"the test of {algorithm.id} cannot be used with earlier duels"
    if has_forbidden:
        return f"the test of {algorithm.id} cannot be used with forbidden pairs"
    return ""


def _stop(stop: Any, n_arms: int, default_rule: str, not_own: str, delta: Any) -> Mapping[str, Any] | None:
    """Return the stopping rule and all its parameters, or None for no rule.

    ``not_own`` is the reason why the rule cannot be `OWN`, empty if it can. ``delta`` is the parameter of the
    algorithm, which `OWN` uses, or None.
    """
    if stop is False:
        return None
    if stop is None:
        stop = {}
    rules = (*RULES, OWN)
    if not isinstance(stop, Mapping):
        example = stop if isinstance(stop, str) and stop in rules else STOP["rule"]
        raise InputError(f"stop is {stop!r}; write {dict(STOP) | {'rule': example}}, or False for no rule")
    options = {**stop}
    name = options.pop("rule", default_rule)
    if name not in rules:
        raise InputError(f"there is no stopping rule {name!r}{nearest_or_all(name, rules)}")
    is_own = name == OWN
    if is_own and not_own:
        raise InputError(f"stop: {not_own}; leave out the rule {OWN}, or name another")
    if is_own and delta is not None and options.setdefault("delta", delta) != delta:
        raise InputError(
            f"delta is {options['delta']} for the rule {OWN} and {delta} for the algorithm;"
            " it must be the same number: leave one out"
        )
    rule = RULES[STOP["rule"] if is_own else name]  # `OWN` has the same parameters as the default rule
    try:
        resolved = resolve(rule.parameters, options, name, "the rule ")
    except ValueError as error:
        raise InputError(f"stop: {error}") from None
    reason = rule.refuses(n_arms, **resolved) if rule.refuses is not None else None
    if reason is not None:
        raise InputError(f"{name} cannot end this session: {reason}")
    return {"rule": name, **resolved}


def _forbidden(forbidden: Iterable[tuple[str, str]], names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    pairs = set()
    for pair in forbidden:
        i, j = sorted(pair_of(pair, names, "each forbidden pair is two names, such as ('a', 'b')", "forbidden: "))
        if i == j:
            raise InputError(f"forbidden: {names[i]!r} against itself is never asked anyway; leave it out")
        pairs.add((i, j))
    if len(pairs) == len(names) * (len(names) - 1) // 2:
        raise InputError("all pairs are forbidden, so there is nothing to ask")
    return tuple(sorted(pairs))


def _warm(warm: Any, names: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """Return wins before the session, zeros if ``warm`` is None."""
    if warm is None:
        warm = np.zeros((len(names), len(names)))
    elif isinstance(warm, (str, os.PathLike)):
        warm = read_votes(warm)
    source = "warm"
    if isinstance(warm, Votes):
        source, warm = warm.source, _by_names(warm, names)
    return tuple(tuple(map(float, row)) for row in checked_counts(warm, names, source))


def checked_counts(wins: Any, names: Sequence[str], source: str) -> np.ndarray:
    """Check a table of wins of the arms ``names``, and return it as (K, K) float64; messages start with ``source``."""
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
            problem = f"at most {MAX_COUNT:.0e} are supported"
        elif not won >= 0 or (2 * won) % 1 != 0:
            problem = "write a whole number from 0, with 0.5 for each tie"
        elif (won + lost) % 1 != 0:
            problem = f"the other arm has {lost:g}, and a tie is half a win for both"
        elif i == j and won != 0:
            problem = "an arm against itself has 0"
        else:
            continue
        raise InputError(f"{source}: {names[i]!r} against {names[j]!r}: {won:g} wins; {problem}")
    return counts


def _by_names(votes: Votes, names: Sequence[str]) -> np.ndarray:
    """Return wins in the order of the session's arms, 0 for arms that the files lack; other arms are left out."""
    K = len(names)
    shared = [name for name in votes.arms if name in names]
    if votes.arms == tuple(map(str, range(K))) and not shared:
        return votes.wins()  # a table without names
    if len(shared) < 2:
        present = f"only {shared[0]!r}" if shared else f"none, but {first_of(votes.arms)}"
        raise InputError(f"{votes.source}: of the arms of this session, {first_of(names)}, it has {present}")
    wins = np.zeros((K, K))
    in_session, in_votes = [names.index(name) for name in shared], [votes.arms.index(name) for name in shared]
    wins[np.ix_(in_session, in_session)] = votes.wins()[np.ix_(in_votes, in_votes)]
    return wins


def arms_left_out(votes: Votes, names: Sequence[str]) -> list[str]:
    """Return the arms of earlier duels that a session does not have; empty if the votes have no names."""
    unknown = [name for name in votes.arms if name not in names]
    return unknown if len(unknown) < len(votes.arms) else []


def _digests(digests: Any, names: Sequence[str]) -> Mapping[str, str]:
    """Check the digests of arms by name."""
    if not isinstance(digests, Mapping) or not all(isinstance(digest, str) for digest in digests.values()):
        raise InputError(f"digests must be texts by the names of arms, such as {{'a': '9f86d081'}}, got {digests!r}")
    for name in digests:
        number_of(name, names, "digests: ")
    return {**digests}


def check_json(name: str, value: Any, kind: type) -> Any:
    """Return a value as JSON reads it back; refuse a value that is not of this kind, or that JSON cannot store."""
    try:
        if isinstance(value, kind):
            return json.loads(json.dumps(dict(value) if isinstance(value, Mapping) else value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name} must be a value that JSON can store: {error}") from None
    raise InputError(f"{name} must be a {'mapping' if kind is Mapping else 'text'}, got {reprlib.repr(value)}")
