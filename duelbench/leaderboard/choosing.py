"""Which algorithm to use: an answer for each setting, horizon and size, read off the tables of a leaderboard.

Of all algorithms than which none is known to have less Copeland regret, one is taken by a rule that is written down
here and depends on nothing but the summary:

1. those whose runs stay on a wrong arm most seldom, to within one run in a hundred;
2. of these, those with the shortest tail, to within a tenth: the 95% quantile of regret as a part of its mean;
3. of these, those that need not be told the horizon, if there are any;
4. of these, the one with the least regret.

`NOT_TAKEN` have no place in these tables, because the leaderboard has too few runs to show why.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp, log

from duelbench.leaderboard.rules import NOT_PLAYED
from duelbench.leaderboard.summary import TITLES, Choice, Summary, Table
from duelbench.leaderboard.tables import Row, rows

REGRET = "copeland"
"""The regret by which an algorithm is chosen."""

SETTINGS = tuple(TITLES)

CONDITIONS = {
    "order": "the arms have a total order",
    "condorcet": "one arm beats all others, and these have no order",
    "copeland": "no arm beats all others",
}

ASSUMED = {
    "total order": ("a total order", "order"),
    "condorcet": ("a Condorcet winner", "condorcet"),
    "borda": ("that the arm with the best Borda score is the one to find", "copeland"),
}
"""What an algorithm assumes -> in words, and the last setting in which that holds."""

NOT_TAKEN = {
    "merge-dts": (
        "with the alpha that it has by default it has no proof, and 1 of 4,000 runs to 10^5 rounds on mslr5-condorcet"
        " stayed on a wrong arm for good. One such run costs more than thousands of others where there are many rounds"
    )
}
"""Algorithms that are not advised, and why: what was seen in far more runs than those of the leaderboard."""

AS_SELDOM, AS_SHORT = 0.01, 1.1

ABOUT = 1.1
"""Up to how many times the regret of another counts as about as much."""

CLOSE = 2.0
"""Up to how many times the regret an algorithm that is not ranked is named, where it was played."""

NAMED = 6
"""How many of those that are not ranked are named at most."""


def choices(summary: Summary) -> list[Choice]:
    """The algorithm to take in each table of Copeland regret of a summary, whose tables have none of `NOT_TAKEN`."""
    return [_Chosen(summary, table).choice() for table in summary.tables if table.regret == REGRET and table.algorithms]


def _most_right(_: Summary, left: list[Row]) -> list[Row]:
    least = min(one.locked_in or 0.0 for one in left)
    return [one for one in left if (one.locked_in or 0.0) <= least + AS_SELDOM]


def _shortest(_: Summary, left: list[Row]) -> list[Row]:
    least = min(one.tail for one in left)
    return [one for one in left if one.tail <= AS_SHORT * least]


def _anytime(summary: Summary, left: list[Row]) -> list[Row]:
    return [one for one in left if summary.algorithms[one.algorithm].anytime] or left


_RULE: tuple[tuple[Callable[[Summary, list[Row]], list[Row]], str, str], ...] = (
    (_most_right, "stays on a wrong arm most seldom", "that stay there as seldom"),
    (_shortest, "has the shortest tail", "with a tail as short"),
    (_anytime, "is one that need not be told the number of duels", "that need no such number"),
)
"""A step; what it says of the algorithm that is taken; and of those that it leaves."""


class _Chosen:
    """The algorithm to take in one table, and why."""

    def __init__(self, summary: Summary, table: Table) -> None:
        self._summary, self._table = summary, table
        self._unbeaten = [row for row in rows(summary, table) if row.low == 1]
        self._left = self._unbeaten
        self._reasons: list[tuple[str, str]] = []
        for step, words, alike in _RULE:
            before, self._left = self._left, step(summary, self._left)
            if len(self._left) < len(before):
                self._reasons.append((words, alike))
        self._taken = min(self._left, key=lambda one: (one.times, one.algorithm))

    def choice(self) -> Choice:
        """The choice in words."""
        table, aside = self._table, self._set_aside()
        missing, unranked = self._unranked()
        labels = [self._label(index) for index in aside]
        others = f"others{f' but {_listed(labels)}' if labels else ''}{' that are ranked' if missing else ''}"
        warnings = [*self._beware(), *self._not_taken(aside), self._not_ranked(unranked)]
        return Choice(
            setting=table.setting,
            horizon=table.horizon,
            size=table.size,
            take=self._taken.label,
            tied=[one.label for one in self._unbeaten if one is not self._taken],
            because=f"{self._because(others)} {self._figures()}",
            beware=" ".join(filter(None, warnings)),
        )

    def _label(self, index: int) -> str:
        return self._summary.algorithms[index].label

    def _mean(self, index: int, problem: int, horizon: int) -> float:
        """The mean regret of an algorithm; 0 where it has none, or no runs."""
        cell = self._summary.at.get((problem, index, horizon))
        return cell.regret[REGRET].mean if cell and REGRET in cell.regret else 0.0

    def _times_as_much(self, index: int, horizon: int, problems: Sequence[int]) -> float | None:
        """How many times the regret of the one that is taken, as a geometric mean over the problems that both have."""
        indices = index, self._taken.algorithm
        means = [[self._mean(one, problem, horizon) for one in indices] for problem in problems]
        both = [log(own) - log(other) for own, other in means if own > 0 and other > 0]
        return exp(sum(both) / len(both)) if both else None

    def _set_aside(self) -> dict[int, float]:
        """Of `NOT_TAKEN` those with less regret than the one that is taken, or about as much, and how many times."""
        table, found = self._table, {}
        for index, algorithm in enumerate(self._summary.algorithms):
            played = all(self._mean(index, problem, table.horizon) > 0 for problem in table.problems)
            if algorithm.id in NOT_TAKEN and played:
                times = self._times_as_much(index, table.horizon, table.problems)
                if times is not None and times < ABOUT:
                    found[index] = times
        return found

    def _not_taken(self, aside: Mapping[int, float]) -> list[str]:
        """Of those that are set aside: how much regret they had, and why they are not taken."""
        return [
            f"{self._label(index)} had {'less' if times < 1 else 'about as much'} regret in these runs,"
            f" {_times(times)} as much, and is not taken: {NOT_TAKEN[self._summary.algorithms[index].id]}."
            for index, times in aside.items()
        ]

    def _unranked(self) -> tuple[bool, list[int]]:
        """Whether the table lacks algorithms for want of runs; and those of them that the summary has."""
        summary, table = self._summary, self._table
        n_arms = {summary.problems[problem].n_arms for problem in table.problems}
        missing = {
            id
            for one in summary.left_out
            if one.rule in ("time", NOT_PLAYED.rule)
            and (one.setting, one.horizon) == (table.setting, table.horizon)
            and (one.n_arms is None or n_arms & {*one.n_arms})
            for id in one.algorithms
        }
        labelled = []
        for index, algorithm in enumerate(summary.algorithms):
            cells = [summary.at.get((problem, index, table.horizon)) for problem in table.problems]
            n_played = sum(cell is not None and REGRET in cell.regret for cell in cells)
            is_set_aside = algorithm.id in NOT_TAKEN and n_played == len(cells)
            if index not in table.algorithms and (algorithm.id in missing or n_played) and not is_set_aside:
                labelled.append(index)
        return bool(labelled or missing - {algorithm.id for algorithm in summary.algorithms}), labelled

    def _not_ranked(self, unranked: Sequence[int]) -> str:
        """Which of the unranked are ahead of the one that is taken, or close to it, where both played."""
        summary, table = self._summary, self._table
        problems = [number for number, one in enumerate(summary.problems) if one.setting == table.setting]
        horizons = sorted({cell.horizon for cell in summary.cells if cell.horizon <= table.horizon}, reverse=True)
        close = []
        for index in unranked:
            each = (self._times_as_much(index, horizon, problems) for horizon in horizons)
            times = next((one for one in each if one is not None), None)  # after the most rounds that both played
            if times is not None and times <= CLOSE and summary.algorithms[index].id not in NOT_TAKEN:
                close.append((times, self._label(index)))
        if not close:
            return ""
        labels = [label for _, label in sorted(close)]
        more = [f"{len(labels) - NAMED} more"] if len(labels) > NAMED else []
        return f"Not ranked here, for want of runs: {_listed([*labels[:NAMED], *more])}."

    def _figures(self) -> str:
        taken, table = self._taken, self._table
        figures = f"On average over the matrices, 95% of its runs have at most {taken.tail:.2g} times its mean regret"
        if taken.locked_in is None:
            return f"{figures}."
        runs = sum(self._summary.at[problem, taken.algorithm, table.horizon].runs for problem in table.problems)
        stays = f"none of {runs:,} stays" if taken.locked_in == 0 else f"{100 * taken.locked_in:.2g}% stay"
        return f"{figures}, and {stays} on a wrong arm."

    def _because(self, others: str) -> str:
        table = self._table
        if len(self._unbeaten) > 1:
            last = [("has the least regret", "")] if len(self._left) > 1 else []
            return f"Of {len(self._unbeaten)} algorithms that are not told apart, {_in_turn([*self._reasons, *last])}."
        if len(table.algorithms) == 1:
            return "There is no other."
        if table.high[0] > 1:
            return f"Each of the {others} has one that is known to be better."
        following, more = self._label(table.algorithms[1]), exp(table.score[1] - table.score[0])
        return f"All {others} have more regret: the next, {following}, {_times(more)} as much."

    def _beware(self) -> list[str]:
        """Whether it needs the horizon, what it assumes, and what comes of it where that does not hold."""
        algorithm = self._summary.algorithms[self._taken.algorithm]
        sentences = [] if algorithm.anytime else ["It has to be told the number of duels."]
        assumed, last = ASSUMED.get(algorithm.assumes or "", (None, SETTINGS[-1]))
        if assumed is not None:
            sentences.append(f"It assumes {assumed}.")
        for setting in SETTINGS[SETTINGS.index(self._table.setting) + 1 :]:
            breaks = assumed is not None and SETTINGS.index(setting) > SETTINGS.index(last)
            sentences.append(self._elsewhere(setting, breaks))
        return sentences

    def _elsewhere(self, setting: str, breaks: bool) -> str:
        """How it does in another setting, at the same horizon and size; ``breaks`` where it assumes otherwise."""
        there = f"Where {CONDITIONS[setting]}"
        wanted = setting, self._table.horizon, self._table.size, REGRET
        found = (one for one in self._summary.tables if (one.setting, one.horizon, one.size, one.regret) == wanted)
        other = next(found, None)
        if other is None or self._taken.algorithm not in other.algorithms:
            return f"{there}, that does not hold, and it was not played." if breaks else f"{there}, it was not played."
        place = other.algorithms.index(self._taken.algorithm)
        if other.low[place] == 1:
            return f"{there}, none is known to be better there either."
        return f"{there}, it has {_times(exp(other.score[place] - other.score[0]))} the least regret."


def _in_turn(reasons: Sequence[tuple[str, str]]) -> str:
    """Each reason is about those alone that the one before it leaves."""
    before = ["", *(f"of those {alike} " for _, alike in reasons)]
    clauses = [f"{those}it {words}" for those, (words, _) in zip(before, reasons, strict=False)]
    return ", and ".join(filter(None, (", ".join(clauses[:-1]), clauses[-1])))


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
