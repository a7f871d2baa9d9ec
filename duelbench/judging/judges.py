"""Measures how the answers of each judge of a live session agree with the ranking, other judges, and themselves."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.statistics.bradley_terry import LEVEL_DIFFERENCE
from duelbench.bandits.statistics.curves import proportion_interval
from duelbench.data.session_log import answers, wins_of
from duelbench.judging.evidence import log_two_sided
from duelbench.judging.history import is_automatic
from duelbench.judging.position import position_bias

LEVEL = 0.01
"""The maximum probability of ever warning of a judge who answers neither by position nor at random."""

USEFUL = 0.6
"""A judge whose answers agree with the ranking less often than this is taken to answer at random."""

FLIPPED = 2 / 3
"""The expected share of duels in both orders whose answers differ, if 1, 2 and tie are equally probable each time."""

REPEATS = (
    "Every question that came again got the same answer. If your judge cannot answer differently, asking again adds"
    " nothing, and the error probability does not hold: ask about more inputs (see outputs), or judge each pair once"
    " with --once."
)
"""The warning about a session with answers that never change."""

STEPS, WEIGHINGS, LOOK = 200, 1000, 20
"""Steps of the fit of strengths, steps of the fit of judges, and answers before the first check of `Watch`."""


class Share(NamedTuple):
    """A share of ``n`` cases with Wilson's 95% interval; ``share`` is None if n = 0."""

    n: int
    share: float | None = None
    low: float = 0.0
    high: float = 1.0


class Weighed(NamedTuple):
    """Strengths of arms and etas of judges by the model of `weighed`, the largest first."""

    strengths: dict[str, float]
    etas: dict[str | None, float]


@dataclass(frozen=True)
class JudgeRecord:
    """Statistics of the answers of a judge; only ``flips`` counts ties.

    Attributes
    ----------
    ranking : Share
        The share of answers that prefer the stronger arm. A Bradley-Terry model says which arm is stronger; it is
        fitted twice, each time without one half of this judge's answers, and compared with that half.
    others : Share
        The share of pairs on which this judge and the other judges have the same majority, among the pairs on which
        both have a majority.
    first : Share
        The share of answers for the arm shown first, among duels asked in one order.
    flips : Share
        The share of duels with two different answers, among duels asked in both orders.
    seconds : float or None
        The median time to an answer.
    """

    judge: str | None
    answers: int
    ties: int
    ranking: Share
    others: Share
    first: Share
    flips: Share
    seconds: float | None

    @property
    def warning(self) -> str:
        """A warning if the judge seems to answer by position or at random; empty otherwise."""
        name = "The judge" if self.judge is None else f"The judge {self.judge}"
        n, share, *_ = self.first
        if share is not None and position_bias(round(share * n), n).p_value <= LEVEL:
            position, share = ("first", share) if share > 0.5 else ("second", 1 - share)
            return (
                f"{name} prefers the arm shown {position} in {share:.0%} of {n} answers: it may judge by position."
                " A command can be asked in both orders each time, with --orders both."
            )
        n, share, *_ = self.flips
        if share is not None and share > FLIPPED and _speaks_against(self.flips, FLIPPED):
            return f"{name} changed its answer with the order in {share:.0%} of {n} duels: it may judge by position."
        n, share, *_ = self.ranking
        if share is None or share >= USEFUL or not _speaks_against(self.ranking, USEFUL):
            return ""
        return (
            f"{name} agrees with the ranking by the other answers in {share:.0%} of {n}, hardly more than a coin: it"
            " answers at random, or the arms are alike to it."
        )


class Watch:
    """Passes warnings and notes on a session to ``warn``; call it after each answer.

    There are warnings of judges and of answers that only repeat, and notes on the log.
    """

    def __init__(self, session: Any, warn: Callable[[str], object]) -> None:
        self._session, self._warn = session, warn
        self._next, self._warned = LOOK, set[str | None]()
        self._has_warned_of_repeats = False
        self._n_notes = 0  # notes on the log that were passed on

    def __call__(self) -> None:
        """Pass on new notes on the log; check the judges after every twentieth answer, later less often."""
        told = self._session.told
        notes = self._session.notes_on_log[self._n_notes :]
        self._n_notes += len(notes)
        for note in notes:
            self._warn(note)
        if told < self._next:
            return
        self._next = max(told + LOOK, int(1.1 * told))
        if self._session.repeats_agree_beyond_chance and not self._has_warned_of_repeats:
            self._has_warned_of_repeats = True
            self._warn(REPEATS)
        for record in self._session.judge_records():
            if record.judge not in self._warned and record.warning:
                self._warned.add(record.judge)
                self._warn(record.warning)


