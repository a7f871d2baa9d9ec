"""The ways to ask: in a terminal, on a page, or a command that decides; what is said before and after."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duelbench.cli.live.by_command import decide
from duelbench.cli.live.known import say_known
from duelbench.cli.live.opening import Asked, Opened, opened
from duelbench.cli.live.terminal import Terminal
from duelbench.cli.streams import say
from duelbench.errors import RunsFailed
from duelbench.live.arms import Arm, read_arms, remarks
from duelbench.live.judging import Judge, judge_of

if TYPE_CHECKING:
    from duelbench.cli.live.web import Page
    from duelbench.live.session import Session


class Way(NamedTuple):
    """How the pairs are asked about.

    budget : int, optional. Answers of the session after which nothing more is asked.
    judge : str, optional. Who answers.
    question : str. What people are asked.
    command : str, optional. That decides.
    jobs, timeout, retries : Of the command.
    is_page : bool. Whether to ask on a page.
    port, is_shown : Of the page, and whether to open it in a browser.
    """

    budget: int | None
    judge: str | None
    question: str
    command: str | None
    jobs: int
    timeout: float
    retries: int
    is_page: bool
    port: int | None
    is_shown: bool

    def decider(self, arms: Sequence[Arm]) -> Judge | None:
        """The command that decides, if one does."""
        return None if self.command is None else judge_of(self.command, arms, self.timeout, self.retries)

    @contextmanager
    def paged(self, arms: Sequence[Arm], log: Path, dry_run: bool) -> "Iterator[Page | None]":
        """Within it the port of the page is taken, if there is to be one."""
        if not self.is_page or dry_run:
            yield None
            return
        from duelbench.cli.live.web import page

        prepared = page(arms, log=log, port=self.port)
        with prepared.door:
            yield prepared


def run(asked: Asked, way: Way, json: bool, dry_run: bool) -> None:
    """Ask until there is nothing more to ask, or somebody quits; then say what is known.

    Raises
    ------
    InputError
        Before anything is asked.
    RunsFailed
        When a command did not decide a duel.
    """
    arms = read_arms(asked.path)
    decider = way.decider(arms)
    with way.paged(arms, asked.log_path, dry_run) as page, opened(asked, arms, is_kept=not dry_run) as found:
        if dry_run:
            _say_plan(found, way.budget, decider, json)
            return
        _say_start(found)
        failure = None
        try:
            with _interrupted_by_signals():
                _ask(found, way, decider, page)
        except KeyboardInterrupt:
            _tell(f"\ninterrupted; {_answers(found.session)} in {found.log}, the same command goes on")
            raise
        except RunsFailed as error:
            failure = error
        say_known(found.session, json)
        next_time = "" if found.session.done else "; the same command goes on"
        _tell(f"{_answers(found.session)} in {found.log}{next_time}")
        if failure:
            raise failure


def _ask(found: Opened, way: Way, decider: Judge | None, page: "Page | None") -> None:
    if decider is not None:
        decide(found, decider, way.jobs, way.budget, way.judge)
    elif page is not None:
        from duelbench.cli.live.web import serve

        serve(
            found.session,
            page,
            log=found.log,
            opens=way.is_shown,
            asked=way.question,
            judge=way.judge,
            budget=way.budget,
        )
    else:
        Terminal(found.session, found.by_name, asked=way.question, budget=way.budget, judge=way.judge).run()


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Let the end of the terminal, and whoever ends processes in order, do what Ctrl-C does."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    kinds = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {kind: signal.signal(kind, interrupt) for kind in kinds if signal.getsignal(kind) is signal.SIG_DFL}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _say_start(found: Opened) -> None:
    if found.is_new:
        _tell(f"{len(found.arms)} arms; answers are kept in {found.log}, and the same command goes on where it stopped")
    else:
        _tell(f"{found.log}: goes on, {_answers(found.session)} so far")
    for note in [*remarks(found.path), *found.session.notes]:
        _tell(note)


def _answers(session: "Session") -> str:
    return f"{session.told} answer{'s' * (session.told != 1)}"


def _say_plan(found: Opened, budget: int | None, decider: Judge | None, json: bool) -> None:
    """Say what would be asked first."""
    session = found.session
    is_spent = budget is not None and session.told >= budget
    pair = None if session.done or is_spent else session.out[0] if session.out else session.ask()
    terms = session.terms
    document = {
        "arms": len(found.arms),
        "log": str(found.log),
        "is_new": found.is_new,
        "told": session.told,
        **{key: terms[key] for key in ("algorithm", "parameters", "seed", "ties", "stop")},
        "next": None if pair is None else list(pair),
        "command": None if decider is None or pair is None else [*decider.words, *pair],
    }
    if json:
        import json as writer

        say(writer.dumps(document, indent=2, ensure_ascii=False))
        return
    stop = terms["stop"]
    nothing = f"nothing: all {budget} answers are given" if is_spent and not session.done else "nothing"
    lines = [
        f"arms     {len(found.arms)}",
        f"log      {found.log}, {'begins' if found.is_new else f'goes on after {_answers(session)}'}",
        f"asks     {terms['algorithm']}, seed {terms['seed']}",
        f"ends     when {stop['rule']} is sure, with delta {stop['delta']:g}" if stop else "ends     never",
        f"next     {nothing if pair is None else ' against '.join(pair)}",
    ]
    if document["command"]:
        import shlex

        lines.append(f"command  {shlex.join(document['command'])}")
    say("\n".join([*lines, "Nothing was asked, nothing was written."]))


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
