"""``duelbench live``: which of two is better, asked of people or of a command."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import PlugIn, rounds, whole
from duelbench.errors import InputError

QUESTION = "Which is better?"

SECONDS, RETRIES = 300.0, 2
"""That a command has for an answer, and how often it is tried again."""


class Ties(StrEnum):
    """What ``--ties`` offers."""

    half = "half"
    drop = "drop"


class Rule(StrEnum):
    """What ``--rule`` offers."""

    e_condorcet = "e-condorcet"
    e_bets = "e-bets"
    pairs = "pairs"


def live(
    arms: Annotated[
        Path | None,
        typer.Argument(
            metavar="ARMS",
            help="What to compare: .txt with one arm a line; .csv or .yaml with names and texts or paths; or a folder"
            " with a file for each.",
            show_default=False,
            autocompletion=candidates.arms,
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where the answers are kept. By default beside ARMS: dishes.jsonl for dishes.txt.",
            autocompletion=candidates.logs,
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Which algorithm asks; `duelbench list algorithms` lists them.",
            autocompletion=candidates.algorithms,
            show_default="d-ts-plus",
        ),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A parameter of the algorithm; repeat for more.")
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(parser=rounds, metavar="ROUNDS", help="For algorithms that must know it.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0), metavar="N", help="With the answers, it determines the questions.", show_default="0"
        ),
    ] = None,
    rule: Annotated[
        Rule | None,
        typer.Option(
            help="When it is decided: once it is sure which arm beats all others (e-bets mostly is so sooner), or, with"
            " pairs, which beats most.",
            show_default="e-condorcet",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(help="How likely the answer may be wrong, between 0 and 1.", show_default="0.05"),
    ] = None,
    ties: Annotated[
        Ties | None,
        typer.Option(help="A tie is half a win for each, or it is dropped and asked again.", show_default="half"),
    ] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Never ask about this pair; repeat for more."),
    ] = None,
    warm: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Duels from before, in a file that `duelbench matrix import` reads.",
            autocompletion=candidates.matrices,
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(parser=whole(1, 10**9), metavar="N", help="Ask until there are N answers in all."),
    ] = None,
    judge: Annotated[str | None, typer.Option(metavar="NAME", help="Who answers; it is kept with each answer.")] = None,
    question: Annotated[str, typer.Option(metavar="TEXT", help="What people are asked.")] = QUESTION,
    command: Annotated[
        str | None,
        typer.Option(
            "--exec",
            metavar="CMD",
            help="Let a command decide: it gets two names and prints one of them, 1, 2 or tie. It reads JSON with the"
            " texts from standard input.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", parser=whole(1, 1000), metavar="N", help="Commands at the same time.", show_default="1"
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="After which a command is ended.", show_default=f"{SECONDS:g}"),
    ] = None,
    retries: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, 1000),
            metavar="N",
            help="How often a command that failed is tried again before all ends.",
            show_default=str(RETRIES),
        ),
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="Ask on a page in the browsers of this machine.")] = False,
    port: Annotated[
        int | None, typer.Option(parser=whole(1, 65535), metavar="N", help="Of the page.", show_default="a free one")
    ] = None,
    opens: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    status: Annotated[
        Path | None,
        typer.Option(
            metavar="LOG", help="Say what is known by a log, and ask nothing.", autocompletion=candidates.logs
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Say what is known as one JSON document.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the first pair and what would be done; nothing is written.")
    ] = False,
    plug_in: PlugIn = None,
) -> None:
    """Ask which of two arms is better, and learn which is best.

    \b
    Examples:
      duelbench live dishes.txt
      duelbench live prompts.csv --exec "python3 judge.py" -j 4 --budget 200
      duelbench live photos/ --web --judge Anna
      duelbench live --status dishes.jsonl

    Each answer is kept in the log before the next question, so that nothing is lost by Ctrl-C or a crash; the same
    command goes on. At the end it says what is known.
    """
    for name in plug_in or []:
        from duelbench.algorithms import registry

        registry.load_plug_in(name)
    if status is not None:
        if arms is not None:
            raise InputError(f"--status {status}: takes no ARMS; leave {arms} out")
        for option, is_given in (("--web", web), ("--exec", command is not None), ("--dry-run", dry_run)):
            if is_given:
                raise InputError(f"--status {status}: asks nothing; leave {option} out")
        say_status(status, json)
        return
    if arms is None:
        raise InputError("name the ARMS to compare, a file or a folder; or a log: --status LOG")
    _check_ways(command, web, {"--jobs": jobs, "--timeout": timeout, "--retries": retries}, port, opens)
    from duelbench.cli.live.opening import Asked
    from duelbench.cli.live.ways import Way, run
    from duelbench.live.names import judge_named

    by = None if judge is None else judge_named(judge, "--judge")
    way = Way(budget, by, question, command, jobs or 1, timeout or SECONDS, _or(retries, RETRIES), web, port, opens)
    asked = Asked(arms, log, algorithm, tuple(param or ()), horizon, seed, rule, delta, ties, tuple(forbid or ()), warm)
    run(asked, way, json, dry_run)


def _check_ways(
    command: str | None, web: bool, of_command: dict[str, float | None], port: int | None, opens: bool
) -> None:
    """Refuse options that exclude each other."""
    if command is not None and web:
        raise InputError("--exec and --web exclude each other: a command decides, or people on a page")
    of_page = {"--port": port, "--open": opens or None}
    for options, way, is_chosen in ((of_command, "--exec CMD", command is not None), (of_page, "--web", web)):
        for option, value in options.items():
            if value is not None and not is_chosen:
                raise InputError(f"{option}: is for {way} only; add that, or leave it out")
    timeout = of_command["--timeout"]
    if timeout is not None and not 0 < timeout < float("inf"):
        raise InputError(f"--timeout {timeout:g}: must be a number of seconds above 0")


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def say_status(log: Path, json: bool) -> None:
    """Say what is known by a log, which somebody may have open."""
    from duelbench.cli.live.known import say_known
    from duelbench.live.session import Session

    with Session.open(log, read_only=True) as session:
        for note in session.notes:
            print(note, file=sys.stderr)
        say_known(session, json, most_arms=None)
