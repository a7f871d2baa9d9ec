"""Which algorithm to take for a number of duels, by what each has named (`duelbench.live.candidates`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.algorithms.contract import NO_WINNER
from duelbench.live.candidates import Played
from duelbench.live.settings import RULE_AFTER_EARLIER_DUELS
from duelbench.statistics.answers import mean_and_error
from duelbench.statistics.tails import clopper_pearson

LEVEL = 0.95
"""Of the intervals of all algorithms at once; and with this probability the best one is among those named as such."""

ERRORS = 4.0
"""Standard errors by which the chances of two arms must differ for one to be called likelier."""


@dataclass(frozen=True)
class Expected:
    """What is expected of an algorithm after one budget."""

    chance: float  # that it names a Copeland winner
    low: float  # of Clopper and Pearson's interval; those of all algorithms hold at once, at 95%
    high: float
    regret: float  # mean difference between the Copeland scores of a winner and of the named arm, in [0, 1]
    regret_sem: float | None
    lost: float  # mean of p - 1/2, p being the probability that a winner beats the named arm; 0 if it is one
    lost_sem: float | None
    answered: float  # the chance that it has ended with an answer


@dataclass(frozen=True)
class AtBudget:
    """All algorithms after one budget."""

    duels: int  # the budget
    lines: dict[str, Expected]  # by algorithm, those first that have a larger chance
    best: tuple[str, ...]  # none was shown to have a smaller chance than another; the first has the largest

    @property
    def first(self) -> str:
        """The algorithm that named a winner most often."""
        return self.best[0]

    @property
    def chance(self) -> float:
        """Its chance."""
        return self.lines[self.first].chance


def budgets_around(duels: int) -> list[int]:
    """A budget, and others from a quarter of it to four times as much, each about sqrt(2) times the one before.

    Examples
    --------
    >>> budgets_around(200)
    [50, 71, 100, 140, 200, 280, 400, 570, 800]
    """
    others = {round(float(f"{duels * 2.0 ** (k / 2):.2g}")) for k in range(-4, 5)}
    return sorted({duels, *others} - {0})


def judge(played: Mapping[str, Played], matrices: np.ndarray, budgets: Sequence[int]) -> list[AtBudget]:
    """What algorithms have named on ``matrices``, (n, K, K), against who wins there, after each budget."""
    scores = np.count_nonzero(matrices > 0.5, axis=2)
    best_scores = scores.max(axis=1, keepdims=True)
    is_winner = scores == best_scores
    regrets = (best_scores - scores) / (matrices.shape[1] - 1)
    from_winners = np.where(is_winner[:, :, np.newaxis], matrices - 0.5, -np.inf).max(axis=1)
    losses = np.where(is_winner, 0.0, np.maximum(from_winners, 0.0))
    rows = np.arange(len(matrices))
    found = []
    for k, duels in enumerate(budgets):
        named = {id: one.named[:, k] for id, one in played.items()}
        right = {id: is_winner[rows, arms] for id, arms in named.items()}
        order = sorted(played, key=lambda id: -right[id].mean())
        lines = {}
        for id in order:
            low, high = clopper_pearson(np.array(right[id].sum()), len(rows), 1 - (1 - LEVEL) / len(played))
            lines[id] = Expected(
                float(right[id].mean()),
                float(low),
                float(high),
                *mean_and_error(regrets[rows, named[id]]),
                *mean_and_error(losses[rows, named[id]]),
                float(played[id].answered[:, k].mean()),
            )
        found.append(AtBudget(duels, lines, tuple(best({id: right[id] for id in order}, 1 - LEVEL))))
    return found


def best(right: Mapping[str, np.ndarray], error: float) -> list[str]:
    """The algorithms that may have the largest chance: no other one was shown to have a larger one.

    Two algorithms are compared by the matrices, the same for all, on which one of them alone was right: with equal
    chances each is the one as often as the other. The truly best is left out with probability ``error`` at most.

    Examples
    --------
    Five matrices on which b alone was right are too few (1/32), six are enough (1/64) where the error may be 0.02.

    >>> a, b = np.zeros(6, bool), np.ones(6, bool)
    >>> best({"a": a[:5], "b": b[:5]}, 0.02), best({"a": a, "b": b}, 0.02)
    (['a', 'b'], ['b'])
    """
    share = error / max(1, len(right) - 1)
    return [id for id in right if all(_chance_of_lead(right[other], right[id]) > share for other in right)]


def _chance_of_lead(first: np.ndarray, second: np.ndarray) -> float:
    """The probability, with equal chances, that the first alone is right at least this often, of the times one is."""
    from scipy.stats import binom

    first_alone, second_alone = int((first & ~second).sum()), int((second & ~first).sum())
    return float(binom.sf(first_alone - 1, first_alone + second_alone, 0.5))


@dataclass(frozen=True)
class Favourites:
    """Who is a Copeland winner with the largest chance, by a table of wins and nothing else."""

    arms: tuple[int, ...]  # the likeliest first; the others were not shown to be less likely
    chance: float  # of the first


def favourites(chances: np.ndarray) -> Favourites:
    """The favourites by independent estimates of each arm's chance, (n, K); see `ERRORS`.

    Examples
    --------
    >>> favourites(np.array([[0.75, 0.25, 0.0], [0.75, 0.0, 0.25], [0.75, 0.25, 0.0], [0.75, 0.0, 0.25]]))
    Favourites(arms=(0,), chance=0.75)
    """
    means = chances.mean(axis=0)
    order = np.argsort(-means, kind="stable")
    behind = chances[:, order[:1]] - chances[:, order]
    errors = behind.std(axis=0, ddof=1) / np.sqrt(len(chances))
    return Favourites(tuple(map(int, order[behind.mean(axis=0) <= ERRORS * errors])), float(means.max()))


@dataclass(frozen=True)
class Advice:
    """What to take for a budget, and when something else."""

    budgets: tuple[AtBudget, ...]  # increasing
    duels: int  # the budget that was asked about; one of them
    favourites: Favourites | None = None  # by the table of wins, if there is a duel in it
    decided: int | None = None  # the answer of the rule by the table: an arm, `NO_WINNER`, or None without any
    warm_started: tuple[str, ...] = ()  # the algorithms that begin with the table; the others start cold

    @property
    def now(self) -> AtBudget:
        """The budget that was asked about."""
        return next(one for one in self.budgets if one.duels == self.duels)

    @property
    def later(self) -> AtBudget | None:
        """The first larger budget at which another algorithm was shown to be better than the one advised."""
        return self._first_changed(one for one in self.budgets if one.duels > self.duels)

    @property
    def before(self) -> AtBudget | None:
        """The largest smaller budget at which another algorithm was shown to be better than the one advised."""
        return self._first_changed(one for one in self.budgets[::-1] if one.duels < self.duels)

    def _first_changed(self, others: Iterable[AtBudget]) -> AtBudget | None:
        return next((one for one in others if self.now.first not in one.best), None)

    def first_with(self, chance: float) -> AtBudget | None:
        """The smallest budget with which some algorithm has a chance, as it is printed; None without any."""
        return next((one for one in self.budgets if _reaches(one.chance, chance)), None)

    def table_reaches(self, chance: float) -> bool:
        """Whether naming the favourite by the table alone has a chance of being right, as it is printed."""
        return self.favourites is not None and _reaches(self.favourites.chance, chance)


def _reaches(found: float, wanted: float) -> bool:
    return round(found, 3) >= wanted


# --- in words ---


def in_words(advice: Advice, wanted: float, error: float, names: Sequence[str] = ()) -> list[str]:
    """The advice in sentences, for a user who would like the chance ``wanted``; arms without names have numbers."""
    now = advice.now
    line, likeliest = now.lines[now.first], advice.favourites
    take = (
        f"{{}} {now.first}: with {_duels(now.duels)} it names a Copeland winner with a chance of"
        f" {_percent(line.chance)} [{100 * line.low:.1f}, {100 * line.high:.1f}]."
    )
    anyway = take.format("If they are judged all the same, take")
    if advice.decided is not None:
        return [_decided_in_words(advice.decided, error, names), anyway]
    others = [f"{_listed(now.best[1:])} may be as good: these simulations cannot tell."] if now.best[1:] else []
    ends = [_wanted_in_words(advice, wanted, names), _change_in_words(advice)]
    if likeliest is None or likeliest.chance < line.low:
        return [take.format("Take"), *others, *ends]
    is_ahead = likeliest.chance > line.high
    compared = "no algorithm does as well" if is_ahead else "no algorithm was shown to do better"
    by_table = (
        f"Whoever names {_named(likeliest.arms[0], names)} by the table alone is right with a chance of"
        f" {_chance_by_table(likeliest)}: {compared} with {_duels(now.duels)}."
    )
    return [by_table, anyway, *others, *ends] if is_ahead else [take.format("Take"), *others, by_table, *ends]


def _wanted_in_words(advice: Advice, wanted: float, names: Sequence[str]) -> str:
    share = f"{100 * wanted:g}%"
    if advice.favourites is not None and advice.table_reaches(wanted):
        return (
            f"For {share}, no duel is needed: naming {_named(advice.favourites.arms[0], names)} by the table"
            f" alone reaches it ({_chance_by_table(advice.favourites)})."
        )
    enough, most = advice.first_with(wanted), advice.budgets[-1]
    if enough is None:
        return (
            f"No algorithm reaches {share}, not with {_duels(most.duels)} either, the most that were tried:"
            f" {most.first} comes to {_percent(most.chance)} there."
        )
    which = f"would do, with {enough.first} ({_percent(enough.chance)})."
    if enough.duels > advice.duels:
        return f"No algorithm reaches {share} with {_duels(advice.duels)}: {enough.duels} {which}"
    if enough.duels < advice.duels:
        fewer = " or fewer" if enough is advice.budgets[0] and enough.duels > 1 else ""
        return f"For {share}, {_duels(enough.duels)}{fewer} {which}"
    return f"Of the budgets that were tried it is the smallest with which {share} are reached."


def _change_in_words(advice: Advice) -> str:
    changes = [
        f"with {one.duels} or {word} {one.first} is better"
        for one, word in ((advice.before, "fewer"), (advice.later, "more"))
        if one is not None
    ]
    if changes:
        return f"The advice changes with the number of duels: {'; '.join(changes)}."
    first, last = advice.budgets[0].duels, advice.budgets[-1].duels
    return f"From {first} to {_duels(last)} no other algorithm was shown to be better."


def _decided_in_words(arm: int, error: float, names: Sequence[str]) -> str:
    rule = f"the rule {RULE_AFTER_EARLIER_DUELS}, wrong with a probability of {100 * error:g}% at most"
    if arm == NO_WINNER:
        return f"The table already decides that no arm beats all others ({rule})."
    return f"The table already decides: {_named(arm, names)} wins ({rule}), and no other duel is needed."


def favourites_in_words(known: Favourites | None, n_arms: int, names: Sequence[str] = ()) -> str:
    """What a table of wins alone shows about who wins, in one line.

    Examples
    --------
    >>> favourites_in_words(Favourites((1, 0), 0.4), 3, ["tuna", "egg", "squid"])
    'by these alone egg and tuna are the likeliest Copeland winners, with a chance of 40.0% each, about'
    """
    if known is None:
        return "the table says nothing yet: there is no duel in it"
    if len(known.arms) == n_arms:
        return "by these alone no arm is likelier than another to be a Copeland winner"
    chance, listed = _chance_by_table(known), _listed([_named(arm, names) for arm in known.arms])
    if len(known.arms) == 1:
        return f"by these alone the likeliest Copeland winner is {listed}, with a chance of {chance}"
    return f"by these alone {listed} are the likeliest Copeland winners, with a chance of {chance} each, about"


def _duels(count: int) -> str:
    return f"{count} duel{'' if count == 1 else 's'}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _chance_by_table(known: Favourites) -> str:
    return "more than 99.9%" if known.chance > 0.9995 else _percent(known.chance)


def _named(arm: int, names: Sequence[str]) -> str:
    return names[arm] if names else f"arm {arm}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if words[:-1] else []), words[-1]])
