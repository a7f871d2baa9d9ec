"""Which algorithm to use: an answer for each setting, horizon and size, read off the tables of a leaderboard.

Of all algorithms than which none is known to have less Copeland regret, one is taken by a rule that is written down
here and depends on nothing but the summary:

1. those whose runs stay on a wrong arm most seldom, to within one run in a hundred;
2. of these, those with the shortest tail, to within a tenth: the 95% quantile of regret as a part of its mean;
3. of these, those that need not be told the horizon, if there are any;
4. of these, the one with the least regret.

`NOT_TAKEN` have no place in these tables, for what the leaderboard has too few runs to show, and it is said so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

REGRET = "copeland"
"""The regret by which an algorithm is chosen."""

SETTINGS = ("order", "condorcet", "copeland")
"""Each assumes less than the one before."""

CONDITIONS = {
    "order": "the arms have a total order",
    "condorcet": "one arm beats all others, and these have no order",
    "copeland": "no arm beats all others",
}
SIZES = {None: "any number of arms", "small": "up to 16 arms", "large": "more than 16 arms"}

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

MEAN, Q95 = 0, 4
"""Places in what a cell has of a regret."""

AS_SELDOM, AS_SHORT = 0.01, 1.1

ABOUT = 1.1
"""What has less than so many times the regret of another has about as much."""

CLOSE = 2.0
"""What is not ranked is named if it had at most so many times the regret where it was played."""

NAMED = 6
"""So many of those that are not ranked are named at most."""

_WANT_OF_RUNS = ("time", "not played")
"""Rules of `duelbench.leaderboard.summary.LeftOut` by which an algorithm has no runs though it could have."""


@dataclass(frozen=True)
class _Candidate:
    """An algorithm in a table; ``locked_in`` and ``tail`` are means over the matrices, the tail a geometric one.

    ``locked_in`` is None where no run has a checkpoint early enough to tell.
    """

    index: int
    label: str
    anytime: bool
    score: float
    locked_in: float | None
    tail: float
    runs: int


def choices(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The algorithm to take in each table of Copeland regret.

    Parameters
    ----------
    summary : mapping
        A leaderboard as its JSON has it, with tables that have none of `NOT_TAKEN`; ``choices`` need not be there.

    Returns
    -------
    list of dict
        ``setting``, ``horizon`` and ``size`` of the table; ``take``, the label of the algorithm; ``tied``, the labels
        of the others than which none is known to be better, by increasing regret; ``because`` and ``beware``, in
        sentences.
    """
    tables = [table for table in summary["tables"] if table["regret"] == REGRET]
    return [_choice(summary, tables, table) for table in tables if table["algorithms"]]


def in_words(choice: Mapping[str, Any]) -> str:
    """The answer with its conditions, in one paragraph.

    Examples
    --------
    >>> in_words({"setting": "copeland", "horizon": 10_000, "size": "small", "take": "A", "tied": ["B", "C"],
    ...     "because": "It is short.", "beware": ""})
    'If no arm beats all others, with up to 16 arms and 10^4 duels: A. It is short. Not told apart from it: B and C.'
    """
    tied = f"Not told apart from it: {_listed(choice['tied'])}." if choice["tied"] else ""
    where = f"{SIZES[choice['size']]} and {_power(choice['horizon'])} duels"
    answer = f"If {CONDITIONS.get(choice['setting'], choice['setting'])}, with {where}: {choice['take']}."
    return " ".join(part for part in (answer, choice["because"], tied, choice["beware"]) if part)


def _choice(
    summary: Mapping[str, Any], tables: Sequence[Mapping[str, Any]], table: Mapping[str, Any]
) -> dict[str, Any]:
    unbeaten = [_candidate(summary, table, place) for place, low in enumerate(table["low"]) if low == 1]
    left, reasons = unbeaten, []
    for keep, words, alike in _RULE:
        kept = keep(left)
        if len(kept) < len(left):
            reasons.append((words, alike))
        left = kept
    taken = min(left, key=lambda one: (one.score, one.index))
    aside, unranked = _set_aside(summary, table, taken), _Unranked.of(summary, table)
    warnings = (
        _beware(summary, tables, table, taken),
        _not_taken(summary, aside),
        _not_ranked(summary, table, taken, unranked),
    )
    others = _others(summary, aside, unranked)
    return {
        "setting": table["setting"],
        "horizon": table["horizon"],
        "size": table["size"],
        "take": taken.label,
        "tied": [one.label for one in unbeaten if one is not taken],
        "because": _because(summary, table, taken, len(unbeaten), reasons, len(left), others),
        "beware": " ".join(part for part in warnings if part),
    }


def _means(summary: Mapping[str, Any], horizon: int) -> dict[tuple[int, int], float]:
    """The logarithm of mean regret by algorithm and problem, where there is any."""
    return {
        (cell["algorithm"], cell["problem"]): log(cell["regret"][REGRET][MEAN])
        for cell in summary["cells"]
        if cell["horizon"] == horizon and REGRET in cell["regret"] and cell["regret"][REGRET][MEAN] > 0
    }


