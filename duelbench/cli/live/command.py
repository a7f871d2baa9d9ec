"""``duelbench live --exec``: a command decides, and standard error says how far it is."""

import sys
import time
from collections.abc import Mapping

from duelbench.live.arms import Arm
from duelbench.live.judging import Judge, play
from duelbench.live.session import Session

SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
"""Between two lines, where there is no terminal; there is one for each tenth of the budget, too."""


def decide(
    session: Session, arms: Mapping[str, Arm], decider: Judge, *, jobs: int, budget: int | None, judge: str | None
) -> None:
    """Let a command decide duels; ``judge`` is what the log calls it.

    Raises
    ------
    RunsFailed
        When it did not decide a duel.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    is_shown = console.is_terminal and not console.is_dumb_terminal
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    said_at = time.monotonic()

    def say(message: str) -> None:
        if is_shown:
            console.print(message, markup=False, soft_wrap=True)
        else:
            print(message, file=sys.stderr, flush=True)

    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True, disable=not is_shown
    ) as progress:
        if is_shown:
            console.show_cursor(True)  # so that a process that is killed leaves the terminal as it was
        task = progress.add_task("", total=budget, completed=session.told)

        def count() -> None:
            nonlocal said_at
            doing = f"answers, {session.recommend()} is recommended"
            progress.update(task, completed=session.told, description=doing)
            is_tenth = budget is not None and 10 * session.told // budget > 10 * (session.told - 1) // budget
            if not is_shown and time.monotonic() - said_at > (SHORTEST_SECONDS if is_tenth else LONGEST_SECONDS):
                said_at = time.monotonic()
                say(f"{session.told}{'' if budget is None else f'/{budget}'} {doing}")

        if budget is None:
            say("no --budget: goes on until the rule has its answer")
        play(session, arms, decider, jobs=jobs, budget=budget, by=judge, note=say, progress=count)
