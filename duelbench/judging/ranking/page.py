"""Writes a ranking as an HTML page, a JSON document, a CSV table or a picture."""

from typing import Any

from duelbench.common.pages.page import Figure, Page, Section, Table
from duelbench.errors import InputError
from duelbench.experiments.figures.drawing.canvas import FORMATS, render
from duelbench.judging.known import short
from duelbench.judging.ranking import pictures
from duelbench.judging.ranking.agreement import MOST_JUDGES
from duelbench.judging.ranking.ranking import Ranking
from duelbench.judging.ranking.sentences import (
    COLUMNS,
    INTERVALS,
    JUDGE_COLUMNS,
    PAIR_COLUMNS,
    arm_rows,
    judge_rows,
    nothing_open,
    pair_rows,
    shown_as_best,
)
from duelbench.version import VERSION

ROW_COLUMNS = ("judge", "time", "first", "second", "winner", "weight", "input", "source")
"""The columns of the CSV file of answers."""

CELLS = "How often the arm at the left won against the arm below, and the number of comparisons; grey: never compared."


def page_of(ranking: Ranking) -> str:
    """Return the page as HTML, a single file that loads nothing else."""
    first, *others = ranking.sentences
    left_out = len(ranking.arms) - pictures.MOST_ARMS
    colours = ["Blue arms may be the best."] if shown_as_best(ranking) else []
    if left_out > 0:
        colours.append(f"Pictures show the first {pictures.MOST_ARMS} arms; {left_out} more are in the table.")
    made = f"Made with duelbench {VERSION}"
    return Page(
        "Which is best?",
        [
            Section("Strengths", figures=[_strengths(ranking)], tables=[_arms(ranking)], text=colours),
            Section("Pairs", figures=_pairs(ranking), text=[CELLS]),
            _worth_asking(ranking),
            *([Section("Judges", tables=[_judges(ranking)])] if ranking.judges else []),
        ],
        subtitle=first,
        notes=[*others],
        footer=" ".join(f"{sentence}." for sentence in (made, *ranking.notes)),
    ).html()


def _worth_asking(ranking: Ranking) -> Section:
    title = "Worth asking next"
    if not ranking.worth_asking:
        return Section(title, text=[nothing_open(ranking)])
    notes = ["The pairs that would tell most about which arm is best."]
    rows = pair_rows(ranking.worth_asking, short(ranking.arms))
    return Section(title, tables=[Table(PAIR_COLUMNS, rows, notes)])


def _strengths(ranking: Ranking) -> Figure:
    return _svg(pictures.intervals(ranking), "strengths of the arms with their 95% intervals, as in the table")


def _pairs(ranking: Ranking) -> list[Figure]:
    return [_svg(figure, "how often each arm won against each other one") for figure in pictures.pairs(ranking)]


def _svg(figure: Any, label: str) -> Figure:
    return Figure(render(figure, "svg", {"title": "", "description": ""}).decode(), label)


def _arms(ranking: Ranking) -> Table:
    groups = [f"group {number + 1}" for number in ranking.group]
    rows = [[group, *row] for group, row in zip(groups, arm_rows(ranking), strict=True)]
    return Table(("group", *COLUMNS), rows, [INTERVALS, "A tie is half a win for both."], header=1, group=0)


def _judges(ranking: Ranking) -> Table:
    notes = ["How often answers without ties prefer the arm that is stronger by a fit to other answers."]
    if len(ranking.judges) == MOST_JUDGES:
        notes.append(f"The {MOST_JUDGES} judges with most answers.")
    return Table(JUDGE_COLUMNS, judge_rows(ranking), notes)


def document(ranking: Ranking) -> dict[str, Any]:
    """Return the ranking as a JSON document; unknown numbers are None."""
    table = ranking.table.rename(columns={"arm": "name"}).astype(object)
    first, *others = ranking.sentences
    return {
        "headline": first,
        "sentences": others,
        "best": ranking.best,
        "may_be_best": list(ranking.may_be_best),
        "groups": [[ranking.arms[arm] for arm in group] for group in ranking.groups()],
        "arms": table.where(ranking.table.notna().to_numpy(), None).to_dict("records"),
        "wins": ranking.wins.tolist(),
        "ties": ranking.ties.tolist(),
        "worth_asking": [pair._asdict() for pair in ranking.worth_asking],
        "judges": [{**row._asdict(), "ranking": row.ranking._asdict()} for row in ranking.judges],
        "sessions": [session._asdict() for session in ranking.sessions],
        "notes": list(ranking.notes),
    }


def answers_csv(ranking: Ranking) -> str:
    """Return a CSV table with a row for each answer and the columns `ROW_COLUMNS`; the winner of a tie is ``tie``."""
    if ranking.votes is None:
        raise InputError("a table of wins has no single answers; rank files of votes")
    rows = ranking.votes.rows
    return rows.assign(winner=rows.winner.fillna("tie"))[[*ROW_COLUMNS]].to_csv(index=False, lineterminator="\n")


def picture(ranking: Ranking, form: str) -> tuple[bytes, Any]:
    """Return the picture of the intervals in one of `FORMATS`, and its figure."""
    assert form in FORMATS
    figure = pictures.intervals(ranking)
    return render(figure, form, {"title": "Strengths", "description": ranking.sentences[0]}), figure