def _times_as_much(
    means: Mapping[tuple[int, int], float], index: int, than: int, problems: Sequence[int]
) -> float | None:
    """How many times the regret of another, as a geometric mean over the problems that both have; None without any."""
    both = [problem for problem in problems if (index, problem) in means and (than, problem) in means]
    return exp(sum(means[index, p] - means[than, p] for p in both) / len(both)) if both else None


def _set_aside(summary: Mapping[str, Any], table: Mapping[str, Any], taken: _Candidate) -> dict[int, float]:
    """Of `NOT_TAKEN` those with less regret than the one that is taken, or about as much: how many times as much."""
    means = _means(summary, table["horizon"])
    found = {}
    for index, algorithm in enumerate(summary["algorithms"]):
        if algorithm["id"] in NOT_TAKEN and all((index, problem) in means for problem in table["problems"]):
            times = _times_as_much(means, index, taken.index, table["problems"])
            if times is not None and times < ABOUT:
                found[index] = times
    return found


def _not_taken(summary: Mapping[str, Any], aside: Mapping[int, float]) -> str:
    """Of those that are left aside: how much regret they had, and why they are not taken."""
    sentences = []
    for index, times in aside.items():
        algorithm = summary["algorithms"][index]
        sentences.append(
            f"{algorithm['label']} had {'less' if times < 1 else 'about as much'} regret in these runs,"
            f" {_times(times)} as much, and is not taken: {NOT_TAKEN[algorithm['id']]}."
        )
    return " ".join(sentences)


@dataclass(frozen=True)
class _Unranked:
    """What a table could have and has no place for, for want of runs; ``labelled`` are those that the summary has.

    ``there`` tells whether there is any, also such as the summary has no runs of at all.
    """

    there: bool
    labelled: list[int]

    @classmethod
    def of(cls, summary: Mapping[str, Any], table: Mapping[str, Any]) -> "_Unranked":
        ranked, problems = {*table["algorithms"]}, {*table["problems"]}
        n_arms = {summary["problems"][problem]["n_arms"] for problem in problems}
        here = {"setting": table["setting"], "horizon": table["horizon"]}
        missing = {
            id
            for left_out in summary["left_out"]
            if left_out["rule"] in _WANT_OF_RUNS
            and all(left_out[key] == value for key, value in here.items())
            and (left_out["n_arms"] is None or n_arms & {*left_out["n_arms"]})
            for id in left_out["algorithms"]
        }
        played: dict[int, set[int]] = {}
        for cell in summary["cells"]:
            if cell["horizon"] == table["horizon"] and cell["problem"] in problems and REGRET in cell["regret"]:
                played.setdefault(cell["algorithm"], set()).add(cell["problem"])
        labelled = [
            index
            for index, algorithm in enumerate(summary["algorithms"])
            if index not in ranked
            and (algorithm["id"] in missing or index in played)
            and not (algorithm["id"] in NOT_TAKEN and played.get(index) == problems)
        ]
        known = {algorithm["id"] for algorithm in summary["algorithms"]}
        return cls(bool(labelled or missing - known), labelled)


def _not_ranked(summary: Mapping[str, Any], table: Mapping[str, Any], taken: _Candidate, unranked: _Unranked) -> str:
    """Who was ahead of the one that is taken, or close to it, on the matrices of the setting that both played."""
    problems = [number for number, one in enumerate(summary["problems"]) if one["setting"] == table["setting"]]
    horizons = sorted({cell["horizon"] for cell in summary["cells"] if cell["horizon"] <= table["horizon"]})
    by_horizon = [_means(summary, horizon) for horizon in reversed(horizons)]
    close = []
    for index in unranked.labelled:
        each = (_times_as_much(means, index, taken.index, problems) for means in by_horizon)
        times = next((one for one in each if one is not None), None)  # after the most rounds that both played
        if times is not None and times <= CLOSE and summary["algorithms"][index]["id"] not in NOT_TAKEN:
            close.append((times, summary["algorithms"][index]["label"]))
    if not close:
        return ""
    labels = [label for _, label in sorted(close)]
    more = [f"{len(labels) - NAMED} more"] if len(labels) > NAMED else []
    return f"Not ranked here, for want of runs: {_listed([*labels[:NAMED], *more])}."


def _others(summary: Mapping[str, Any], aside: Mapping[int, float], unranked: _Unranked) -> str:
    """What all but the one that is taken are called, with those of which nothing is said."""
    labels = [summary["algorithms"][index]["label"] for index in aside]
    but = f" but {_listed(labels)}" if labels else ""
    return f"others{but}{' that are ranked' if unranked.there else ''}"


