"""``duelbench live``: asks people or a command which of two arms is better."""

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from duelbench.cli import options
from duelbench.cli.live.rank import PAGES, check_written, tell_report
from duelbench.cli.options import Columns, Ignore, Json, PlugIn, columns_of, whole
from duelbench.cli.printing import tell
from duelbench.common.words import counted
from duelbench.errors import InputError, RunsFailed

if TYPE_CHECKING:
    from duelbench.cli.live.presentation import Presentation
    from duelbench.data.votes import Votes
    from duelbench.judging.arms import Arm
    from duelbench.judging.session import Session

SECONDS = 300.0
"""The default time limit of a command."""


def live(
    arms: Annotated[
        Path | None,
        typer.Argument(
            metavar="ARMS",
            help="What to compare: a .txt with one arm per line, a .csv or .yaml with names and texts or"
            " paths, a .csv or .jsonl with arm, input and output, or a folder with one file per arm. Or a log, to see"
            " the results so far.",
            show_default=False,
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Log of the answers. Default: beside ARMS, such as dishes.jsonl for dishes.txt.",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The algorithm that chooses pairs; see `duelbench list algorithms`.",
            show_default="self-sparring with --budget, else d-ts-plus",
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A parameter of the algorithm, or its horizon; repeat for more."),
    ] = None,
    seed: Annotated[int | None, options.seed("Seed; with the answers it determines the questions.", "0")] = None,
    rule: Annotated[
        Literal["e-condorcet", "e-bets", "own", "pairs"] | None,
        typer.Option(
            help="When to stop: once one arm is sure to beat all others (e-bets mostly needs a third fewer duels;"
            " own is the algorithm's own test), or with pairs, which arm beats most others.",
            show_default="own if the algorithm has a test, else e-bets; e-condorcet with --warm",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(help="Maximum error probability of the answer, between 0 and 1.", show_default="0.05"),
    ] = None,
    ties: Annotated[
        Literal["half", "drop"] | None,
        typer.Option(help="Count a tie as half a win for each, or drop it and ask again.", show_default="half"),
    ] = None,
    orders: Annotated[
        Literal["random", "both", "first"] | None,
        typer.Option(
            help="random: show a pair in both orders in turn, the first drawn at random; both: ask a command in both"
            " orders each time; first: show the arms in the order of ARMS.",
            show_default="random",
        ),
    ] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Never ask about this pair of arms; repeat for more."),
    ] = None,
    warm: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Earlier duels, in a file that `duelbench matrix import` reads, such as the log of another session;"
            " repeat for more.",
        ),
    ] = None,
    columns: Columns = None,
    ignore: Ignore = None,
    budget: Annotated[
        int | None,
        typer.Option(parser=whole(1, 10**9), metavar="N", help="Stop after N answers in all, earlier ones included."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the judge, stored with each answer.")
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The question that judges read.", show_default="Which is better?"),
    ] = None,
    instructions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A text on how to judge, for people and programs.")
    ] = None,
    names: Annotated[
        bool, typer.Option("--names", help="Show people the names of arms that have a text or a file, too.")
    ] = False,
    keep_texts: Annotated[
        bool, typer.Option("--keep-texts", help="Store all texts in the log, not only their digests.")
    ] = False,
    command: Annotated[
        str | None,
        typer.Option(
            "--exec",
            metavar="CMD",
            help="Let a command judge: it gets two names, and JSON with the texts on standard input, and"
            " prints one of the names, 1, 2 or tie. `duelbench new judge` writes one.",
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
        typer.Option(metavar="SECONDS", help="Time limit of a command.", show_default=f"{SECONDS:g}"),
    ] = None,
    max_calls: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 10**9), metavar="N", help="Call the command N times at most, retries and orders included."
        ),
    ] = None,
    on_failure: Annotated[
        Literal["skip", "stop"] | None,
        typer.Option(
            help="If the command does not decide a duel in three attempts: set the duel aside, or end the session.",
            show_default="skip",
        ),
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="Ask on a page in your browser, on this machine only.")] = False,
    once: Annotated[
        bool,
        typer.Option("--once", help="Ask each pair once at most, as a tournament: for judges who always answer alike."),
    ] = False,
    correct: Annotated[
        str | None,
        typer.Option(metavar="N=WINNER", help="Replace answer N of a log, counted from 1; the winner may be tie."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="When the session ends, write its report, as `duelbench rank` does."),
    ] = None,
    json: Json = False,
    plug_in: PlugIn = None,
) -> None:
    """Find the best of several options by asking which of two is better.

    \b
    Examples:
      duelbench live dishes.txt
      duelbench live outputs.csv --exec "python3 judge.py" -j 4 --budget 200
      duelbench live dishes.jsonl

    Each answer is in the log before the next question, so Ctrl-C or a crash loses nothing; the same command resumes. At
    the end you see the results so far. docs/live.md is the guide.
    """
    from duelbench.bandits.algorithms import registry
    from duelbench.cli.live.opening import log_beside, opened
    from duelbench.cli.live.presentation import presentation_of
    from duelbench.data.session_log import is_log
    from duelbench.judging.arms import judge_named
    from duelbench.judging.outputs import arms_of

    for name in plug_in or []:
        registry.load_plug_in(name)
    if arms is None:
        raise InputError("name the ARMS to compare, a file or a folder; or a log, to see its results")
    if command is not None and web:
        raise InputError("--exec and --web exclude each other: either a command decides, or people on a page")
    settings: dict[str, Any] = {"algorithm": algorithm, "param": param, "seed": seed, "rule": rule, "delta": delta}
    settings |= {"ties": ties, "orders": orders, "forbid": forbid, "question": question, "names": names or None}
    settings |= {"instructions": instructions, "keep_texts": keep_texts or None}
    settings["once"] = once or None
    settings["warm"] = _earlier_duels(warm, columns, ignore)
    common: dict[str, Any] = {"budget": budget, "judge": None if judge is None else judge_named(judge, "--judge")}
    if html is not None:
        check_written("--html", html, PAGES, [arms, *([log] if log else [])])
    if is_log(arms):
        if web or command is not None or any(value is not None for value in {**settings, **common}.values()):
            raise InputError(f"{arms}: is a log; to continue its session, name the ARMS, and --log {arms}")
        if correct is not None:
            _correct(arms, correct)
        _say_status(arms, json, html)
        return
    if correct is not None:
        raise InputError(f"--correct {correct}: name the log, such as dishes.jsonl, and not the ARMS")
    for_command = {"jobs": jobs, "timeout": timeout, "max-calls": max_calls, "on-failure": on_failure}
    _check_for_command(command, {**for_command, "orders both": True if orders == "both" else None})
    shown_arms, path = arms_of(arms), log or log_beside(arms)
    with ExitStack() as stack:
        if command is not None:
            ask = _by_command(command, shown_arms, jobs, timeout, on_failure, max_calls=max_calls, **common)
        elif web:
            ask = stack.enter_context(_on_page(shown_arms, path, **common))
        else:
            ask = partial(_in_terminal, arms=shown_arms, **common)
        session, is_new = stack.enter_context(opened(arms, shown_arms, path, settings, budget is not None))
        presentation = presentation_of(session, settings)
        _say_start(arms, shown_arms, session, path, is_new)
        if is_new and settings["warm"] is not None:
            tell("\n".join(f"note: {note}" for note in settings["warm"].notes))
        failure = _ask(partial(ask, presentation=presentation), session, path)
        _say_end(session, path, json, budget, html)
    if failure:
        raise failure


