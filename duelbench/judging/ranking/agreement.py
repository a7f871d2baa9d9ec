"""Measures how often the answers of each judge agree with the ranking, for votes of any kind."""

from typing import NamedTuple

import numpy as np

from duelbench.data.votes import Votes
from duelbench.judging.judges import STEPS, Share, agreement, strengths

MOST_JUDGES = 200
"""The maximum number of judges whose agreement is computed: those with most answers."""

MANY_ARMS, STEPS_OF_MANY = 64, 20
"""The number of arms at and above which a refit of the strengths takes fewer steps, and the number of these steps."""


class Agreement(NamedTuple):
    """The agreement of a judge with the ranking."""

    judge: str
    answers: float
    ties: float
    ranking: Share  # answers that prefer the stronger arm, without ties


def agreements(votes: Votes) -> list[Agreement]:
    """Return the agreement of each judge, as in the table of a live session; empty for fewer than two named judges.

    Answers without a name, such as automatic ties of equal outputs, count for no judge. A Bradley-Terry model says
    which arm is stronger; it is fitted twice, each time without one half of the judge's answers, and compared with that
    half.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from duelbench.data.votes import read_votes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "votes.csv")
    ...     lines = ["a,b,winner,judge", *["tea,milk,tea,ann"] * 3, "tea,milk,milk,bob"]
    ...     _ = file.write_text("\\n".join(lines))
    ...     [(row.judge, row.answers, row.ranking.share) for row in agreements(read_votes(file))]
    [('ann', 3.0, 1.0), ('bob', 1.0, 0.0)]
    """
    rows = votes.rows
    by_judge = rows[rows.judge != ""].groupby("judge").weight.sum().sort_values(ascending=False, kind="stable")
    if len(by_judge) < 2:
        return []
    index = {name: k for k, name in enumerate(votes.arms)}
    indices = rows[["first", "second"]].apply(lambda names: names.map(index))
    rows = rows.assign(i=indices["first"], j=indices["second"], is_tie=rows.winner.isna())
    rows["won"] = np.where(rows.winner == rows["first"], rows.i, rows.j)
    rows["lost"] = rows.i + rows.j - rows.won
    all_wins = votes.wins()
    start = strengths(all_wins)
    steps = STEPS if len(all_wins) < MANY_ARMS else STEPS_OF_MANY
    table = []
    for judge in by_judge.index[:MOST_JUDGES]:
        answers = rows[rows.judge == judge]
        clear = answers[~answers.is_tie]
        pair = [clear[["i", "j"]].min(axis=1), clear[["i", "j"]].max(axis=1)]
        half = clear.groupby(pair).cumcount() // 2 % 2
        halves = np.zeros((2, *all_wins.shape))
        np.add.at(halves, (half.to_numpy(), clear.won.to_numpy(), clear.lost.to_numpy()), clear.weight.to_numpy())
        ties = float(answers.weight[answers.is_tie].sum())
        table.append(Agreement(judge, float(by_judge[judge]), ties, agreement(halves, all_wins, start, steps)))
    return table
