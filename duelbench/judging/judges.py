"""What each judge of a live session has answered: how it agrees with the ranking, with the others and with itself."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.statistics.curves import proportion_interval
from duelbench.data.session_log import answers, wins_of
from duelbench.judging.evidence import log_two_sided
from duelbench.judging.history import is_automatic
from duelbench.judging.position import position_bias

LEVEL = 0.01
"""How often, at most, a judge is ever warned of who answers neither by position nor at random."""

USEFUL = 0.6
"""A judge who agrees with the ranking less often than this answers as if at random."""

FLIPPED = 2 / 3
"""The largest share of duels, asked about in both orders, in which independent answers (1, 2 or tie) can differ."""

REPEATS = (
    "Every pair got the same answer each time. If your judge cannot answer differently, asking again adds nothing, and"
    " the error probability does not hold: ask about different inputs (see outputs), or judge each pair once with"
    " --once."
)
"""What is said of a session with answers that never change."""

STEPS, WEIGHINGS, LOOK = 200, 1000, 20
"""Steps of the fit of strengths, of that of judges, and answers until `Watch` looks first."""


class Share(NamedTuple):
    """A part of ``n``, with Wilson's 95% interval; None of nothing."""

    n: int
    share: float | None = None
    low: float = 0.0
    high: float = 1.0


class Weighed(NamedTuple):
    """Strengths of arms and judges by the model of `weighed`, the largest first."""

    strengths: dict[str, float]
    etas: dict[str | None, float]


@dataclass(frozen=True)
class JudgeRecord:
    """The answers of a judge; all shares but ``flips`` are of answers that are no ties.

    ``ranking``: those that prefer the stronger arm by Bradley and Terry's model, fitted to all answers but the half of
    the judge's own that is compared with it; ``others``: of the pairs on which this judge and the others have each a
    majority, those on which it is the same. ``seconds`` is the median time to an answer.
    """

    judge: str | None
    answers: int
    ties: int
    ranking: Share
    others: Share
    first: Share  # for the arm shown first, where the duel was asked in one order
    flips: Share  # of all answers that were asked for in both orders, those that differed
    seconds: float | None

    @property
    def warning(self) -> str:
        """That it answers by position or at random, where it seems so; empty otherwise."""
        name = "The judge" if self.judge is None else f"The judge {self.judge}"
        n, share, *_ = self.first
        if share is not None and position_bias(round(share * n), n).p_value <= LEVEL:
            place, share = ("first", share) if share > 0.5 else ("second", 1 - share)
            return f"{name} prefers the arm shown {place} in {share:.0%} of {n} answers: it may go by place alone."
        n, share, *_ = self.flips
        if share is not None and share > FLIPPED and _speaks_against(self.flips, FLIPPED):
            return f"{name} changed its answer with the order in {share:.0%} of {n} duels: it may go by place alone."
        n, share, *_ = self.ranking
        if share is None or share >= USEFUL or not _speaks_against(self.ranking, USEFUL):
            return ""
        return (
            f"{name} agrees with the ranking by the other answers in {share:.0%} of {n}, hardly more than a coin: it"
            " answers at random, or the arms are alike to it."
        )


class Watch:
    """Warns of each judge once, and of answers that only repeat, through ``warn``; call it after each answer."""

    def __init__(self, session: Any, warn: Callable[[str], object]) -> None:
        self._session, self._warn = session, warn
        self._next, self._warned = LOOK, set[str | None]()
        self._has_warned_of_repeats = False
        self._n_notes = 0  # on the log, that were passed on

    def __call__(self) -> None:
        """Look at the judges, at every twentieth answer and later more rarely."""
        told = self._session.told
        notes = self._session.notes_on_log[self._n_notes :]
        self._n_notes += len(notes)
        for note in notes:
            self._warn(note)
        if told < self._next:
            return
        self._next = max(told + LOOK, int(1.1 * told))
        if self._session.only_repeats and not self._has_warned_of_repeats:
            self._has_warned_of_repeats = True
            self._warn(REPEATS)
        for record in self._session.judge_records():
            if record.judge not in self._warned and record.warning:
                self._warned.add(record.judge)
                self._warn(record.warning)