def _earlier_duels(warm: Sequence[Path] | None, columns: str | None, ignore: Sequence[str] | None) -> "Votes | None":
    from duelbench.data.votes import read_votes

    if warm:
        return read_votes(warm, columns=columns_of(columns), ignore=ignore or ())
    for option, value in (("columns", columns), ("ignore", ignore and ignore[0])):
        if value:
            raise InputError(f"--{option} {value}: is for a table of earlier duels; add --warm FILE, or leave it out")
    return None


def _check_for_command(command: str | None, options: Mapping[str, Any]) -> None:
    """Refuse options of a command if none is given, and a wrong time limit."""
    for option, value in options.items():
        if value is not None and command is None:
            raise InputError(f"--{option}: is for --exec CMD only; add that, or leave it out")
    timeout = options["timeout"]
    if timeout is not None and not 0 < timeout < float("inf"):
        raise InputError(f"--timeout {timeout:g}: must be a number of seconds above 0")


def _by_command(
    command: str, arms: Sequence["Arm"], jobs: int | None, timeout: float | None, on_failure: str | None, **common: Any
) -> Callable[..., None]:
    from duelbench.cli.live.command import decide
    from duelbench.judging.judging import judge_of

    decider = judge_of(command, arms, timeout or SECONDS)
    common |= {"jobs": jobs or 1, "stops_on_failure": on_failure == "stop"}
    return partial(decide, arms=_by_name(arms), decider=decider, **common)


