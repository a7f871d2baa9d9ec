"""Ranks the arms of files of votes, of tables of wins, and of live sessions."""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from duelbench.data.session_log import is_log
from duelbench.data.votes import Votes, read_votes
from duelbench.errors import InputError
from duelbench.judging.evidence import checked
from duelbench.judging.ranking.agreement import agreements
from duelbench.judging.ranking.ranking import Ranking, SessionStatus, ranking_of
from duelbench.judging.ranking.sentences import INTERVALS, sentences
from duelbench.judging.session import Session
from duelbench.judging.verdict import UNDECIDED


def rank(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Votes | npt.ArrayLike,
    *,
    arms: Iterable[str] | None = None,
    columns: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
    without: Collection[str] = (),
) -> Ranking:
    """Rank the arms of votes.

    Parameters
    ----------
    source : path, several paths, Votes, or array_like of shape (K, K)
        Files of votes in any form that `duelbench.data.votes.read_votes` reads, such as logs of live sessions; the
        result of that function; or a table of wins: ``wins[i, j]`` = how often arm i won against arm j, 1/2 for a tie.
    arms : iterable of str, optional
        Names for a table of wins; by default numbers from 0.
    columns, ignore, without
        The parameters of `duelbench.data.votes.read_votes`, for files.

    Returns
    -------
    Ranking

    Raises
    ------
    InputError
        If a file is wrong, or nothing was compared.

    Examples
    --------
    Tea won 9 of 10 comparisons. The log odds u - v of the fit satisfy 9 - 10 / (1 + exp(v - u)) = (u - v) / 2.

    >>> ranking = rank([[0, 1], [9, 0]], arms=["milk", "tea"])
    >>> ranking.arms, ranking.best, ranking.table.won.tolist()
    (('tea', 'milk'), 'tea', [9.0, 1.0])
    >>> x = float(np.log(ranking.shares[0] / ranking.shares[1]))
    >>> abs(9 - 10 / (1 + np.exp(-x)) - x / 2) < 1e-9
    np.True_
    """
    if isinstance(source, Votes):
        return ranking_of_votes(source)
    table: Any = source
    if isinstance(source, (str, os.PathLike)):
        table = [source]
    elif isinstance(source, Iterable) and not hasattr(source, "__array__"):
        table = [*source]
    if isinstance(table, list) and all(isinstance(path, (str, os.PathLike)) for path in table):
        votes = read_votes(table, columns=columns, ignore=ignore, without=without)
        # The status of a session counts the judges that are left out here.
        return ranking_of_votes(votes, [] if without else None)
    counts = checked(table, 0.05, "e-condorcet")
    names = tuple(map(str, range(len(counts)))) if arms is None else tuple(arms)
    if len(set(names)) != len(counts) or len(names) != len(counts):
        raise InputError(f"'arms' must be {len(counts)} different names, one for each arm of the table")
    return _in_words(ranking_of(names, counts))


def ranking_of_votes(votes: Votes, sessions: Iterable[SessionStatus] | None = None) -> Ranking:
    """Rank the arms of votes.

    If ``sessions`` is None, open the logs among the files to find the status of their sessions.
    """
    wins = votes.wins()
    if not wins.any():
        raise InputError(f"{votes.source}: holds no answers yet; there is nothing to rank")
    rows = votes.rows
    ties = np.zeros_like(wins)
    tied = rows[rows.winner.isna()]
    index = {name: k for k, name in enumerate(votes.arms)}
    i, j = (tied[side].map(index).to_numpy(dtype=int) for side in ("first", "second"))
    np.add.at(ties, (i, j), tied.weight.to_numpy())
    if sessions is None:
        sessions = [_status_of(path) for path in votes.sources if is_log(Path(path))]
    more = {"judges": tuple(agreements(votes)), "sessions": tuple(sessions), "notes": votes.notes, "votes": votes}
    return _in_words(ranking_of(votes.arms, wins, ties + ties.T, **more))


def _status_of(log: str) -> SessionStatus:
    """Return the status of a session by replaying its log; the status is the error if that is not possible here."""
    try:
        with Session.open(log, read_only=True) as session:
            return _status(session, log)
    except InputError as error:
        return SessionStatus(log, f"its answer is not known here: {error}", None)


def _status(session: Session, log: str) -> SessionStatus:
    warnings = tuple(record.warning for record in session.judge_records() if record.warning)
    return SessionStatus(log, session.status(), session.answer, warnings, session.verdict == UNDECIDED)


def ranking_of_session(session: Session, log: Path) -> Ranking:
    """Rank the arms of an open session by the answers in its log.

    Raises
    ------
    InputError
        If there are no answers yet.
    """
    status = _status(session, str(log))
    return ranking_of_votes(read_votes(log), [status])


def result_of(session: Session) -> dict[str, Any] | None:
    """Return the result for the web page, None without answers: sentences, and arms with their strength as ``borda``.

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
    ranking = _in_words(ranking_of(session.arms, wins, ties.astype(np.float64)))
    names = {"arm": "name", "comparisons": "duels", "strength": "borda"}  # as in the document of `known`
    names |= {f"strength_{end}": f"borda_{end}" for end in ("low", "high")}
    numbers = ranking.table[[*names]].rename(columns=names).astype(object)
    arms = numbers.where(numbers.notna(), None).to_dict("records")
    lines = [*ranking.sentences, *([f"{session.status()}."] if session.done else [])]
    return {"sentences": lines, "meaning": INTERVALS, "arms": arms}


def _in_words(ranking: Ranking) -> Ranking:
    return replace(ranking, sentences=tuple(sentences(ranking)))
