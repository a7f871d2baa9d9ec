"""Summarises a live session: as a JSON document, and in sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from duelbench.judging.arms import first_of
from duelbench.judging.certainty import Certainty
from duelbench.judging.judges import LEVEL, REPEATS, JudgeRecord
from duelbench.judging.session import Session

SHARES = ("ranking", "others", "first", "flips")
"""The shares in the record of a judge."""

LONGEST_NAME = 32
"""The maximum number of characters of a name in a table."""

INTERVALS = (
    "The 95% intervals of the strength are ordinary ones: they hold for one look, by the Bradley-Terry model. The"
    " intervals of the share hold at every look and for any judge, all together; they need many more answers."
)


def known(session: Session) -> dict[str, Any]:
    """Return the results of a session as a JSON document: arms, best first; shares, strengths and scores in [0, 1]."""
    certainty, arms, settings = session.certainty(), session.arms, session.settings
    strengths = session.strengths()
    bias = session.position_bias()
    position = {key: float(getattr(bias, key)) for key in ("share", "low", "high", "p_value")}
    may_still_win = session.may_still_win()
    return {
        "status": session.status(),
        "told": session.told,
        "ties": int(session.ties.sum()) // 2,
        "out": [list(pair) for pair in session.out],
        "done": bool(session.done),
        "verdict": session.verdict,
        "answer": session.answer,
        "recommended": session.recommend(),
        "settled": bool(session.settled),
        "rule": (settings["stop"] or {}).get("rule"),
        "delta": certainty.delta,
        "may_still_win": None if may_still_win is None else list(may_still_win),
        "forbidden": [list(pair) for pair in settings["forbidden"]],
        "never_changed": session.repeats_agree,
        "only_repeats": session.repeats_agree_beyond_chance,
        "arms": [_arm(name, strengths[name], certainty, arms.index(name)) for name in strengths],
        "position": {**position, "sentence": bias.sentence},
        "judges": [_judge(record) for record in session.judge_records()],
    }


def _arm(name: str, strength: tuple[float, float, float], certainty: Certainty, arm: int) -> dict[str, Any]:
    won, lost = float(certainty.wins[arm].sum()), float(certainty.wins[:, arm].sum())
    scores = [f"{score}{end}" for score in ("copeland", "borda") for end in ("", "_low", "_high")]
    numbers = {key: float(getattr(certainty, key)[arm]) for key in scores}
    strengths = dict(zip(("strength", "strength_low", "strength_high"), strength, strict=True))
    return {"name": name, "duels": won + lost, "won": won, **strengths, **numbers}


def _judge(record: JudgeRecord) -> dict[str, Any]:
    shares = {key: getattr(record, key)._asdict() for key in SHARES}
    numbers = {key: getattr(record, key) for key in ("judge", "answers", "ties", "seconds", "warning")}
    return {**numbers, **shares}


def sentences(document: Mapping[str, Any]) -> list[str]:
    """Return sentences about a document of `known`: on arms that may still win, repeated answers, and judges."""
    sentences = []
    names = short([arm["name"] for arm in document["arms"]])
    left = document["may_still_win"]
    if document["told"] and left is not None and len(left) < len(names):
        in_order = [names[arm["name"]] for arm in document["arms"] if arm["name"] in left]
        sentence = f"If one arm beats all others, it is {'one of ' if len(left) > 1 else ''}{first_of(in_order, 5)}."
        if document["recommended"] not in left:
            sentence += f" {names[document['recommended']]} is ahead, but has lost too often to another arm for that."
        sentences.append(sentence)
    if document["forbidden"] and not document["done"]:
        pairs = [" against ".join(names[name] for name in pair) for pair in document["forbidden"]]
        sentences.append(
            f"There may be no answer without the pairs that are never asked: {first_of(pairs, between='; ')}."
        )
    if document["only_repeats"] or (document["never_changed"] and document["answer"] is not None):
        sentences.append(REPEATS)
    judges = document["judges"]
    warnings = [judge["warning"] for judge in judges if judge["warning"]]
    warns_of_position = len(judges) == len(warnings) == 1 and document["position"]["p_value"] <= LEVEL
    has_both_orders = any(judge["flips"]["n"] for judge in judges)  # then the order has no effect
    if document["told"] and not warns_of_position and not has_both_orders:
        sentences.append(document["position"]["sentence"])
    return [*sentences, *warnings]


def short(names: Sequence[str]) -> dict[str, str]:
    """Map names to short ones for a table: long names lose their middle, and equal short names get a number.

    Examples
    --------
    >>> short(["tea", "t" * 100])["tea"], len(short(["tea", "t" * 100])["t" * 100])
    ('tea', 32)
    >>> list(short(["t" * 100 + "1", "t" * 100 + "2"]).values())
    ['tttttttttttttt...tttttttttttttt1', 'tttttttttttttt...tttttttttttttt2']
    """
    short_names = {name: name if len(name) <= LONGEST_NAME else f"{name[:14]}...{name[-15:]}" for name in names}
    counts = Counter(short_names.values())
    ambiguous = [name for name, cut in short_names.items() if counts[cut] > 1 and len(name) > LONGEST_NAME]
    for number, name in enumerate(ambiguous, start=1):
        end = f"... ({number})"
        short_names[name] = name[: LONGEST_NAME - len(end)] + end
    return short_names
