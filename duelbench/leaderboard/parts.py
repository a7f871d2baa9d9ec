"""What of the leaderboard an algorithm of one's own is to play: the board's specs with this algorithm in them.

Matrices, seed, runs and checkpoints stay those of the board, so that runs of one number have one order of arms.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import yaml

from duelbench import shipped
from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.api.running import plans_of
from duelbench.errors import InputError
from duelbench.execution.estimate import measure
from duelbench.execution.plan import Plan
from duelbench.execution.progress import duration
from duelbench.leaderboard.settings import size_of
from duelbench.leaderboard.summary import Summary, as_typed
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results import atomic
from duelbench.simulation.simulate import simulate
from duelbench.spec.assumptions import lacking
from duelbench.spec.experiment_spec import Entry, ExperimentSpec, Problem
from duelbench.spec.fitting import refusal
from duelbench.spec.load import load
from duelbench.spec.naming import slug
from duelbench.system import path_from

FOLDER = "leaderboard-mine"
"""In the folder of all results: the specs that are made here, and what is played of them."""

MEASURED_SECONDS = 1.0
"""How long runs are tried on a matrix, and so on another, to tell how long all of them take."""

_OF_BOARD = "leaderboard-"
"""How the names of the board's own specs begin."""

_LONGEST_ID = 40


@dataclass(frozen=True)
class Choice:
    """What of the board is asked for.

    Parameters
    ----------
    settings : collection of str
        Ids; none for all whose matrices have what the algorithm assumes.
    horizon : int
        The longest, in rounds.
    only_small : bool
        Whether large matrices are left out; see `duelbench.leaderboard.settings.SIZES`.
    """

    settings: Collection[str] = ()
    horizon: int = 10**6
    only_small: bool = False


@dataclass(frozen=True)
class Part:
    """A spec of the board, as far as it is of one setting, with one algorithm in the place of its own.

    Parameters
    ----------
    setting : str
        The id of the setting.
    horizons : tuple of int
        The horizons of the board that its runs tell of, increasing; the last is that of the runs.
    of_board : ExperimentSpec
        The board's, with the matrices that are asked for.
    entry : Entry
        The algorithm, with its label.
    """

    setting: str
    horizons: tuple[int, ...]
    of_board: ExperimentSpec
    entry: Entry

    @cached_property
    def spec(self) -> ExperimentSpec:
        """What is to be played."""
        longest, algorithm = self.horizons[-1], self.entry.algorithm
        board = self.of_board.name.removeprefix(_OF_BOARD)
        words = [slug(algorithm.id)[:_LONGEST_ID], *([] if self.setting in board else [self.setting]), board]
        ends = (longest,) if algorithm.is_anytime(self.entry.parameters) else self.horizons
        return replace(
            self.of_board,
            name="-".join([*words, as_typed(longest)]),
            title=f"{self.entry.label}: {self.of_board.title}",
            horizon=longest,
            checkpoint_rule=tuple(t for t in self.of_board.checkpoints if t <= longest),
            entries=(replace(self.entry, horizons=ends, has_own_horizons=len(ends) > 1),),
            source=None,
        )

    @property
    def sizes(self) -> list[int]:
        """The numbers of arms, increasing."""
        return sorted({problem.matrix.n_arms for problem in self.of_board.problems})

    @property
    def words(self) -> str:
        """What messages call it."""
        few, many = self.sizes[0], self.sizes[-1]
        arms = f"{few} arms" if few == many else f"{few} to {many} arms"
        return f"{self.setting}, {arms}, to {as_typed(self.horizons[-1])} rounds"

    def shortened(self) -> "Part | None":
        """The same without its longest horizon; None where there is no other."""
        return replace(self, horizons=self.horizons[:-1]) if len(self.horizons) > 1 else None


@dataclass(frozen=True)
class NotPlayed:
    """A part that an algorithm does not play, or not to its longest horizon.

    Parameters
    ----------
    part : Part
    horizons : tuple of int
        Those at which it is missing.
    rule, why : str
        As `duelbench.leaderboard.summary.LeftOut`.
    mend : str
        How to play it all the same, if it can be.
    """

    part: Part
    horizons: tuple[int, ...]
    rule: str
    why: str
    mend: str = ""

    @property
    def words(self) -> str:
        """All of it in a line."""
        mend = f" ({self.mend})" if self.mend else ""
        return f"{self.part.entry.label} on {self.part.words}: {self.why}{mend}"


