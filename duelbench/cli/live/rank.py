"""``duelbench rank``: ranks arms by votes, with intervals."""

from json import dumps
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.cli.options import Columns, Ignore, Json, WithoutJudge, check_not_input, columns_of
from duelbench.cli.printing import columns as table_of
from duelbench.cli.printing import tell, tell_large, tell_notes
from duelbench.cli.streams import say
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.judging.ranking.ranking import Ranking
    from duelbench.judging.session import Session

PAGES, TABLES, PICTURES = (".html", ".htm"), (".csv",), (".png", ".pdf", ".svg")
"""Endings of files that the command can write."""


def rank(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Votes, games or rankings in a form that `duelbench matrix import` reads, or logs of live sessions.",
        ),
    ],
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write an HTML page with pictures and tables.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw the strengths with their intervals (.png, .pdf or .svg)."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a CSV row for each answer.")] = None,
    columns: Columns = None,
    ignore: Ignore = None,
    without_judge: WithoutJudge = None,
    json: Json = False,
) -> None:
    """Rank options by votes, with intervals.

    \b
    Examples:
      duelbench rank votes.csv
      duelbench rank dishes.jsonl --html dishes.html
      duelbench rank ann.jsonl bob.jsonl --without-judge bot --json

    Says which arm is best and whether the next is clearly behind, the strength of each arm with its 95% interval, which
    pairs to ask about next, and how far judges agree. docs/rank.md explains the numbers.
    """
    for option, path, endings in (("html", html, PAGES), ("plot", plot, PICTURES), ("csv", csv, TABLES)):
        if path is not None:
            check_written(f"--{option}", path, endings, files)

    from duelbench.judging.ranking import rank as ranks

    tell_large(files)
    ranking = ranks.rank(files, columns=columns_of(columns), ignore=ignore or (), without=without_judge or ())
    tell_notes(ranking.notes)
    _write(ranking, html, plot, csv)
    if json:
        from duelbench.judging.ranking.page import document

        say(dumps(document(ranking), indent=2, ensure_ascii=False))
    else:
        say("\n".join(lines_of(ranking)))


def check_written(option: str, path: Path, endings: tuple[str, ...], sources: list[Path]) -> None:
    """Refuse an output file that has another ending, is a folder, or is one of the sources."""
    if path.is_dir() or path.suffix.lower() not in endings:
        raise InputError(f"{option} {path}: name a file that ends with {' or '.join(endings)}")
    check_not_input(option, path, sources)


def write_page(ranking: "Ranking", html: Path) -> None:
    """Write the page of a ranking, and print its path."""
    from duelbench.common.atomic import write_asked
    from duelbench.judging.ranking.page import page_of

    write_asked(html, page_of(ranking).encode(), f"--html {html}:")
    tell(f"wrote {html}")


def tell_report(session: "Session", log: Path, html: Path | None) -> None:
    """Write the report of a session that ends, or print the command that writes it."""
    if not (session.told or session.warm.any()):
        if html is not None:
            tell(f"--html {html}: not written, because there are no answers yet")
    elif html is None:
        tell(f"a report: duelbench rank {quote(str(log))} --html {quote(str(log.with_suffix('.html')))}")
    else:
        from duelbench.judging.ranking.rank import ranking_of_session

        write_page(ranking_of_session(session, log), html)


def _write(ranking: "Ranking", html: Path | None, plot: Path | None, csv: Path | None) -> None:
    from duelbench.common.atomic import write_asked
    from duelbench.experiments.figures.drawing.canvas import font_notes
    from duelbench.judging.ranking.page import answers_csv, picture

    if html is not None:
        write_page(ranking, html)
    if plot is not None:
        form = plot.suffix.lower().removeprefix(".")
        content, figure = picture(ranking, form)
        write_asked(plot, content, f"--plot {plot}:")
        tell_notes(font_notes(figure) if form != "svg" else [])
        tell(f"wrote {plot}")
    if csv is not None:
        write_asked(csv, answers_csv(ranking).encode(), f"--csv {csv}:")
        tell(f"wrote {csv}")


def lines_of(ranking: "Ranking") -> list[str]:
    """Return a ranking as sentences and tables for a terminal."""
    from duelbench.judging.known import short
    from duelbench.judging.ranking import sentences as words

    names = short(ranking.arms)
    has_groups = len(ranking.groups()) > 1
    rows = [[*words.COLUMNS, *(["group"] if has_groups else [])]]
    for row, group in zip(words.arm_rows(ranking), ranking.group, strict=True):
        rows.append([names[row[0]], *row[1:], *([str(group + 1)] if has_groups else [])])
    lines = [*ranking.sentences, "", *table_of(rows, right=range(1, 7)), "", words.INTERVALS, ""]
    if ranking.worth_asking:
        pairs = [[*words.PAIR_COLUMNS], *words.pair_rows(ranking.worth_asking, names)]
        pairs[0][0] = "worth asking next"
        lines += table_of(pairs, right=range(1, 4))
    else:
        lines.append(words.nothing_open(ranking))
    if ranking.judges:
        lines += ["", *table_of([words.JUDGE_COLUMNS, *words.judge_rows(ranking)], right=range(1, 5))]
    return lines
