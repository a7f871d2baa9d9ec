"""``duelbench live --exec``: a command decides, and standard error says how far it is."""

from collections.abc import Mapping
from contextlib import closing

from duelbench.cli.bar import Bar
from duelbench.judging.arms import Arm
from duelbench.judging.judging import Judge, play
from duelbench.judging.session import Session


def decide(
    session: Session,
    arms: Mapping[str, Arm],
    decider: Judge,
    *,
    jobs: int,
    budget: int | None,
    judge: str | None,
    **how: bool,
) -> None:
    """Let a command decide duels, as `play` does with the rest; ``judge`` is what the log calls it."""
    with closing(Bar()) as bar:

        def count() -> None:
            of_all = "" if budget is None else f"/{budget}"
            text = f"{session.told}{of_all} answers, {session.recommend()} is recommended"
            bar.show("answers", text, None if budget is None else min(session.told / budget, 1.0))

        if budget is None:
            bar.say("no --budget: asking until the rule has its answer")
        play(session, arms, decider, jobs=jobs, budget=budget, by=judge, note=bar.say, progress=count, **how)
