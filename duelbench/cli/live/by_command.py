"""``duelbench live --exec``: how far a command is with its duels."""

import time
from typing import TYPE_CHECKING

from duelbench.execution.display import Frame
from duelbench.execution.progress import Progress, Snapshot, clock
from duelbench.live.judging import Judge, play

if TYPE_CHECKING:
    from duelbench.cli.live.opening import Opened


def decide(found: "Opened", judge: Judge, jobs: int, budget: int | None, by: str | None) -> None:
    """Let a command decide duels, and say on standard error how far it is.

    Raises
    ------
    RunsFailed
        When it did not decide a duel.
    """
    session = found.session
    progress = Answers(session.told, budget)

    def count() -> None:
        progress.note(f"{session.recommend()} is recommended")

    progress.start(progress.snapshot)
    try:
        if budget is None:
            progress.say("no --budget: goes on until the rule has its answer")
        play(session, found.by_name, judge, jobs=jobs, budget=budget, by=by, note=progress.say, progress=count)
    finally:
        progress.close()


class Answers(Progress):
    """Counts answers.

    Parameters
    ----------
    before : int
        Answers that there were already.
    budget : int, optional
        How many there are to be in all.
    """

    def __init__(self, before: int, budget: int | None) -> None:
        super().__init__(budget or 0)
        self.done = self._before = before
        self._began = time.monotonic()
        self._said_tenths = self._tenths()
        self._doing = ""

    def note(self, doing: str) -> None:
        """One more answer, and what is to be said now."""
        self._doing = doing
        self.count(1)

    def snapshot(self) -> Snapshot:
        """What there is to say beside the number of answers."""
        made = self.done - self._before
        left = self.total - self.done
        elapsed = time.monotonic() - self._began
        return Snapshot(self._doing, seconds_left=elapsed / made * left if made and left > 0 else None)

    def _tenths(self) -> int:
        return 10 * self.done // self.total if self.total else 0

    def _line(self, now: float, snapshot: Snapshot) -> str:
        return "  ".join(self._facts(now, snapshot))

    def _frame(self, now: float, snapshot: Snapshot) -> Frame:
        return Frame(self.done / self.total if self.total else None, self._facts(now, snapshot))

    def _facts(self, now: float, snapshot: Snapshot) -> list[str]:
        of_all = f"/{self.total}" if self.total else ""
        doing = [snapshot.doing] if snapshot.doing else []
        return [f"{self.done}{of_all} answers", *doing, clock(now - self._start), *self._left(now, snapshot)]