def parts_of(summary: Summary, algorithm: Algorithm, label: str, choice: Choice) -> tuple[list[Part], list[NotPlayed]]:
    """What an algorithm is to play; and what it is not, with the reason.

    Parameters
    ----------
    summary : Summary
        Of the board.
    algorithm : Algorithm
    label : str
        What the board is to call it.
    choice : Choice

    Raises
    ------
    InputError
        When a spec of the board is not here, or has other matrices than the board.
    """
    entry = Entry(algorithm, algorithm.resolve({}), label, slug(label, algorithm.id), ())
    found: list[Part] = []
    not_played: list[NotPlayed] = []
    for part in _all_parts(summary, entry, choice):
        lack = next(filter(None, (lacking(algorithm, problem.matrix) for problem in part.spec.problems)), None)
        refused = refusal(part.spec.problems, part.spec.entries[0])
        if lack is not None:
            why = f"it assumes {lack}, which these matrices do not have"
            not_played.append(NotPlayed(part, part.horizons, "assumes", why))
        elif refused is not None:
            not_played.append(NotPlayed(part, part.horizons, "refuses", refused))
        else:
            found.append(part)
    return found, not_played


def _all_parts(summary: Summary, entry: Entry, choice: Choice) -> Iterator[Part]:
    """All that is asked for, whoever can play it."""
    settings = {problem.sha256: problem.setting for problem in summary.problems}
    names = {problem.sha256: problem.name for problem in summary.problems}
    asked = choice.settings or [one["id"] for one in summary.settings]
    for (path, scale), (matrices, horizons) in _sources(summary).items():
        spec = _spec_at(path, scale)
        lost = matrices - {problem.matrix.sha256 for problem in spec.problems}
        changed = sorted(names[one] for one in lost if settings[one] in asked)
        if changed:
            raise InputError(f"{path}: {', '.join(changed)} there is not what it is on the leaderboard")
        wanted = tuple(sorted(horizon for horizon in horizons if horizon <= choice.horizon))
        for setting in asked:
            problems = tuple(
                problem
                for problem in spec.problems
                if problem.matrix.sha256 in matrices
                and settings[problem.matrix.sha256] == setting
                and not (choice.only_small and size_of(problem.matrix.n_arms) != "small")
            )
            if problems and wanted:
                yield Part(setting, wanted, replace(spec, problems=problems), entry)


def _sources(summary: Summary) -> dict[tuple[str | None, str | None], tuple[set[str], set[int]]]:
    """The specs and scales that the board's own algorithms were played from -> matrices, and horizons."""
    found: dict[tuple[str | None, str | None], tuple[set[str], set[int]]] = {}
    for cell in summary.cells:
        if summary.algorithms[cell.algorithm].id in registry.BUILT_IN:
            matrices, horizons = found.setdefault((cell.spec, cell.scale), (set(), set()))
            matrices.add(summary.problems[cell.problem].sha256)
            horizons.add(cell.horizon)
    return found


def _spec_at(path: str | None, scale: str | None) -> ExperimentSpec:
    """A spec that the board was played from."""
    if path is None:
        raise InputError("the leaderboard does not say from which spec it was played")
    file = next((place for place in (shipped.ROOT / path, Path(path)) if place.is_file()), None)
    if file is None:
        raise InputError(f"{path}: the leaderboard was played from this spec, which is not here")
    return load(file, scale)


@dataclass(frozen=True)
class Planned:
    """A part, what there is to play of it, and about how many seconds that takes on one core."""

    part: Part
    plan: Plan
    seconds: float


