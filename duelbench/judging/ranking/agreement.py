"""How often the answers of each judge agree with the ranking, for votes of any kind."""

from typing import NamedTuple

import numpy as np

from duelbench.data.votes import Votes
from duelbench.judging.judges import STEPS, Share, share_of, strengths

MOST_JUDGES = 20
"""Judges whose agreement is computed, those with most answers."""

MANY_ARMS, STEPS_OF_MANY = 64, 20
"""From so many arms on, so few steps lead from the strengths of all answers to those without some."""


class Agreement(NamedTuple):
    """The answers of a judge; ``ranking``: the share without ties that prefers the stronger arm."""

    judge: str
    answers: float
    ties: float
    ranking: Share


def agreements(votes: Votes) -> list[Agreement]:
    """The agreement of each judge, as in the table of a live session; empty if the votes name fewer than two.

    Answers without a name, such as ties of equal outputs that nobody was asked about, are of no judge.

    The stronger arm is that of a Bradley-Terry fit to all other answers and half of the judge's own, never to the
    answers that are compared with it.

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
    at = {name: k for k, name in enumerate(votes.arms)}
    places = rows[["first", "second"]].apply(lambda names: names.map(at))
    rows = rows.assign(i=places["first"], j=places["second"], is_tie=rows.winner.isna())
    rows["won"] = np.where(rows.winner == rows["first"], rows.i, rows.j)
    rows["lost"] = rows.i + rows.j - rows.won
    in_all = votes.wins()
    start = strengths(in_all)
    steps = STEPS if len(in_all) < MANY_ARMS else STEPS_OF_MANY
    table = []
    for judge in by_judge.index[:MOST_JUDGES]:
        answers = rows[rows.judge == judge]
        clear = answers[~answers.is_tie]
        pair = [clear[["i", "j"]].min(axis=1), clear[["i", "j"]].max(axis=1)]
        half = clear.groupby(pair).cumcount() // 2 % 2
        right = n = 0.0
        for part in (clear[half == 0], clear[half == 1]):
            wins = np.zeros_like(in_all)
            np.add.at(wins, (part.won.to_numpy(), part.lost.to_numpy()), part.weight.to_numpy())
            strength = strengths(in_all - wins, start, steps)
            ahead = strength[:, np.newaxis] - strength
            right += wins[ahead > 1e-6].sum()
            n += wins[abs(ahead) > 1e-6].sum()
        ties = float(answers.weight[answers.is_tie].sum())
        table.append(Agreement(judge, float(by_judge[judge]), ties, share_of(round(right), round(n))))
    return table
