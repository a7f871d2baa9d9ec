"""Expresses a ranking in sentences, for readers who know no statistics, and as rows of tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from duelbench.common.words import first_few
from duelbench.judging.arms import first_of
from duelbench.judging.cycles import repeats_agree, shortest_cycle, tally
from duelbench.judging.known import short
from duelbench.judging.ranking.ranking import Pair, Ranking

INTERVALS = (
    "Strength is the share of wins to expect against the other arms, by a Bradley-Terry fit. Its 95% interval is an"
    " ordinary one: it holds for one look, if answers are independent and each arm has one strength."
)
"""The meaning of the numbers in the table, and their assumptions."""

REPEATS = (
    "Every pair that came again, with the same input if there are inputs, got the same answer. If a judge cannot answer"
    " differently, asking again adds nothing, and the intervals are too narrow: ask about more inputs."
)

MOST_SESSIONS = 3
"""The maximum number of sessions with a sentence each; further sessions are only counted."""

CIRCLE_ERROR = 0.05
"""The largest probability of naming a circle if some order of the arms is true."""

NOTHING_OPEN = "All other arms are clearly behind."
NO_PAIRS = "No pairs are proposed: of comparisons that follow from rankings it is not known which are decided."

MOST_NAMES = 5
"""The maximum number of names in a list."""

COLUMNS = ("arm", "comparisons", "won", "share won", "strength", "95% interval")
PAIR_COLUMNS = ("pair", "comparisons", "by the fit, the first wins", "95% interval")
JUDGE_COLUMNS = ("judge", "answers", "ties", "agrees with the ranking", "95% interval")


def headline(ranking: Ranking) -> str:
    """Return the sentence about the best arm, for readers who know no statistics.

    Examples
    --------
    >>> from duelbench import rank
    >>> headline(rank([[0, 36], [4, 0]], arms=["tea", "milk"]))
    'tea is best: it won 90% of 40 comparisons; the next, milk, is clearly behind.'
    >>> headline(rank([[0, 3], [2, 0]], arms=["tea", "milk"]))
    'tea is ahead: it won 60% of 5 comparisons; the next, milk, is not clearly behind.'
    """
    groups, names = ranking.groups(), short(ranking.arms)
    if len(groups) > 1:
        return (
            f"No arm can be named best: there are {len(groups)} groups of arms that were never compared with each"
            f" other, not even through others: {first_few_groups(ranking)}."
        )
    first, second = (names[ranking.arms[arm]] for arm in groups[0][:2])
    compared = ranking.comparisons[0].sum()
    noun = "comparison" if compared == 1 else "comparisons"
    won = f"{ranking.wins[0].sum() / compared:.0%} of {number(compared)} {noun}"
    if len(ranking.level()) > 1:
        level = [names[name] for name in ranking.level()]
        return f"No arm is ahead: {first_of(level, MOST_NAMES)} won equally often, by the fit."
    if _n_ballots(ranking):
        return f"{first} is ahead: it won {won}; the next is {second}."
    verb, how = ("is ahead", "not clearly") if ranking.best is None else ("is best", "clearly")
    if any(session.is_undecided for session in ranking.sessions):
        verb = "is ahead"
    return f"{first} {verb}: it won {won}; the next, {second}, is {how} behind."


def shown_as_best(ranking: Ranking) -> tuple[str, ...]:
    """Return the arms that a picture shows as possibly best: none if comparisons follow from rankings."""
    return () if _n_ballots(ranking) else ranking.may_be_best


def nothing_open(ranking: Ranking) -> str:
    """Return the sentence in place of pairs worth asking next, if there are none."""
    return NO_PAIRS if _n_ballots(ranking) else NOTHING_OPEN


def first_few_groups(ranking: Ranking) -> str:
    """Return the groups of arms that were compared, in words."""
    names = short(ranking.arms)
    groups = [[names[ranking.arms[arm]] for arm in group] for group in ranking.groups()]
    return " | ".join(first_few([first_of(group, MOST_NAMES) for group in groups], MOST_NAMES))


def sentences(ranking: Ranking) -> list[str]:
    """Return the headline, what sessions say, the meaning of the headline, and evidence against it."""
    return [
        headline(ranking),
        *_of_sessions(ranking),
        *_meaning(ranking),
        *_against(ranking),
        *([REPEATS] if _repeats_agree(ranking) else []),
    ]


def _n_ballots(ranking: Ranking) -> int:
    return 0 if ranking.votes is None else ranking.votes.n_ballots


def _meaning(ranking: Ranking) -> list[str]:
    names = short(ranking.arms)
    if _n_ballots(ranking):
        return [
            "The comparisons follow from rankings or sets of scores, and those of one ranking are not independent. So"
            " the intervals are too narrow, and nothing is said about how clear the order is."
        ]
    if len(ranking.groups()) > 1:
        return ["Each group has a ranking of its own. Compare arms of different groups, such as the pairs below."]
    if ranking.best is not None:
        return [
            "Clearly behind: chance alone would rarely make such a difference (the 95% interval of the difference of"
            " strengths leaves out 0)."
        ]
    may_be_best = [names[name] for name in ranking.may_be_best]
    sentence = f"{len(may_be_best)} arms may be the best: {first_of(may_be_best, MOST_NAMES)}."
    if len(ranking.level()) > 1:
        return [sentence]
    unlinked = [names[name] for name in ranking.clear_by_prior()]
    by_prior = (
        f"Too few answers tell {names[ranking.arms[0]]} from {first_of(unlinked, MOST_NAMES)}: only the assumption that"
        " arms are about equally strong would make the difference clear, and much of the intervals comes from it."
    )
    return [
        "Not clearly: chance alone may make such a difference (the 95% interval of the difference of strengths contains"
        f" 0). {sentence}",
        *([by_prior] if unlinked else []),
    ]


def _against(ranking: Ranking) -> list[str]:
    """Return sentences on arms that were never compared, and on direct comparisons that contradict the order."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    names = short(ranking.arms)
    alone = [names[name] for name in ranking.never_compared()]
    lines = [f"Never compared, so nothing is known of: {first_of(alone, MOST_NAMES)}."] if alone else []
    leads = ranking.wins > ranking.wins.T
    rivals = np.flatnonzero(leads[:, 0])
    if not len(rivals) or len(ranking.groups()) > 1:
        return lines
    # The arms that lead against the first arm, directly or through others: only these could beat all others.
    above = np.sort(breadth_first_order(csr_array(leads.T.astype(np.int8)), 0, return_predecessors=False))
    cycle = [names[ranking.arms[above[k]]] for k in shortest_cycle(_clear_wins(ranking)[np.ix_(above, above)])]
    if cycle:
        circle = " > ".join([*cycle, cycle[0]])
        return [*lines, f"The direct comparisons go round in a circle, each clearly: {circle}."]
    rival = rivals[np.argmax((ranking.wins - ranking.wins.T)[rivals, 0])]
    won, compared = number(ranking.wins[rival, 0]), number(ranking.comparisons[rival, 0])
    first = names[ranking.arms[0]]
    return [*lines, f"In direct comparisons {names[ranking.arms[rival]]} leads against {first}, {won} of {compared}."]


