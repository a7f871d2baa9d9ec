"""The result of a live session: its ranking, and what its web page shows at the end."""

from pathlib import Path
from typing import Any

import numpy as np

from duelbench.data.votes import read_votes
from duelbench.judging.ranking.ranking import Ranking, SessionStatus, ranking_of, ranking_of_votes
from duelbench.judging.ranking.sentences import INTERVALS, sentences
from duelbench.judging.session import Session


def ranking_of_session(session: Session, log: Path) -> Ranking:
    """The ranking of an open session, by the answers in its log.

    Raises
    ------
    InputError
        If there are no answers yet.
    """
    status = SessionStatus(str(log), session.status(), session.answer)
    return ranking_of_votes(read_votes(log), [status])


def result_of(session: Session) -> dict[str, Any] | None:
    """What the web page shows at the end: sentences, and for each arm its strength with interval; None before answers.

    Examples
    --------
    >>> with Session("random", ["tea", "milk"]) as session:
    ...     session.tell(("tea", "milk"), "tea", evidence=True)
    ...     result = result_of(session)
    >>> result["sentences"][0], [arm["name"] for arm in result["arms"]]
    ('tea is ahead: it won 100% of 1 comparison; the next, milk, is not clearly behind.', ['tea', 'milk'])
    """
    ties = session.ties if session.settings["ties"] == "half" else np.zeros_like(session.ties)
    wins = session.warm + session.wins + ties / 2
    if not wins.any():
        return None
    ranking = ranking_of(session.arms, wins, ties.astype(np.float64))
    numbers = ranking.table[["comparisons", "strength", "strength_low", "strength_high"]].astype(object)
    known = numbers.where(numbers.notna(), None).to_dict("records")
    arms = [{"name": name, **row} for name, row in zip(ranking.arms, known, strict=True)]
    return {"sentences": sentences(ranking), "meaning": INTERVALS, "arms": arms}
