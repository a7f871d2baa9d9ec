"""Rows of the benchmark are measured in turns, by processes that play for one side, or for two that are compared.

In each turn a new process plays all rows, once per side, row after row: A B, B A, A B and so on. So the turns of a side
differ by all that the machine does meanwhile, and by where a process happens to have its code and its arrays.
"""

import contextlib
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duelbench.bench import player
from duelbench.bench.suite import Row
from duelbench.errors import InputError

REPETITIONS = 4
"""At most, of a row in a turn."""

MOST_RUNS = 1000
"""Runs that are played for one repetition."""

HERE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Side:
    """A duelbench: the interpreter that runs it, and the checkout it is imported from.

    Parameters
    ----------
    python : str
        The interpreter.
    checkout : Path, optional
        None where the interpreter has an installed duelbench.
    plug_ins : tuple of str
    called : str
        How messages about it begin.
    """

    python: str = sys.executable
    checkout: Path | None = HERE
    plug_ins: tuple[str, ...] = ()
    called: str = "bench"


def other_side(path: Path, plug_ins: tuple[str, ...], called: str) -> Side:
    """The side that a path names: a checkout, played by this interpreter, or another interpreter.

    Raises
    ------
    InputError
        When it is neither.
    """
    if (path / "duelbench" / "__init__.py").is_file():
        return Side(checkout=path.resolve(), plug_ins=plug_ins, called=called)
    if path.is_file() and os.access(path, os.X_OK):
        return Side(os.path.abspath(path), None, plug_ins, called)
    raise InputError(f"{called}: is neither a checkout, with duelbench/__init__.py in it, nor a Python interpreter")


class PlayerEnded(Exception):
    """The process of a player is gone: with the exit code ``code``, which is -n where signal n ended it."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class PlayerProcess:
    """A player in a process of its own; asked as `duelbench.bench.player.Player.answer` is.

    Raises
    ------
    InputError
        When no duelbench starts there.
    """

    def __init__(self, side: Side) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        if side.checkout is not None:
            environment["PYTHONPATH"] = str(side.checkout)
        command = [side.python, "-P", player.__file__, *side.plug_ins]
        try:
            self.process = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        except OSError as error:
            raise InputError(f"{side.called}: {side.python} does not start: {error.strerror}") from None
        try:
            self.hello = self._hello(side)
        except InputError:
            self.close()
            raise

    def answer(self, method: str, *arguments: Any) -> dict[str, Any]:
        """The answer; raises `PlayerEnded` where the process ends before it gives one."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps([method, *arguments]) + "\n")
            self.process.stdin.flush()
        return self._read()

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()

    def _hello(self, side: Side) -> dict[str, Any]:
        """What the player says first."""
        try:
            answer = self._read()
        except (ValueError, PlayerEnded):
            answer = {"error": f"{side.python} does not run it"}
        if "error" in answer:
            raise InputError(f"{side.called}: no duelbench starts there: {answer['error']}")
        hello: dict[str, Any] = answer["value"]
        if side.checkout is not None and not os.path.samefile(hello["folder"], side.checkout):
            raise InputError(f"{side.called}: its Python finds the duelbench in {hello['folder']} instead")
        return hello

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise PlayerEnded(self.process.wait())
        answer: dict[str, Any] = json.loads(line)
        return answer


start: Callable[[Side], Any] = PlayerProcess
"""What plays for a side."""


@dataclass
class Timing:
    """What a row took on a side.

    seconds : list of list of float. Processor seconds of each repetition, by turn.
    decisions : int. Of a repetition: of all its runs.
    missing : str. Why the row was given up; empty while it is not.
    """

    seconds: list[list[float]] = field(default_factory=list)
    decisions: int = 0
    missing: str = ""


@dataclass
class Session:
    """Rows, the sides that play them, and what was measured so far.

    ``runs[k]`` is how many runs make a repetition of row k; 0 until the first turn has found it. ``timings[s][k]`` and
    ``yardsticks[s]``, what plain Python took before each of them, belong to side s, ``hellos[s]`` says what it is.
    """

    rows: Sequence[Row]
    sides: Sequence[Side]
    turns: int
    budget: float
    limit: float

    def __post_init__(self) -> None:
        self.runs = [row.runs for row in self.rows]
        self.timings = [[Timing() for _ in self.rows] for _ in self.sides]
        self.yardsticks: list[list[float]] = [[] for _ in self.sides]
        self.hellos: list[dict[str, Any]] = [{} for _ in self.sides]

    def measure(self) -> Iterator[tuple[int, int]]:
        """Measure everything; yields (turn, row), both from 0, whenever a row has been played by all sides."""
        for turn in range(self.turns):
            players: list[Any] = []
            try:
                for side in self.sides:
                    players.append(start(side))
                self.hellos = [one.hello for one in players]
                learned: list[set[str]] = [set() for _ in self.sides]
                for k in range(len(self.rows)):
                    for s in _order(len(self.sides), turn + k):
                        try:
                            self._measure(players[s], s, k, learned[s])
                        except PlayerEnded as ended:
                            self.timings[s][k].missing = _why(ended, self.limit)
                            players[s].close()
                            players[s], learned[s] = start(self.sides[s]), set()
                    yield turn, k
            finally:
                for one in players:
                    one.close()

    def _measure(self, player: Any, s: int, k: int, learned: set[str]) -> None:
        row, timing = self.rows[k], self.timings[s][k]
        if any(timings[k].missing for timings in self.timings):
            return
        if row.algorithm not in player.hello["algorithms"]:
            timing.missing = "there is no such algorithm"
            return

        def ask(*question: Any) -> Any:
            answer = player.answer(*question)
            if "error" in answer:
                raise _Failed(answer["error"])
            return answer["value"]

        def play(runs: int) -> float:
            asked = row.algorithm, row.problem.digest, row.horizon, dict(row.parameters), runs, self.limit
            seconds, timing.decisions = ask("play", *asked)
            return float(seconds)

        try:
            self.yardsticks[s].append(ask("yardstick"))
            if row.problem.digest not in learned:
                ask("learn", row.problem.digest, row.problem.kind, row.problem.numbers())
                learned.add(row.problem.digest)
            times: list[float] = []
            if not self.runs[k]:
                first = play(1)
                each = max(first, 1e-6)
                self.runs[k] = min(max(math.ceil(self.budget / REPETITIONS / each), 1), MOST_RUNS)
                times = [first] if self.runs[k] == 1 else []
            while not times or (len(times) < REPETITIONS and sum(times) < self.budget):
                times.append(play(self.runs[k]))
            timing.seconds.append(times)
        except _Failed as failed:
            timing.missing = f"failed: {failed}"


class _Failed(Exception):
    """A run failed; the message says why."""


def _order(n_sides: int, moment: int) -> range:
    return range(n_sides) if moment % 2 == 0 else range(n_sides - 1, -1, -1)


def _why(ended: PlayerEnded, limit: float) -> str:
    if ended.code == player.PAST_LIMIT:
        return f"a run takes more than {limit:g} s (--limit)"
    return f"failed: its process ended{f' by signal {-ended.code}' if ended.code < 0 else ''}"
