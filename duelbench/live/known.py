"""What is known so far in a live session: as one document, and in sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from duelbench.live.certainty import Certainty
from duelbench.live.remaining import remaining
from duelbench.live.session import Session

LONGEST_NAME = 32
"""Characters of a name in a table."""

MOST_PAIRS = 3
"""Open pairs that are named."""


def known(session: Session) -> dict[str, Any]:
    """What is known, as a document: arms by their chance to win; shares, scores and chances are in [0, 1].

    Where more than ten million duels are needed, there is None instead of a number.
    """
    found = session.certainty()
    order = sorted(range(len(session.arms)), key=lambda arm: (-found.chance_to_win[arm], -found.borda[arm], arm))
    needed = None
    if not session.done:
        left = remaining(found.wins, delta=found.delta, rule=found.rule, seed=session.terms["seed"])
        numbers = {"low": left.low, "likely": left.likely, "high": left.high}
        needed = {**{key: n if isfinite(n) else None for key, n in numbers.items()}, "sentence": left.sentence}
    bias = session.position_bias()
    position = {key: float(getattr(bias, key)) for key in ("share", "low", "high", "p_value")}
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
        "duels_needed": needed,
        "position": {**position, "sentence": bias.sentence},
    }


def _arm(name: str, found: Certainty, arm: int) -> dict[str, Any]:
    won, lost = float(found.wins[arm].sum()), float(found.wins[:, arm].sum())
    scores = [f"{score}{end}" for score in ("copeland", "borda") for end in ("", "_low", "_high")]
    numbers = {key: float(getattr(found, key)[arm]) for key in (*scores, "chance_to_win")}
    return {"name": name, "duels": won + lost, "won": won, **numbers}


def sentences(document: Mapping[str, Any]) -> list[str]:
    """What a document of `known` says: how far it is to an answer, and whether the order of the two plays a part."""
    said = []
    first, *_ = document["arms"]
    (named,) = (arm for arm in document["arms"] if arm["name"] == document["recommended"])
    if not document["done"] and named["chance_to_win"] != first["chance_to_win"]:
        said.append(
            f"By all answers {first['name']} is likelier to win than {named['name']}, which the algorithm recommends"
            f" ({first['chance_to_win']:.0%} and {named['chance_to_win']:.0%}): it goes by its own counts, in which a"
            " tie may be a win of either, and names the first of several arms that it cannot tell apart."
        )
    if not document["done"]:
        names = short([arm["name"] for arm in document["arms"]])
        pairs = [" against ".join(names[name] for name in pair) for pair in document["open_pairs"]]
        listed = f": {'; '.join(pairs[:MOST_PAIRS])}" if pairs else ""
        more = f" and {len(pairs) - MOST_PAIRS} more" if len(pairs) > MOST_PAIRS else ""
        stand = "pair stands" if len(pairs) == 1 else "pairs stand"
        said.append(f"{len(pairs)} {stand} between this and an answer{listed}{more}.")
    if document["duels_needed"]:
        said.append(f"Still needed: {document['duels_needed']['sentence']}.")
        if document["rule"] != document["rule_of_certainty"]:
            said.append(f"Both are by {document['rule_of_certainty']}; {document['rule']} may need fewer or more.")
    return [*said, document["position"]["sentence"]]


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
