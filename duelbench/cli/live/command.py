"""``duelbench live --exec``: a command decides, and standard error shows its progress and cost."""

from collections.abc import Mapping
from contextlib import closing

from duelbench.cli.bar import Bar
from duelbench.cli.live.presentation import Presentation
from duelbench.judging.arms import Arm
from duelbench.judging.judging import Judge, play, spending
from duelbench.judging.session import Session


def decide(
    session: Session,
    presentation: Presentation,
    arms: Mapping[str, Arm],
    decider: Judge,
    *,
    jobs: int,
    budget: int | None,
    max_calls: int | None,
    judge: str | None,
    stops_on_failure: bool,
) -> None:
    """Let the command ``decider`` decide duels with `play`; ``judge`` is its name in the log."""
    with closing(Bar()) as bar:

        def count() -> None:
            total = "" if budget is None else f"/{budget}"
            text = f"{session.told}{total} answers, {session.recommend()} is recommended"
            bar.show("answers", text, None if budget is None else min(session.told / budget, 1.0))

        if budget is None and max_calls is None:
            bar.say("no --budget: asking until the stopping rule has an answer")
        decider = decider._replace(asks=presentation.question, instructions=presentation.instructions)
        try:
            play(
                session,
                arms,
                decider,
                jobs=jobs,
                budget=budget,
                max_calls=max_calls,
                by=judge,
                in_both_orders=session.settings["orders"] == "both",
                stops_on_failure=stops_on_failure,
                note=bar.say,
                progress=count,
            )
        finally:
            costs = spending(session.details)
            if costs:
                bar.say(costs)