def _candidate(summary: Mapping[str, Any], table: Mapping[str, Any], place: int) -> _Candidate:
    index = table["algorithms"][place]
    algorithm = summary["algorithms"][index]
    cells = [
        cell
        for cell in summary["cells"]
        if cell["algorithm"] == index and cell["horizon"] == table["horizon"] and cell["problem"] in table["problems"]
    ]
    tails = [log(cell["regret"][REGRET][Q95] / cell["regret"][REGRET][MEAN]) for cell in cells]
    locked_in = [cell["locked_in"] for cell in cells if cell["locked_in"] is not None]
    return _Candidate(
        index,
        algorithm["label"],
        algorithm["anytime"],
        table["score"][place],
        locked_in=sum(locked_in) / len(locked_in) if locked_in else None,
        tail=exp(sum(tails) / len(tails)),
        runs=sum(cell["runs"] for cell in cells),
    )


def _most_right(left: list[_Candidate]) -> list[_Candidate]:
    least = min(one.locked_in or 0.0 for one in left)
    return [one for one in left if (one.locked_in or 0.0) <= least + AS_SELDOM]


def _shortest(left: list[_Candidate]) -> list[_Candidate]:
    least = min(one.tail for one in left)
    return [one for one in left if one.tail <= AS_SHORT * least]


def _anytime(left: list[_Candidate]) -> list[_Candidate]:
    return [one for one in left if one.anytime] or left


_RULE: tuple[tuple[Callable[[list[_Candidate]], list[_Candidate]], str, str], ...] = (
    (_most_right, "stays on a wrong arm most seldom", "that stay there as seldom"),
    (_shortest, "has the shortest tail", "with a tail as short"),
    (_anytime, "is one that need not be told the number of duels", "that need no such number"),
)
"""What keeps some of the candidates; that in words, of the one that is taken; and of those that are kept with it."""


def _because(
    summary: Mapping[str, Any],
    table: Mapping[str, Any],
    taken: _Candidate,
    n_unbeaten: int,
    reasons: Sequence[tuple[str, str]],
    n_left: int,
    others: str,
) -> str:
    figures = f"On average over the matrices, 95% of its runs have at most {taken.tail:.2g} times its mean regret"
    if taken.locked_in is not None:
        none = f"none of {taken.runs:,} stays"
        stays = none if taken.locked_in == 0 else f"{_percent(taken.locked_in)} stay"
        figures = f"{figures}, and {stays} on a wrong arm"
    figures += "."
    if n_unbeaten > 1:
        last = [("has the least regret", "")] if n_left > 1 else []
        return f"Of {n_unbeaten} algorithms that are not told apart, {_in_turn([*reasons, *last])}. {figures}"
    if len(table["algorithms"]) == 1:
        return f"There is no other. {figures}"
    if table["high"][0] > 1:
        return f"Each of the {others} has one that is known to be better. {figures}"
    following = summary["algorithms"][table["algorithms"][1]]["label"]
    more = exp(table["score"][1] - table["score"][0])
    return f"All {others} have more regret: the next, {following}, {_times(more)} as much. {figures}"


def _in_turn(reasons: Sequence[tuple[str, str]]) -> str:
    """Each reason is about those alone that the one before it keeps."""
    before = ["", *(f"of those {alike} " for _, alike in reasons)]
    clauses = [f"{those}it {words}" for those, (words, _) in zip(before, reasons, strict=False)]
    return ", and ".join(part for part in (", ".join(clauses[:-1]), clauses[-1]) if part)


def _beware(
    summary: Mapping[str, Any], tables: Sequence[Mapping[str, Any]], table: Mapping[str, Any], taken: _Candidate
) -> str:
    """What it has to be told, what it assumes, and what comes of it where that does not hold."""
    algorithm = summary["algorithms"][taken.index]
    sentences = [] if taken.anytime else ["It has to be told the number of duels."]
    assumed, last = ASSUMED.get(algorithm["assumes"], (None, SETTINGS[-1]))
    if assumed is not None:
        sentences.append(f"It assumes {assumed}.")
    here = SETTINGS.index(table["setting"]) if table["setting"] in SETTINGS else len(SETTINGS)
    for setting in SETTINGS[here + 1 :]:
        breaks = assumed is not None and SETTINGS.index(setting) > SETTINGS.index(last)
        sentences.append(_elsewhere(tables, table, taken, setting, breaks))
    return " ".join(sentences)


def _elsewhere(
    tables: Sequence[Mapping[str, Any]], table: Mapping[str, Any], taken: _Candidate, setting: str, breaks: bool
) -> str:
    """How an algorithm does in another setting, at the same horizon and size; ``breaks`` where it assumes otherwise."""
    same = ("horizon", "size")
    there = f"Where {CONDITIONS[setting]}"
    found = next((one for one in tables if one["setting"] == setting and all(one[k] == table[k] for k in same)), None)
    if found is None or taken.index not in found["algorithms"]:
        return f"{there}, that does not hold, and it was not played." if breaks else f"{there}, it was not played."
    place = found["algorithms"].index(taken.index)
    if found["low"][place] == 1:
        return f"{there}, none is known to be better there either."
    return f"{there}, it has {_times(exp(found['score'][place] - found['score'][0]))} the least regret."


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times"


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _power(horizon: int) -> str:
    exponent = len(str(horizon)) - 1
    return f"10^{exponent}" if horizon == 10**exponent else f"{horizon:,}"
