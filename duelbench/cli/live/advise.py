"""``duelbench advise``: which algorithm to take for so many duels, and what to expect of it."""

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import PlugIn, whole
from duelbench.cli.matrix.output import parse_seed
from duelbench.cli.streams import say
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.live.advice import Advice
    from duelbench.live.advising import Known

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


def advise(
    duels: Annotated[
        int,
        typer.Option("--duels", parser=whole(1, unit="duels"), metavar="N", help="How many can be judged."),
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
    plug_in: PlugIn = None,
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
      duelbench advise --arms 8 --duels 200 --plug-in mine.py --algorithms mine,ws-w

    Matrices are drawn that are in keeping with what is known, and each algorithm is played on all of them. Duels are
    those of two different arms. docs/advise.md says what is drawn, and how far the chances can be trusted.
    """
    number = parse_seed(seed)
    chosen = None if algorithms is None else [id for id in (part.strip() for part in algorithms.split(",")) if id]
    if chosen == []:
        raise InputError(f"--algorithms {algorithms}: names none; write ids with commas: rucb,d-ts")
    _refuse_contradictions(arms, gap, gaps, wins)

    from duelbench.algorithms import registry
    from duelbench.api.running import all_cores
    from duelbench.execution.estimate import compiling_seconds
    from duelbench.execution.progress import Waiting, duration
    from duelbench.live import advising

    risk, chance = advising.between(0, 1, error, "--error"), advising.between(0, 1, wanted, "--chance")
    if wins is not None:
        known = advising.known_from(wins)
    else:
        assert arms is not None
        closest = None if gap is None else advising.between(0, 0.5, gap, "--gap")
        known = advising.Known(arms, closest, None if gaps is None else gaps.value)
    for name in plug_in or ():
        registry.load_plug_in(name)
    n_matrices = matrices or min(USUAL_MATRICES, max(FEWEST_MATRICES, DUELS_IN_ALL // duels))
    n_jobs = jobs or all_cores()
    waiting = Waiting()

    def tell_compiling(ids: list[str]) -> None:
        seconds = compiling_seconds(len(ids), n_jobs)
        waiting.say(f"compiling {', '.join(ids)} (first use, about {duration(seconds)}) ...")

    try:
        found = advising.advise(
            known,
            duels,
            algorithms=chosen,
            error=risk,
            n_matrices=n_matrices,
            seed=number,
            jobs=n_jobs,
            tell=lambda done, total: waiting.doing(f"simulating: {done} of {total} algorithms done"),
            tell_compiling=tell_compiling,
        )
    except KeyboardInterrupt:
        waiting.say("interrupted; nothing is kept")
        raise
    finally:
        waiting.close()
    about = {"arms": known.n_arms, "duels": duels, "error": risk, "matrices": n_matrices, "seed": number}
    if as_json:
        say(_document(found, known, chance, {**about, "known": _known_in_words(known, wins)}), end="")
        return
    for line in _lines(found, known, chance, risk, f"{_known_in_words(known, wins)}; {n_matrices} matrices"):
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
        n = known.wins.sum()
        return f"{n:.0f} {'duel' if n == 1 else 'duels'} of {wins} {'is' if n == 1 else 'are'} known"
    if known.gap is not None:
        return f"the winner's smallest gap is {known.gap:g}"
    return f"gaps are {known.gaps}" if known.gaps is not None else "gaps are like those of people"


def _lines(found: "Advice", known: "Known", chance: float, error: float, how: str) -> list[str]:
    """All that is printed."""
    from duelbench.live.advice import favourites_in_words, in_words

    duels = f"{found.duels} duel{'' if found.duels == 1 else 's'}"
    lines = [f"{known.n_arms} arms, {duels}; {how}"]
    if known.wins is not None:
        lines.append(favourites_in_words(found.favourites, known.n_arms, known.names))
    lines += _table(found)
    if known.wins is not None:
        lines.append(
            f"told of the table, as a session would: {', '.join(found.told) or 'none'}; the others begin without"
        )
    return [*lines, "", *in_words(found, chance, error, known.names)]


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


def _document(found: "Advice", known: "Known", chance: float, about: dict[str, Any]) -> str:
    from duelbench.algorithms.contract import NO_WINNER
    from duelbench.live.advice import in_words

    later, before = found.later, found.before
    enough = None if (at := found.first_with(chance)) is None else at.duels
    names, likeliest = known.names, found.favourites
    decided = found.decided
    document = {
        **about,
        "likeliest": likeliest and {"arms": [names[arm] for arm in likeliest.arms], "chance": likeliest.chance},
        "decided": None if decided is None else {"winner": None if decided == NO_WINNER else names[decided]},
        "told": list(found.told),
        "sentences": in_words(found, chance, about["error"], known.names),
        "advice": found.now.first,
        "as_good": list(found.now.best[1:]),
        "chance_wanted": chance,
        "duels_for_it": 0 if found.table_reaches(chance) else enough,
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
