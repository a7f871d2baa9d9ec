"""What a page says of what is known so far: the arms with their intervals, and how far it is to an answer."""

from typing import Any

from duelbench.live.certainty import Certainty
from duelbench.live.session import Session


def known(session: Session) -> dict[str, Any]:
    """The arms by their chance to win, the session's own sentence, and how many pairs are open.

    Parameters
    ----------
    session : Session

    Returns
    -------
    dict
        What ``page.js`` makes a table of; shares and chances are between 0 and 1.
    """
    found = session.certainty()
    order = sorted(range(len(session.arms)), key=lambda arm: (-found.chance_to_win[arm], -found.borda[arm], arm))
    return {
        "told": session.told,
        "status": session.status(),
        "level": 1 - found.delta,
        "arms": [_row(session.arms[arm], found, arm) for arm in order],
        "open": _open(found),
    }


def _row(name: str, found: Certainty, arm: int) -> dict[str, Any]:
    return {
        "name": name,
        "duels": round(float(found.wins[arm].sum() + found.wins[:, arm].sum())),
        "share": float(found.borda[arm]),
        "low": float(found.borda_low[arm]),
        "high": float(found.borda_high[arm]),
        "chance": float(found.chance_to_win[arm]),
    }


def _open(found: Certainty) -> str:
    n_open = len(found.open_pairs)
    stand = "pair stands" if n_open == 1 else "pairs stand"
    return "" if found.is_decided else f"{n_open} {stand} between this and an answer."
