"""``duelbench advise``: which algorithm to take for so many duels, and what to expect of it."""

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import whole
from duelbench.cli.matrix.output import parse_seed
from duelbench.cli.streams import say
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.live.advice import Advice
    from duelbench.live.advising import Known

MOST_DUELS = 100_000

USUAL_MATRICES = 1000

FEWEST_MATRICES = 200
"""Where nothing else is asked for, of large budgets, which take long."""

DUELS_IN_ALL = 4_000_000
"""Matrices times budget up to which there are as many matrices as usual."""

HEADS = ("algorithm", "chance", "95% interval", "regret", "lost by", "answered")


class Gaps(StrEnum):
    """What ``--gaps`` offers; `duelbench.live.beliefs.GAPS` says what they are."""

    small = "small"
    middling = "middling"
    large = "large"


def between(low: float, high: float, text: str, option: str) -> float:
    """A number between two others, which are excluded."""
    try:
        value = float(text)
    except ValueError:
        value = low
    if not low < value < high:
        raise InputError(f"--{option} {text}: write a number between {low:g} and {high:g}, both excluded")
    return value


def advise(
    duels: Annotated[
        int,
        typer.Option("--duels", parser=whole(1, MOST_DUELS, "duels"), metavar="N", help="How many can be judged."),
    ],
    arms: Annotated[int | None, typer.Option(parser=whole(2, 10**6), metavar="K", help="How many arms.")] = None,
    gap: Annotated[
        str | None,
        typer.Option(metavar="P", help="By how much the best beats the next: 0.1 where it wins 60 of 100 duels."),
    ] = None,
    gaps: Annotated[
        Gaps | None, typer.Option(help="How far the arms lie apart. By default like those of people: all three.")
    ] = None,
    wins: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Duels that were judged already, as `duelbench matrix import` reads them."),
    ] = None,
    error: Annotated[
        str, typer.Option(metavar="P", help="How often an answer may be wrong that comes before the budget is spent.")
    ] = "0.05",
    wanted: Annotated[
        str, typer.Option("--chance", metavar="P", help="The chance of naming a winner that you would like to have.")
    ] = "0.8",
    algorithms: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Ids with commas: rucb,d-ts.", autocompletion=candidates.algorithms),
    ] = None,
    matrices: Annotated[
        int | None,
        typer.Option(
            parser=whole(2, 10**6),
            metavar="N",
            help="How many are drawn.",
            show_default=f"{USUAL_MATRICES}, fewer for many duels",
        ),
    ] = None,
    seed: Annotated[str, typer.Option(metavar="N", help="Of all that is drawn.")] = "0",
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", parser=whole(1), metavar="N", help="How many work.", show_default="all cores"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say which algorithm to take for so many duels.

    \b
    Examples:
      duelbench advise --arms 8 --duels 200
      duelbench advise --arms 8 --duels 200 --gap 0.1
      duelbench advise --duels 300 --wins games.csv --error 0.1
      duelbench advise --arms 12 --duels 100 --gaps small --algorithms rucb,ws-w,uniform

    Matrices are drawn that are in keeping with what is known, and each algorithm is played on all of them. Duels are
    those of two different arms. docs/advise.md says what is drawn, and how far the chances can be trusted.
    """
    number = parse_seed(seed)
    chosen = None if algorithms is None else [id for id in (part.strip() for part in algorithms.split(",")) if id]
    if chosen == []:
        raise InputError(f"--algorithms {algorithms}: names none; write ids with commas: rucb,d-ts")
    risk, chance = between(0, 1, error, "error"), between(0, 1, wanted, "chance")
    closest = None if gap is None else between(0, 0.5, gap, "gap")
    _refuse_contradictions(arms, gap, gaps, wins)

    from duelbench.actions.running import all_cores
    from duelbench.execution.progress import Waiting
    from duelbench.live import advising
    from duelbench.live.advice import in_words

    if wins is not None:
        known = advising.known_from(wins)
    else:
        assert arms is not None
        known = advising.Known(arms, closest, None if gaps is None else gaps.value)
    n_matrices = matrices or min(USUAL_MATRICES, max(FEWEST_MATRICES, DUELS_IN_ALL // duels))
    waiting = Waiting()
    try:
        found = advising.advise(
            known,
            duels,
            algorithms=chosen,
            error=risk,
            n_matrices=n_matrices,
            seed=number,
            jobs=jobs or all_cores(),
            tell=lambda done, total: waiting.doing(f"simulating: {done} of {total} algorithms done"),
        )
    finally:
        waiting.close()
    arm, share = found.likeliest
    sentences = in_words(found, chance, known.names)
    about = {"arms": known.n_arms, "duels": duels, "error": risk, "matrices": n_matrices, "seed": number}
    if as_json:
        likeliest = {"arm": known.names[arm], "chance": share} if known.names else None
        said = {"known": _known_in_words(known, wins), "likeliest": likeliest, "sentences": sentences}
        say(_document(found, chance, {**about, **said}), end="")
        return
    say(f"{known.n_arms} arms, {duels} duels; {_known_in_words(known, wins)}; {n_matrices} matrices")
    if known.names:
        say(f"by these alone the likeliest Copeland winner is {known.names[arm]}, with a chance of {100 * share:.0f}%")
    for line in (*_table(found), "", *sentences):
        say(line)


def _refuse_contradictions(arms: int | None, gap: str | None, gaps: Gaps | None, wins: Path | None) -> None:
    if gap is not None and gaps is not None:
        raise InputError("--gap and --gaps say the same in two ways; leave one of them out")
    if wins is None:
        if arms is None:
            raise InputError("how many arms are there? Say --arms K, or name a table of duels with --wins FILE")
        return
    for option, value in (("arms", arms), ("gap", gap), ("gaps", gaps)):
        if value is not None:
            raise InputError(f"--{option}: the table of --wins says that already; leave one of them out")


def _known_in_words(known: "Known", wins: Path | None) -> str:
    if known.wins is not None:
        return f"{known.wins.sum():g} duels of {wins} are known"
    if known.gap is not None:
        return f"the winner's smallest gap is {known.gap:g}"
    return f"gaps are {known.gaps}" if known.gaps is not None else "gaps are like those of people"


def _table(found: "Advice") -> list[str]:
    """The algorithms at the budget that was asked about; what may be the best is marked."""
    now = found.now
    cells: list[tuple[str, ...]] = [HEADS]
    for id, line in now.lines.items():
        interval = f"[{100 * line.low:.1f}, {100 * line.high:.1f}]"
        shares = [f"{100 * share:.1f}%" for share in (line.regret, line.lost, line.answered)]
        cells.append((f"{id} *" if id in now.best else id, f"{100 * line.chance:.1f}%", interval, *shares))
    widths = [max(len(line[k]) for line in cells) for k in range(len(HEADS))]
    padded = [
        "  ".join([line[0].ljust(widths[0]), *(cell.rjust(widths[k]) for k, cell in enumerate(line) if k)])
        for line in cells
    ]
    return [
        *padded,
        "*: none was shown to be better. chance: of naming a Copeland winner; the intervals of all hold at once.",
        "regret: how many fewer of the others the named arm beats. lost by: how far beyond 50% a winner beats it.",
        "answered: how often there is an answer before the budget is spent, wrong at most as often as --error says.",
    ]


def _document(found: "Advice", chance: float, about: dict[str, Any]) -> str:
    later, before, enough = found.later, found.before, found.first_with(chance)
    document = {
        **about,
        "advice": found.now.first,
        "as_good": list(found.now.best[1:]),
        "chance_wanted": chance,
        "duels_for_it": None if enough is None else enough.duels,
        "changes_above": None if later is None else {"duels": later.duels, "advice": later.first},
        "changes_below": None if before is None else {"duels": before.duels, "advice": before.first},
        "budgets": [
            {
                "duels": one.duels,
                "best": list(one.best),
                "algorithms": [{"algorithm": id, **asdict(line)} for id, line in one.lines.items()],
            }
            for one in found.budgets
        ],
    }
    return json.dumps(document, indent=2) + "\n"
