"""What is known so far in a live session: as one document, and in sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from duelbench.judging.arms import first_of
from duelbench.judging.certainty import Certainty
from duelbench.judging.judges import LEVEL, JudgeRecord
from duelbench.judging.session import Session

SHARES = ("ranking", "others", "first", "flips")
"""Of a judge's answers."""

LONGEST_NAME = 32
"""Characters of a name in a table."""


def known(session: Session) -> dict[str, Any]:
    """What is known, as a document: arms by their share of wins; shares and scores are in [0, 1]."""
    certainty, arms, settings = session.certainty(), session.arms, session.settings
    order = sorted(range(len(arms)), key=lambda arm: (-certainty.borda[arm], arm))
    forbidden = [(arms.index(first), arms.index(second)) for first, second in settings["forbidden"]]
    may_be_asked = [pair for pair in certainty.open_pairs if pair not in forbidden]
    undecidable = [pair for pair in certainty.open_pairs if pair in forbidden]
    rule = (settings["stop"] or {}).get("rule", certainty.rule)
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
        "rule": rule,
        "rule_of_certainty": certainty.rule,
        "delta": certainty.delta,
        "arms": [_arm(arms[arm], certainty, arm) for arm in order],
        "open_pairs": [[arms[i], arms[j]] for i, j in may_be_asked],
        "forbidden_pairs": [[arms[i], arms[j]] for i, j in undecidable],
        "position": {**position, "sentence": bias.sentence},
        "judges": [_judge(record) for record in session.judge_records()],
    }


def _arm(name: str, certainty: Certainty, arm: int) -> dict[str, Any]:
    won, lost = float(certainty.wins[arm].sum()), float(certainty.wins[:, arm].sum())
    scores = [f"{score}{end}" for score in ("copeland", "borda") for end in ("", "_low", "_high")]
    numbers = {key: float(getattr(certainty, key)[arm]) for key in scores}
    return {"name": name, "duels": won + lost, "won": won, **numbers}


def _judge(record: JudgeRecord) -> dict[str, Any]:
    shares = {key: getattr(record, key)._asdict() for key in SHARES}
    numbers = {key: getattr(record, key) for key in ("judge", "answers", "ties", "seconds", "warning")}
    return {**numbers, **shares}


def sentences(document: Mapping[str, Any]) -> list[str]:
    """A document of `known` in words: what is still undecided, and whether the order of the two plays a part."""
    sentences = []
    if not document["done"]:
        names = short([arm["name"] for arm in document["arms"]])
        pairs, undecidable = (
            [" against ".join(names[name] for name in pair) for pair in document[kind]]
            for kind in ("open_pairs", "forbidden_pairs")
        )
        if pairs:
            are = "comparison is" if len(pairs) == 1 else "comparisons are"
            by = "" if document["rule"] == document["rule_of_certainty"] else f" by {document['rule_of_certainty']}"
            sentences.append(f"{len(pairs)} {are} still undecided{by}: {first_of(pairs, between='; ')}.")
        if undecidable:
            which = "comparison is" if len(undecidable) == 1 else "comparisons are"
            sentences.append(
                f"{len(undecidable)} {which} undecided and forbidden, so there may be no answer:"
                f" {first_of(undecidable, between='; ')}."
            )
    judges = document["judges"]
    warnings = [judge["warning"] for judge in judges if judge["warning"]]
    is_said = len(judges) == len(warnings) == 1 and document["position"]["p_value"] <= LEVEL
    in_both_orders = any(judge["flips"]["n"] for judge in judges)  # then the order plays no part
    if document["told"] and not is_said and not in_both_orders:
        sentences.append(document["position"]["sentence"])
    return [*sentences, *warnings]


def short(names: Sequence[str]) -> dict[str, str]:
    """Names as they fit into a table, by the whole ones: long ones without their middle, with a number where alike.

    Examples
    --------
    >>> short(["tea", "t" * 100])["tea"], len(short(["tea", "t" * 100])["t" * 100])
    ('tea', 32)
    >>> list(short(["t" * 100 + "1", "t" * 100 + "2"]).values())
    ['tttttttttttttt...tttttttttttttt1', 'tttttttttttttt...tttttttttttttt2']
    """
    short_names = {name: name if len(name) <= LONGEST_NAME else f"{name[:14]}...{name[-15:]}" for name in names}
    times = Counter(short_names.values())
    alike = [name for name, cut in short_names.items() if times[cut] > 1 and len(name) > LONGEST_NAME]
    for number, name in enumerate(alike, start=1):
        end = f"... ({number})"
        short_names[name] = name[: LONGEST_NAME - len(end)] + end
    return short_names
