"""``duelbench advise``: which algorithm to take for so many duels, and what to expect of it."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli import options
from duelbench.cli.options import Json, PlugIn, whole
from duelbench.cli.printing import columns, counted
from duelbench.cli.streams import say, say_json
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.live.advice import Advice
    from duelbench.live.advising import Known

MATRICES, FEWEST_MATRICES = 1000, 200
"""That are drawn; the fewer the larger the budget, which takes long."""

DUELS_IN_ALL = 4_000_000
"""Matrices times budget up to which there are as many matrices as usual."""

GAPS = ("small", "middling", "large")


def hint(n_arms: int, budget: int | None, warm: Path | None) -> str | None:
    """Name the command that says which algorithm suits a session; None where it has no advice to give.

    Examples
    --------
    >>> hint(8, 200, None)
    'which algorithm suits 200 answers: duelbench advise --arms 8 --duels 200'
    """
    if budget is None:
        return None
    from duelbench.live.advising import MOST_ARMS, MOST_ARMS_OF_WINS, MOST_DUELS

    if budget > MOST_DUELS or n_arms > (MOST_ARMS if warm is None else MOST_ARMS_OF_WINS):
        return None
    known = ["--arms", str(n_arms)] if warm is None else ["--wins", str(warm)]
    return (
        f"which algorithm suits {counted(budget, 'answer')}: {join(['duelbench', 'advise', *known])} --duels {budget}"
    )


def advise(
    duels: Annotated[
        int,
        typer.Option("--duels", parser=whole(1, unit="duels"), metavar="N", help="Number of duels that can be judged."),
    ],
    arms: Annotated[int | None, typer.Option(parser=whole(2, 10**6), metavar="K", help="Number of arms.")] = None,
    gap: Annotated[
        str | None,
        typer.Option(
            metavar="P",
            help="How clearly the best beats the next: 0.1 if it wins 60 of 100 duels. Or how far apart the"
            " arms are: small, middling or large.",
            show_default="like those of people",
        ),
    ] = None,
    wins: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Duels that were judged already, in a file that `duelbench matrix import` reads."
        ),
    ] = None,
    error: Annotated[
        str, typer.Option(metavar="P", help="Maximum error probability of an answer before the budget is spent.")
    ] = "0.05",
    wanted: Annotated[
        str, typer.Option("--chance", metavar="P", help="The chance that you want of naming a winner.")
    ] = "0.8",
    algorithms: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Ids, separated by commas: rucb,d-ts."),
    ] = None,
    plug_in: PlugIn = None,
    seed: Annotated[int, options.seed()] = 0,
    jobs: Annotated[int | None, options.jobs()] = None,
    json: Json = False,
) -> None:
    """Find the best algorithm for a number of judgements.

    \b
    Examples:
      duelbench advise --arms 8 --duels 200 --gap 0.1
      duelbench advise --duels 300 --wins games.csv --error 0.1
      duelbench advise --arms 8 --duels 200 --plug-in mine.py --algorithms mine,ws-w

    Draws matrices that fit what you know, and runs each algorithm on all of them. Only duels of two different arms
    count. docs/advise.md explains what is drawn, and how far to trust the chances.
    """
    chosen = None if algorithms is None else [id.strip() for id in algorithms.split(",") if id.strip()]
    if chosen == []:
        raise InputError(f"--algorithms {algorithms}: names none; write ids with commas: rucb,d-ts")

    from duelbench.algorithms import registry
    from duelbench.api.running import all_cores
    from duelbench.execution.progress import Waiting
    from duelbench.live import advising

    risk, chance = advising.between(0, 1, error, "--error"), advising.between(0, 1, wanted, "--chance")
    known = _known(arms, gap, wins)
    for name in plug_in or ():
        registry.load_plug_in(name)
    n_matrices = min(MATRICES, max(FEWEST_MATRICES, DUELS_IN_ALL // duels))
    with closing(Waiting()) as waiting:
        found = advising.advise(
            known,
            duels,
            algorithms=chosen,
            error=risk,
            n_matrices=n_matrices,
            seed=seed,
            jobs=jobs or all_cores(),
            tell=lambda done, total: waiting.doing(f"simulating: {done} of {total} algorithms done"),
            tell_compiling=lambda ids: waiting.say(f"compiling {', '.join(ids)} (first use, 5 to 40 s each) ..."),
        )
    what, command = _known_in_words(known, wins), _command(found, risk, wins, plug_in or ())
    if json:
        about = {"arms": known.n_arms, "duels": duels, "error": risk, "matrices": n_matrices, "seed": seed}
        say_json(_document(found, known, chance, {**about, "known": what, "command": command}))
    else:
        lines = _lines(found, known, chance, risk, f"{what}; {n_matrices} matrices")
        say("\n".join([*lines, "", f"To begin: {command}"]))


def _command(found: "Advice", error: float, wins: Path | None, plug_in: Sequence[str]) -> str:
    """The session that does what is advised."""
    from duelbench.algorithms import registry
    from duelbench.live.settings import STOP

    algorithm = registry.get(found.now.first)
    terms = [("--algorithm", algorithm.id), *(("--plug-in", name) for name in plug_in)]
    if not algorithm.is_anytime(algorithm.resolve({})):
        terms.append(("--param", f"horizon={found.duels}"))
    if error != STOP["delta"]:
        terms.append(("--delta", f"{error:g}"))
    terms += [] if wins is None else [("--warm", str(wins))]
    return join(["duelbench", "live", "ARMS", *(word for term in terms for word in term), "--budget", str(found.duels)])


def _known(arms: int | None, gap: str | None, wins: Path | None) -> "Known":
    """What is known, by options that do not contradict each other."""
    from duelbench.live.advising import Known, between, known_from

    if wins is not None:
        for option, value in (("arms", arms), ("gap", gap)):
            if value is not None:
                raise InputError(f"--{option}: the table of --wins says that already; leave one of them out")
        return known_from(wins)
    if arms is None:
        raise InputError("how many arms are there? Say --arms K, or name a table of duels with --wins FILE")
    if gap is None or gap in GAPS:
        return Known(arms, gaps=gap)
    return Known(arms, between(0, 0.5, gap, "--gap"))


def _known_in_words(known: "Known", wins: Path | None) -> str:
    if known.wins is not None:
        n = round(known.wins.sum())
        return f"{counted(n, 'duel')} of {wins} {'is' if n == 1 else 'are'} known"
    if known.gap is not None:
        return f"the winner's smallest gap is {known.gap:g}"
    return f"gaps are {known.gaps or 'like those of people'}"


def _lines(found: "Advice", known: "Known", chance: float, error: float, how: str) -> list[str]:
    """All that is printed; algorithms that may be the best are marked."""
    from duelbench.live.advice import favourites_in_words, in_words

    rows = [["algorithm", "chance", "95% interval", "regret", "lost by", "answered"]]
    for id, line in found.now.lines.items():
        interval = f"[{100 * line.low:.1f}, {100 * line.high:.1f}]"
        shares = [f"{100 * share:.1f}%" for share in (line.regret, line.lost, line.answered)]
        rows.append([f"{id} *" if id in found.now.best else id, f"{100 * line.chance:.1f}%", interval, *shares])
    lines = [f"{known.n_arms} arms, {counted(found.duels, 'duel')}; {how}"]
    if known.wins is not None:
        lines.append(favourites_in_words(found.favourites, known.n_arms, known.names))
    lines += [
        *columns(rows, right=range(1, 6)),
        "*: none was shown to be better. chance: of naming a Copeland winner; the intervals of all hold at once.",
        "regret: how many fewer of the others the named arm beats. lost by: how far beyond 50% a winner beats it.",
        "answered: how often a session has its answer, wrong as often as --error at most, before the budget is spent.",
    ]
    if known.wins is not None:
        lines.append(f"warm-started, as in a session: {', '.join(found.warm_started) or 'none'}; the others start cold")
    return [*lines, "", *in_words(found, chance, error, known.names)]


def _document(found: "Advice", known: "Known", chance: float, about: dict[str, Any]) -> dict[str, Any]:
    from duelbench.algorithms.contract import NO_WINNER
    from duelbench.live.advice import in_words

    names, likeliest, decided = known.names, found.favourites, found.decided
    enough = 0 if found.table_reaches(chance) else (at := found.first_with(chance)) and at.duels
    return {
        **about,
        "likeliest": likeliest and {"arms": [names[arm] for arm in likeliest.arms], "chance": likeliest.chance},
        "decided": None if decided is None else {"winner": None if decided == NO_WINNER else names[decided]},
        "told": list(found.warm_started),
        "sentences": in_words(found, chance, about["error"], names),
        "advice": found.now.first,
        "as_good": list(found.now.best[1:]),
        "chance_wanted": chance,
        "duels_for_it": enough,
        "changes_above": (one := found.later) and {"duels": one.duels, "advice": one.first},
        "changes_below": (one := found.before) and {"duels": one.duels, "advice": one.first},
        "budgets": [
            {
                "duels": one.duels,
                "best": list(one.best),
                "algorithms": [{"algorithm": id, **asdict(line)} for id, line in one.lines.items()],
            }
            for one in found.budgets
        ],
    }
