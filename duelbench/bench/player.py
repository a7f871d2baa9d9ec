"""A process that plays what it is asked to play and says how long that took: ``python -P player.py [PLUG_IN...]``.

It plays with whichever duelbench its Python finds, which may be an older one, so it uses the front door alone. A
question is a line of JSON on standard input, and so is an answer on standard output; the first answer, unasked, says
which duelbench this is. A run that takes longer than the limit ends the process with the exit code `PAST_LIMIT`.
"""

import importlib
import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

WATCH_SECONDS = 0.2

PAST_LIMIT = 124
"""The exit code of a process in which a run took too long."""


class Player:
    """Plays rows of the benchmark, in the process where it is made.

    Parameters
    ----------
    plug_ins : sequence of str
        Files or modules with further algorithms.
    """

    def __init__(self, plug_ins: list[str]) -> None:
        self.duelbench: Any = importlib.import_module("duelbench")
        for name in plug_ins:
            self.duelbench.load_plug_in(name)
        self.problems: dict[str, Any] = {}
        self.loaded: set[tuple[str, str]] = set()
        self.deadline = math.inf

    def hello(self) -> dict[str, Any]:
        """Which duelbench this is: its folder, its algorithms and the versions of what it runs on."""
        return {
            "folder": os.path.dirname(os.path.dirname(os.path.abspath(self.duelbench.__file__))),
            "algorithms": list(self.duelbench.algorithms()),
            "duelbench": self.duelbench.__version__,
            "python": sys.version.split()[0],
            **{library: metadata.version(library) for library in ("numba", "numpy")},
        }

    def learn(self, name: str, kind: str, numbers: list[Any]) -> None:
        """Keep a problem under a name: a matrix ("duels"), or means among which the best is asked for ("samples")."""
        make = self.duelbench.PreferenceMatrix if kind == "duels" else self.duelbench.scalar_bandit
        self.problems[name] = make(numbers)

    def play(
        self, algorithm: str, problem: str, horizon: int, parameters: dict[str, Any], runs: int, limit: float
    ) -> tuple[float, int]:
        """Processor seconds and decisions of the runs 0 to ``runs`` - 1 together; compiling is left out."""
        simulate, played = self.duelbench.simulate, self.problems[problem]
        if (algorithm, problem) not in self.loaded:
            simulate(algorithm, played, horizon=1, shuffle_arms=True, **parameters)
            self.loaded.add((algorithm, problem))
        self.deadline = time.process_time() + limit * runs
        try:
            seconds, decisions = 0.0, 0
            for run in range(runs):
                start = time.process_time()
                trace = simulate(algorithm, played, horizon=horizon, run=run, shuffle_arms=True, **parameters)
                seconds += time.process_time() - start
                decisions += trace.decisions
            return seconds, decisions
        finally:
            self.deadline = math.inf

    def watch(self) -> None:
        """End the process when it is past the deadline: a run's compiled code listens to nobody.

        Not by a timer of the system, for while one is set Linux tells processor time only to the millisecond.
        """
        while time.process_time() < self.deadline:
            time.sleep(WATCH_SECONDS)
        os._exit(PAST_LIMIT)

    def yardstick(self) -> float:
        """Processor seconds that a fixed piece of plain Python takes: how fast the machine is now."""
        return min(_loop() for _ in range(3))

    def answer(self, method: str, *arguments: Any) -> dict[str, Any]:
        """What a method returns, or in one line why it cannot."""
        try:
            return {"value": getattr(self, method)(*arguments)}
        except Exception as error:
            return {"error": " ".join(f"{type(error).__name__}: {error}".split())}


def _loop() -> float:
    start = time.process_time()
    total = 0
    for i in range(100_000):
        total += i % 7
    return time.process_time() - start


def serve(make: Callable[[], Player]) -> None:
    """Answer one line of standard input after the other; what else is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    try:
        player = make()
        hello = player.hello()
    except Exception as error:
        say({"error": " ".join(f"{type(error).__name__}: {error}".split())})
        return
    say({"value": hello})
    threading.Thread(target=player.watch, daemon=True).start()
    for line in sys.stdin:
        say(player.answer(*json.loads(line)))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks
    serve(lambda: Player(sys.argv[1:]))