def records(
    events: Iterable[Mapping[str, Any]], arms: Sequence[str], is_order_random: bool = True
) -> list[JudgeRecord]:
    """Return a record of each judge, from the events that were not taken back; judges with most answers first."""
    events = list(events)
    question_times = {event["number"]: event["time"] for event in events if event["event"] == "ask"}
    by_judge = _by_judge(events)
    wins = {judge: wins_of(judge_answers, arms) for judge, judge_answers in by_judge.items()}
    all_wins = sum(wins.values(), np.zeros((len(arms), len(arms))))
    judge_records = []
    for judge, judge_answers in by_judge.items():
        clear = [event for event in judge_answers if event["winner"] is not None]
        in_one_order: list[Mapping[str, Any]] = []
        if is_order_random:
            in_one_order = [event for event in clear if event["number"] is not None and "flipped" not in event]
        n_first_won = sum(event["winner"] == event["first"] for event in in_one_order)
        flips = [event["flipped"] for event in judge_answers if "flipped" in event]
        timed = [event for event in judge_answers if event["number"] in question_times]
        times = [_seconds(question_times[event["number"]], event["time"]) for event in timed]
        judge_records.append(
            JudgeRecord(
                judge,
                answers=len(judge_answers),
                ties=len(judge_answers) - len(clear),
                ranking=_with_ranking(clear, all_wins, arms),
                others=_with_others(wins[judge], all_wins - wins[judge]),
                first=share_of(n_first_won, len(in_one_order)),
                flips=share_of(sum(flips), len(flips)),
                seconds=float(np.median(times)) if times else None,
            )
        )
    return sorted(judge_records, key=lambda record: -record.answers)


def share_of(count: int, n: int) -> Share:
    """Return the share count / n with its interval.

    Examples
    --------
    >>> share_of(0, 0).share, share_of(8, 10).share, round(share_of(8, 10).low, 2), round(share_of(8, 10).high, 2)
    (None, 0.8, 0.49, 0.94)
    """
    if n == 0:
        return Share(0)
    low, high = proportion_interval(np.array([count / n]), n)
    return Share(n, count / n, float(low[0]), float(high[0]))


def strengths(wins: np.ndarray, start: np.ndarray | None = None, steps: int = STEPS) -> np.ndarray:
    """Return the strengths of arms in the Bradley-Terry model: i beats j with probability s_i / (s_i + s_j).

    The fit takes ``steps`` steps of Hunter's algorithm [1]_ from ``start``. Each arm also wins and loses once against a
    virtual arm of strength 1, which keeps strengths finite.

    .. [1] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32, 2004.

    Examples
    --------
    Five wins to none. With those against the virtual arm, arm 0 has won 6 duels of 7, as a strength of 3 predicts:
    5 * 3 / (3 + 1/3) + 2 * 3 / (3 + 1).

    >>> strengths(np.array([[0.0, 5.0], [0.0, 0.0]])).round(3).tolist()
    [3.0, 0.333]
    """
    duels, won = wins + wins.T, wins.sum(axis=1) + 1.0
    strengths = np.ones(len(wins)) if start is None else start
    for _ in range(steps):
        strengths = won / ((duels / (strengths[:, np.newaxis] + strengths)).sum(axis=1) + 2.0 / (strengths + 1.0))
    return strengths