class Pace:
    """How long runs of an algorithm take: tried on the matrix with the fewest arms, and on that with the most.

    Parameters
    ----------
    algorithm : Algorithm
    matrices : sequence of PreferenceMatrix
        All that it may play.
    first : callable
        Is called once, before it plays anything.
    """

    def __init__(
        self, algorithm: Algorithm, matrices: Sequence[PreferenceMatrix], first: Callable[[], None] = lambda: None
    ) -> None:
        self._algorithm = algorithm
        self._first = first
        self._ends = [choose(matrices, key=lambda matrix: matrix.n_arms) for choose in (min, max)]
        self._measured: dict[tuple[int, int], float] = {}

    def seconds(self, n_arms: int, horizon: int) -> float:
        """A run of so many arms and rounds: by a power of the number of arms, between the two that were tried."""
        few, many = (self._of(matrix, horizon) for matrix in self._ends)
        least, most = (matrix.n_arms for matrix in self._ends)
        if least == most or not few or not many:
            return max(few, many)
        return float(few * (many / few) ** (np.log(n_arms / least) / np.log(most / least)))

    def _of(self, matrix: PreferenceMatrix, horizon: int) -> float:
        """0 where it cannot be told: the run itself will tell why."""
        if not self._measured:
            self._first()
        tried = matrix.n_arms, horizon
        if tried not in self._measured:

            def decisions(rounds: int) -> int:
                return simulate(self._algorithm, matrix, horizon=rounds, checkpoints=1).decisions

            self._measured[tried] = measure(decisions, horizon, MEASURED_SECONDS) or 0.0
        return self._measured[tried]


def planned_within(
    parts: Sequence[Part], out: Path, minutes: float, first: Callable[[], None] = lambda: None
) -> tuple[list[Planned], list[NotPlayed]]:
    """Plans of parts, each to the longest horizon at which it takes no longer than allowed; and what is left out.

    What is there already takes no time.

    Parameters
    ----------
    parts : sequence of Part
        Of one algorithm.
    out : Path
        The folder of all results.
    minutes : float
        Of one core, for each part.
    first : callable
        Is called once before anything is played, if there is anything to play.

    Returns
    -------
    list of Planned, list of NotPlayed
    """
    found: list[Planned] = []
    not_played: list[NotPlayed] = []
    if not parts:
        return found, not_played
    matrices = [problem.matrix for part in parts for problem in part.spec.problems]
    pace = Pace(
        parts[0].entry.algorithm, [matrix for matrix in matrices if isinstance(matrix, PreferenceMatrix)], first
    )
    for longest in parts:
        part: Part | None = longest
        while part is not None:
            planned = _planned(part, out, pace)
            if planned.seconds <= 60 * minutes:
                found.append(planned)
                break
            enough = math.ceil(planned.seconds / 60)
            why = f"it would take one core more than {minutes:g} minutes"
            mend = f"about {duration(planned.seconds)}: --minutes {enough} plays it"
            not_played.append(NotPlayed(part, part.horizons[-1:], "time", why, mend))
            part = part.shortened()
    return found, not_played


def _planned(part: Part, out: Path, pace: Pace) -> Planned:
    (plan,) = plans_of([_placed(part, out)], out / FOLDER)
    waiting = [one for one in plan.cells if one.todo]
    seconds = sum(len(one.todo) * pace.seconds(one.cell.matrix.n_arms, one.cell.identity.horizon) for one in waiting)
    return Planned(part, plan, seconds)


def file_of(part: Part, out: Path) -> Path:
    """Where the spec of a part is written, beside its results."""
    return out / FOLDER / f"{part.spec.name}.yaml"


def write_spec(part: Part, out: Path, plug_in: str) -> Path:
    """Write the spec of a part beside its results, for `status`, `verify` and the other commands.

    Parameters
    ----------
    part : Part
    out : Path
        The folder of all results.
    plug_in : str
        The file or module of the algorithm.

    Raises
    ------
    InputError
        When it cannot be written.
    """
    path = file_of(part, out)
    content = _placed(part, out).canonical()
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)
    head = f"# duelbench verify {path.parent.as_posix()} --plug-in {plug_in}\n"
    made = "# Made by `duelbench leaderboard add` from the leaderboard's spec, and made again each time.\n"
    atomic.write_asked(path, (made + head + text).encode(), f"{path}: ")
    return path


def _placed(part: Part, out: Path) -> ExperimentSpec:
    """The spec of a part as it is where it is written."""
    path = file_of(part, out)
    problems = tuple(_seen_from(problem, path.parent) for problem in part.spec.problems)
    return replace(part.spec, problems=problems, source=path)


def _seen_from(problem: Problem, folder: Path) -> Problem:
    """A problem whose matrix is a file, with its path as seen from another folder."""
    if not isinstance(problem.origin, Path) or problem.origin.as_posix() in shipped.matrices():
        return problem
    return replace(problem, origin=Path(path_from(Path(str(problem.matrix.source)).absolute(), folder.absolute())))
