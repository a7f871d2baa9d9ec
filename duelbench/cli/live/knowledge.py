"""Prints the results of a live session, as a JSON document or as tables."""

from json import dumps
from typing import Any

from duelbench.cli.printing import columns
from duelbench.cli.streams import say
from duelbench.judging.known import INTERVALS, SHARES, known, sentences, short
from duelbench.judging.session import Session

MOST_ARMS = 20
"""Arms in the table during a session."""


def say_known(session: Session, json: bool, most_arms: int | None = MOST_ARMS) -> None:
    """Print the results, as a JSON document or as a table of at most ``most_arms`` arms, None for all."""
    document = known(session)
    if json:
        strengths, etas = session.weighed()
        document["weighed"] = {
            "strengths": strengths,
            "etas": [{"judge": judge, "eta": eta} for judge, eta in etas.items()],
        }
    say(dumps(document, indent=2, ensure_ascii=False) if json else "\n".join(lines_of(document, most_arms)))


def lines_of(document: dict[str, Any], most_arms: int | None = MOST_ARMS) -> list[str]:
    """Return the lines of a document of `known`: a table of at most ``most_arms`` arms, None for all, and sentences."""
    arms = document["arms"]
    if not document["told"] and not any(arm["duels"] for arm in arms):
        return [f"{document['status']}."]
    names = short([arm["name"] for arm in arms])
    interval_column = f"{100 * (1 - document['delta']):g}% at every look"
    rows = [["arm", "duels", "won", "strength", "95% interval", "share", interval_column]]
    for arm in arms[:most_arms]:
        counts = [f"{arm['duels']:g}", f"{arm['won']:g}"]
        shares = [f"{arm['borda']:.2f}", f"{arm['borda_low']:.2f} to {arm['borda_high']:.2f}"]
        strength = [f"{arm['strength']:.2f}", f"{arm['strength_low']:.2f} to {arm['strength_high']:.2f}"]
        rows.append([names[arm["name"]], *counts, *strength, *shares])
    n_more = len(arms) - (len(rows) - 1)
    more = [f"and {n_more} more"] if n_more else []
    table = [*columns(rows, right=range(1, 7)), *more, ""]
    return [f"{document['status']}.", "", *table, *_lines_of_judges(document), INTERVALS, *sentences(document)]


def _lines_of_judges(document: dict[str, Any]) -> list[str]:
    """Return a table of the judges, empty if there are none."""
    rows = [["judge", "answers", "ties", "with ranking", "95% interval", "with others", "first shown"]]
    rows[0] += ["flipped", "seconds"]
    for judge in document["judges"]:
        shares = {key: "-" if judge[key]["share"] is None else f"{judge[key]['share']:.0%}" for key in SHARES}
        if others := judge["others"]["n"]:
            shares["others"] = f"{round(judge['others']['share'] * others)} of {others}"
        ranking = judge["ranking"]
        interval = f"{ranking['low']:.0%} to {ranking['high']:.0%}" if ranking["n"] else "-"
        if judge["flips"]["n"]:
            shares["flips"] += f" ({judge['flips']['low']:.0%} to {judge['flips']['high']:.0%})"
        seconds = "-" if judge["seconds"] is None else f"{judge['seconds']:g}"
        counts = [judge["judge"] or "(no name)", str(judge["answers"]), str(judge["ties"])]
        rows.append([*counts, shares["ranking"], interval, shares["others"], shares["first"], shares["flips"], seconds])
    return [*columns(rows, right=range(1, 9)), ""] if len(rows) > 1 else []