def weighed(events: Iterable[Mapping[str, Any]], arms: Sequence[str]) -> Weighed:
    """Fit the strengths s of arms and the quality eta of each judge, by the model Crowd-BT [1]_.

    Judge k prefers arm i to j with probability ``eta_k * p + (1 - eta_k) * (1 - p)``, where p = s_i / (s_i + s_j): eta
    is 1 for a judge who answers by the strengths, 1/2 for a coin, 0 for a judge who always says the opposite. Ties are
    half a win for each. The fit alternates between strengths and etas (EM). It adds the virtual arm of `strengths`, and
    for each judge one virtual answer that agrees with the strengths. The opposite strengths and etas fit as well, so
    the result is right only if most judges are better than a coin.

    .. [1] X. Chen et al., "Pairwise ranking aggregation in a crowdsourced setting", WSDM 2013.
    """
    by_judge = _by_judge(events)
    wins = np.array([wins_of(answers, arms) for answers in by_judge.values()]).reshape(-1, len(arms), len(arms))
    etas, strength = np.full(len(wins), 0.9), np.ones(len(arms))
    for _ in range(WEIGHINGS):
        p = strength[:, np.newaxis] / (strength[:, np.newaxis] + strength)
        agrees, contradicts = (np.multiply.outer(etas, p), np.multiply.outer(1 - etas, 1 - p))
        agreeing = wins * agrees / (agrees + contradicts)
        etas = (agreeing.sum(axis=(1, 2)) + 1) / (wins.sum(axis=(1, 2)) + 1)
        strength = strengths((agreeing + (wins - agreeing).transpose(0, 2, 1)).sum(axis=0), strength, steps=10)
    arm_strengths = sorted(zip(arms, strength.tolist(), strict=True), key=lambda row: -row[1])
    judge_etas = sorted(zip(by_judge, etas.tolist(), strict=True), key=lambda row: -row[1])
    return Weighed(dict(arm_strengths), dict(judge_etas))


def _by_judge(events: Iterable[Mapping[str, Any]]) -> dict[str | None, list[Mapping[str, Any]]]:
    """Return the answers of each judge, without automatic ones."""
    by_judge: dict[str | None, list[Mapping[str, Any]]] = {}
    for event in answers(event for event in events if not is_automatic(event)):
        by_judge.setdefault(event["judge"], []).append(event)
    return by_judge


def _speaks_against(share: Share, p: float) -> bool:
    """Return whether a share rejects the probability p at `LEVEL`; valid for any number of looks."""
    assert share.share is not None
    counts = np.array([[0.0, share.share * share.n], [(1 - share.share) * share.n, 0.0]])
    return bool(log_two_sided(counts, np.array([[0.5, p], [1 - p, 0.5]]))[0, 1] >= -math.log(LEVEL))


def _with_ranking(clear: Sequence[Mapping[str, Any]], all_wins: np.ndarray, arms: Sequence[str]) -> Share:
    """Return `JudgeRecord.ranking` from the answers of a judge, without ties.

    The first two answers to a pair, usually one in each order, go into one half, the next two into the other, etc.
    """
    halves: tuple[list[Mapping[str, Any]], ...] = ([], [])
    seen: Counter[frozenset[str]] = Counter()
    for event in clear:
        pair = frozenset((event["first"], event["second"]))
        halves[seen[pair] // 2 % 2].append(event)
        seen[pair] += 1
    return agreement([wins_of(half, arms) for half in halves], all_wins)


def agreement(
    halves: Iterable[np.ndarray], all_wins: np.ndarray, start: np.ndarray | None = None, steps: int = STEPS
) -> Share:
    """Return the share of wins by the stronger arm; the `strengths` for each half are fitted to all other answers.

    Parameters
    ----------
    halves : iterable of (K, K) float64
        The wins in each half of a judge's answers.
    all_wins : (K, K) float64
        The wins in all answers.
    start, steps
        As for `strengths`.

    Examples
    --------
    Two answers agree with those of the others, one does not:

    >>> agreement([np.array([[0, 2], [1, 0]])], np.array([[0, 5], [2, 0]])).share
    0.6666666666666666
    """
    right = n = 0.0
    for wins in halves:
        strength = strengths(all_wins - wins, start, steps)
        ahead = strength[:, np.newaxis] - strength
        right += wins[ahead > LEVEL_DIFFERENCE].sum()
        n += wins[abs(ahead) > LEVEL_DIFFERENCE].sum()
    return share_of(round(right), round(n))


def _with_others(wins: np.ndarray, others: np.ndarray) -> Share:
    """Return the share of pairs on which both tables have the same majority, among those on which both have one."""
    product = np.triu((wins - wins.T) * (others - others.T))
    return share_of(int((product > 0).sum()), int((product != 0).sum()))


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
