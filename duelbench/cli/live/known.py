"""What is known so far in a live session: as one document, and as a table for people."""

from collections import Counter
from collections.abc import Mapping, Sequence
from json import dumps
from math import isfinite
from typing import TYPE_CHECKING, Any

from duelbench.cli.columns import columns
from duelbench.cli.streams import say

if TYPE_CHECKING:
    from duelbench.live.certainty import Certainty
    from duelbench.live.position import PositionBias
    from duelbench.live.remaining import Remaining
    from duelbench.live.session import Session

LONGEST_NAME = 32
"""Characters of a name in a table."""

MOST_ARMS, MOST_PAIRS = 20, 3
"""That are shown between two questions."""


def say_known(session: "Session", json: bool, most_arms: int | None = MOST_ARMS) -> None:
    """Say what is known, as a document or as a table of so many arms."""
    document = known(session)
    if json:
        say(dumps(document, indent=2, ensure_ascii=False))
    else:
        say("\n".join(lines_of(document, most_arms)))


def known(session: "Session") -> dict[str, Any]:
    """What is known, as a document: arms by their chance to win; shares, scores and chances are in [0, 1].

    Where more than ten million duels are needed, there is None instead of a number.
    """
    found = session.certainty()
    order = sorted(range(len(session.arms)), key=lambda arm: (-found.chance_to_win[arm], -found.borda[arm], arm))
    left = None
    if not session.done:
        from duelbench.live.remaining import remaining

        left = remaining(found.wins, delta=found.delta, rule=found.rule, seed=session.terms["seed"])
    return {
        "status": session.status(),
        "told": session.told,
        "ties": int(session.ties.sum()) // 2,
        "out": [list(pair) for pair in session.out],
        "done": bool(session.done),
        "answer": session.answer,
        "recommended": session.recommend(),
        "settled": bool(session.settled),
        "rule": (session.terms["stop"] or {}).get("rule", found.rule),
        "rule_of_certainty": found.rule,
        "delta": found.delta,
        "arms": [_arm(session.arms[arm], found, arm) for arm in order],
        "open_pairs": [[session.arms[i], session.arms[j]] for i, j in found.open_pairs],
        "duels_needed": None if left is None else _needed(left),
        "position": _position(session.position_bias()),
    }


def _arm(name: str, found: "Certainty", arm: int) -> dict[str, Any]:
    return {
        "name": name,
        "duels": float(found.wins[arm].sum() + found.wins[:, arm].sum()),
        "won": float(found.wins[arm].sum()),
        **{
            key: float(getattr(found, key)[arm])
            for score in ("copeland", "borda")
            for key in (score, f"{score}_low", f"{score}_high")
        },
        "chance_to_win": float(found.chance_to_win[arm]),
    }


def _needed(left: "Remaining") -> dict[str, Any]:
    numbers = {"low": left.low, "likely": left.likely, "high": left.high}
    return {**{key: n if isfinite(n) else None for key, n in numbers.items()}, "sentence": left.sentence}


def _position(bias: "PositionBias") -> dict[str, Any]:
    numbers = {key: float(getattr(bias, key)) for key in ("share", "low", "high", "p_value")}
    return {**numbers, "sentence": bias.sentence}


def lines_of(document: dict[str, Any], most_arms: int | None = MOST_ARMS) -> list[str]:
    """A table of the arms, and sentences.

    Parameters
    ----------
    document : dict
        Of `known`.
    most_arms : int, optional
        How many arms are shown; all where it is None.
    """
    arms = document["arms"]
    shown = arms[:most_arms]
    names = short([arm["name"] for arm in arms])
    level = f"{100 * (1 - document['delta']):g}%"
    head = ["arm", "duels", "won", "Borda", f"{level} interval", "chance to win"]
    table = columns([head, *(_row(names[arm["name"]], arm) for arm in shown)], right=range(1, len(head)))
    more = [f"and {len(arms) - len(shown)} more"] if len(shown) < len(arms) else []
    return [f"{document['status']}.", "", *table, *more, "", *sentences(document)]


def _row(name: str, arm: dict[str, Any]) -> list[str]:
    interval = f"{arm['borda_low']:.3f} to {arm['borda_high']:.3f}"
    counts = [f"{arm['duels']:g}", f"{arm['won']:g}", f"{arm['borda']:.3f}"]
    return [name, *counts, interval, f"{arm['chance_to_win']:.0%}"]


def sentences(document: dict[str, Any]) -> list[str]:
    """What stands below the table: how far it is to an answer, and whether the order of the two plays a part."""
    said = [*_unlike(document)]
    if not document["done"]:
        said.append(_open(document["open_pairs"], short([arm["name"] for arm in document["arms"]])))
    if document["duels_needed"]:
        said.append(f"Still needed: {document['duels_needed']['sentence']}.")
        if document["rule"] != document["rule_of_certainty"]:
            said.append(f"Both are by {document['rule_of_certainty']}; {document['rule']} may need fewer or more.")
    return [*said, document["position"]["sentence"]]


def _unlike(document: dict[str, Any]) -> list[str]:
    """A sentence where what is recommended is not the arm that most likely wins."""
    first, *_ = document["arms"]
    (named,) = (arm for arm in document["arms"] if arm["name"] == document["recommended"])
    if document["done"] or named["chance_to_win"] == first["chance_to_win"]:
        return []
    return [
        f"By all answers {first['name']} is likelier to win than {named['name']}, which the algorithm recommends"
        f" ({first['chance_to_win']:.0%} and {named['chance_to_win']:.0%}): it goes by its own counts, in which a tie"
        " may be a win of either, and names the first of several arms that it cannot tell apart."
    ]


def _open(pairs: Sequence[Sequence[str]], names: Mapping[str, str]) -> str:
    first = "; ".join(" against ".join(names[name] for name in pair) for pair in pairs[:MOST_PAIRS])
    more = f" and {len(pairs) - MOST_PAIRS} more" if len(pairs) > MOST_PAIRS else ""
    stand = "pair stands" if len(pairs) == 1 else "pairs stand"
    return f"{len(pairs)} {stand} between this and an answer{f': {first}{more}' if first else ''}."


def short(names: Sequence[str]) -> dict[str, str]:
    """Names as they fit into a table, by the whole ones: different names stay different.

    A long one is cut at its end; where several would then be the same, in their middle, and with a number if need be.

    Examples
    --------
    >>> short(["tea", "t" * 100])["tea"], len(short(["tea", "t" * 100])["t" * 100])
    ('tea', 32)
    >>> list(short(["t" * 100 + "1", "t" * 100 + "2"]).values())
    ['tttttttttttttt...tttttttttttttt1', 'tttttttttttttt...tttttttttttttt2']
    """
    found = {name: name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..." for name in names}
    for name in _alike(found):
        found[name] = f"{name[: LONGEST_NAME - 18]}...{name[-15:]}"
    for number, name in enumerate(_alike(found), start=1):
        end = f"... ({number})"
        found[name] = name[: LONGEST_NAME - len(end)] + end
    return found


def _alike(found: Mapping[str, str]) -> list[str]:
    """Long names whose short forms are not their own alone."""
    times = Counter(found.values())
    return [name for name, cut in found.items() if times[cut] > 1 and len(name) > LONGEST_NAME]