def _repeats_agree(ranking: Ranking) -> bool:
    """Return whether each repeated pair, with the same input, got the same answer every time."""
    if ranking.votes is None or _n_ballots(ranking):
        return False
    index = {name: arm for arm, name in enumerate(ranking.arms)}
    rows = ranking.votes.rows
    if (rows.weight != 1).any():
        return False
    first, second = rows["first"].map(index), rows["second"].map(index)
    questions = zip(np.minimum(first, second), np.maximum(first, second), rows.input, strict=True)
    winners = (index.get(winner) for winner in rows.winner)
    return repeats_agree(tally(zip(questions, winners, strict=True)))


def _clear_wins(ranking: Ranking) -> np.ndarray:
    """Return the wins in pairs in which one arm leads clearly; 0 in all other pairs.

    A circle has at least one lead against the true order. So all pairs that were compared share `CIRCLE_ERROR`.
    """
    from scipy.special import ndtri

    wins, n = ranking.wins, ranking.comparisons
    n_pairs = max(1, int(np.count_nonzero(np.triu(n))))
    return np.where(abs(wins - wins.T) > -ndtri(CIRCLE_ERROR / n_pairs) * np.sqrt(n), wins, 0.0)


def _of_sessions(ranking: Ranking) -> list[str]:
    sessions = ranking.sessions
    lines = [f"The session in {session.log} says: {session.status}." for session in sessions[:MOST_SESSIONS]]
    if len(sessions) > MOST_SESSIONS:
        lines.append(f"{len(sessions) - MOST_SESSIONS} more sessions have answers of their own.")
    lines += [warning for session in sessions for warning in session.warnings]
    others = {session.answer for session in ranking.sessions} - {None, ranking.arms[0]}
    if others:
        lines.append("A session asks which arm beats each other one; the ranking goes by wins against all others.")
    return lines


def arm_rows(ranking: Ranking) -> list[list[str]]:
    """Return the rows of a table of arms, with the cells of `COLUMNS`."""
    return [
        [row.arm, number(row.comparisons), number(row.won), _percent(row.share_won), *_strength(row)]
        for row in ranking.table.itertuples()
    ]


def pair_rows(pairs: Sequence[Pair], names: dict[str, str]) -> list[list[str]]:
    """Return the rows of a table of pairs, with the cells of `PAIR_COLUMNS`."""
    return [
        [
            f"{names[pair.first]} against {names[pair.second]}",
            number(pair.comparisons),
            f"{pair.probability:.0%}",
            f"{pair.low:.0%} to {pair.high:.0%}",
        ]
        for pair in pairs
    ]


def judge_rows(ranking: Ranking) -> list[list[str]]:
    """Return the rows of a table of judges, with the cells of `JUDGE_COLUMNS`."""
    rows = []
    for judge, answers, ties, share in ranking.judges:
        interval = f"{share.low:.0%} to {share.high:.0%}" if share.n else "-"
        agrees = _percent(np.nan if share.share is None else share.share)
        rows.append([judge, number(answers), number(ties), agrees, interval])
    return rows


def number(count: float) -> str:
    """Format a count with separators of thousands, and halves as decimals.

    Examples
    --------
    >>> number(1234.0), number(2.5)
    ('1,234', '2.5')
    """
    return f"{count:,.12g}"


def _strength(row: Any) -> tuple[str, str]:
    if np.isnan(row.strength):
        return "-", "-"
    return f"{row.strength:.2f}", f"{row.strength_low:.2f} to {row.strength_high:.2f}"


def _percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{share:.0%}"