def records(
    events: Iterable[Mapping[str, Any]], arms: Sequence[str], is_order_random: bool = True
) -> list[JudgeRecord]:
    """The judges of a session, by what has happened in it and was not taken back; those with most answers first."""
    happened = list(events)
    asked_at = {event["number"]: event["time"] for event in happened if event["event"] == "ask"}
    by_judge = _by_judge(happened)
    wins = {judge: wins_of(answers, arms) for judge, answers in by_judge.items()}
    in_all = sum(wins.values(), np.zeros((len(arms), len(arms))))
    judge_records = []
    for judge, answered in by_judge.items():
        clear = [event for event in answered if event["winner"] is not None]
        shown = [e for e in clear if e["number"] is not None and "flipped" not in e and is_order_random]
        flips = [event["flipped"] for event in answered if "flipped" in event]
        times = [
            _seconds(asked_at[event["number"]], event["time"]) for event in answered if event["number"] in asked_at
        ]
        judge_records.append(
            JudgeRecord(
                judge,
                answers=len(answered),
                ties=len(answered) - len(clear),
                ranking=_with_ranking(clear, in_all, arms),
                others=_with_others(wins[judge], in_all - wins[judge]),
                first=share_of(sum(event["winner"] == event["first"] for event in shown), len(shown)),
                flips=share_of(sum(flips), len(flips)),
                seconds=float(np.median(times)) if times else None,
            )
        )
    return sorted(judge_records, key=lambda record: -record.answers)


def share_of(count: int, n: int) -> Share:
    """A share with its interval.

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
    """The strengths of arms in the model of Bradley and Terry: i beats j with probability s_i / (s_i + s_j).

    By the steps of Hunter [1]_. Each arm also wins and loses once against an arm of strength 1: all are finite.

    .. [1] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32, 2004.

    Examples
    --------
    Five wins to none; 3 has won 6 duels of 7, as it should: 5 * 3 / (3 + 1/3) + 2 * 3 / (3 + 1).

    >>> strengths(np.array([[0.0, 5.0], [0.0, 0.0]])).round(3).tolist()
    [3.0, 0.333]
    """
    duels, won = wins + wins.T, wins.sum(axis=1) + 1.0
    strengths = np.ones(len(wins)) if start is None else start
    for _ in range(steps):
        strengths = won / ((duels / (strengths[:, np.newaxis] + strengths)).sum(axis=1) + 2.0 / (strengths + 1.0))
    return strengths


def weighed(events: Iterable[Mapping[str, Any]], arms: Sequence[str]) -> Weighed:
    """The strengths s of arms where judges are not equally good: the model Crowd-BT [1]_.

    Judge k prefers arm i to j with probability ``eta_k * p + (1 - eta_k) * (1 - p)``, where p = s_i / (s_i + s_j): eta
    is 1 for a judge who answers by the strengths, 1/2 for a coin, 0 for one who always says the opposite. Ties are half
    a win for each. The fit alternates between both (EM), with the virtual arm of `strengths`, and one virtual answer
    of each judge that agrees. Turned round, all fits as well: most judges must be better than a coin.

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
    of_arms = sorted(zip(arms, strength.tolist(), strict=True), key=lambda row: -row[1])
    of_judges = sorted(zip(by_judge, etas.tolist(), strict=True), key=lambda row: -row[1])
    return Weighed(dict(of_arms), dict(of_judges))


def _by_judge(events: Iterable[Mapping[str, Any]]) -> dict[str | None, list[Mapping[str, Any]]]:
    """The answers of each judge."""
    by_judge: dict[str | None, list[Mapping[str, Any]]] = {}
    for event in answers(event for event in events if not is_automatic(event)):
        by_judge.setdefault(event["judge"], []).append(event)
    return by_judge


def _speaks_against(share: Share, p: float) -> bool:
    """Whether a share, looked at any number of times, says at `LEVEL` that its probability is not p."""
    assert share.share is not None
    counts = np.array([[0.0, share.share * share.n], [(1 - share.share) * share.n, 0.0]])
    return bool(log_two_sided(counts, np.array([[0.5, p], [1 - p, 0.5]]))[0, 1] >= -math.log(LEVEL))


def _with_ranking(clear: Sequence[Mapping[str, Any]], in_all: np.ndarray, arms: Sequence[str]) -> Share:
    """How often answers without ties prefer the stronger arm, half of them at a time being left out of the fit.

    Of each pair two answers go into one half, one in each order as a rule, the next two into the other, and so on.
    """
    halves: tuple[list[Mapping[str, Any]], ...] = ([], [])
    seen: Counter[frozenset[str]] = Counter()
    for event in clear:
        pair = frozenset((event["first"], event["second"]))
        halves[seen[pair] // 2 % 2].append(event)
        seen[pair] += 1
    right = n = 0
    for half in halves:
        wins = wins_of(half, arms)
        strength = strengths(in_all - wins)
        ahead = strength[:, np.newaxis] - strength
        right += int(wins[ahead > 1e-6].sum())
        n += int(wins[abs(ahead) > 1e-6].sum())
    return share_of(right, n)


def _with_others(wins: np.ndarray, others: np.ndarray) -> Share:
    """How often the majority of two sets of answers about a pair is the same."""
    product = np.triu((wins - wins.T) * (others - others.T))
    return share_of(int((product > 0).sum()), int((product != 0).sum()))


def _seconds(start: str, answered: str) -> float:
    return (datetime.fromisoformat(answered) - datetime.fromisoformat(start)).total_seconds()