@contextmanager
def _on_page(arms: Sequence["Arm"], log: Path, **options: Any) -> Iterator[Callable[..., None]]:
    from duelbench.cli.live.web import prepared, serve

    with prepared(arms, log) as page:
        yield partial(serve, page=page, log=log, **options)


def _in_terminal(session: "Session", presentation: "Presentation", arms: Sequence["Arm"], **options: Any) -> None:
    from duelbench.cli.live.terminal import Terminal

    Terminal(session, _by_name(arms), presentation=presentation, **options).run()


def _by_name(arms: Sequence["Arm"]) -> dict[str, "Arm"]:
    return {arm.name: arm for arm in arms}


def _ask(ask: Callable[["Session"], None], session: "Session", log: Path) -> RunsFailed | None:
    """Ask until the session ends; return the failure of the judging command, if any."""
    try:
        with _interrupted_by_signals():
            ask(session)
    except KeyboardInterrupt:
        tell(f"\ninterrupted; {_answers(session)} in {log}; run the same command to resume")
        raise
    except RunsFailed as error:
        return error
    return None


def _say_start(path: Path, arms: Sequence["Arm"], session: "Session", log: Path, is_new: bool) -> None:
    from duelbench.judging.arms import remarks
    from duelbench.judging.outputs import remarks_on_outputs

    if is_new:
        tell(f"{len(session.arms)} arms; answers are saved in {log}; run the same command to resume")
    else:
        tell(f"{log}: resumed, {_answers(session)} so far")
    for note in [*remarks(path), *remarks_on_outputs(arms), *session.notes]:
        tell(note)


def _say_end(session: "Session", log: Path, json: bool, budget: int | None, html: Path | None) -> None:
    from duelbench.cli.live.knowledge import say_known

    say_known(session, json)
    n_automatic = session.told - sum(session.judges.values())
    if n_automatic:
        tell(f"{counted(n_automatic, 'duel')} of two equal outputs counted as ties, without a judge")
    tell_report(session, log, html)
    hint = ""
    if not session.done:
        is_spent = budget is not None and session.told >= budget
        hint = "; to continue, raise --budget or leave it out" if is_spent else "; run the same command to resume"
    tell(f"{_answers(session)} in {log}{hint}")


def _correct(log: Path, text: str) -> None:
    """Replace an answer of a log by ``--correct``, the number of the answer and its winner."""
    from duelbench.judging.judging import TIE
    from duelbench.judging.session import Session

    number, sign, winner = text.partition("=")
    if not sign or not number.strip().isdecimal():
        raise InputError(f"--correct {text}: write the number of an answer and its winner, as in --correct 12=tea")
    with Session.open(log) as session:
        try:
            session.correct(int(number), None if winner.strip() == TIE else winner.strip())
        except InputError as error:
            raise InputError(f"--correct {text}: {error}") from None
    tell(f"answer {int(number)} is now {winner.strip()}")


def _say_status(log: Path, json: bool, html: Path | None) -> None:
    """Print the results of a log, which another process may have open."""
    from duelbench.cli.live.knowledge import say_known
    from duelbench.judging.session import Session

    with Session.open(log, read_only=True) as session:
        for note in session.notes:
            tell(note)
        say_known(session, json, most_arms=None)
        tell_report(session, log, html)


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP, which ends a closed terminal, like Ctrl-C."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    kinds = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    unhandled = [kind for kind in kinds if signal.getsignal(kind) is signal.SIG_DFL]
    handlers = {kind: signal.signal(kind, interrupt) for kind in unhandled}
    try:
        yield
    finally:
        for kind, handler in handlers.items():
            signal.signal(kind, handler)


def _answers(session: "Session") -> str:
    return counted(session.told, "answer")
