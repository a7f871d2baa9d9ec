"""The parts of the leaderboard to run for an algorithm of your own: the board's specs with this algorithm in them.

Matrices, seed, runs and checkpoints stay those of the board, so that runs with the same index have one order of arms.
"""

import math
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path

import yaml

from duelbench import shipped
from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.api.running import plans_of
from duelbench.errors import InputError
from duelbench.execution.estimate import measure
from duelbench.execution.plan import Plan
from duelbench.execution.progress import duration
from duelbench.leaderboard.rules import size_of
from duelbench.leaderboard.summary import Summary, as_typed
from duelbench.plugins.trial import simulate
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results import atomic
from duelbench.spec.assumptions import lacking
from duelbench.spec.experiment_spec import Entry, ExperimentSpec, Problem
from duelbench.spec.fitting import refusal
from duelbench.spec.load import load
from duelbench.spec.naming import slug

FOLDER = "leaderboard-mine"
"""In the folder of all results: the specs that are made here, and their results."""

MEASURED_SECONDS = 1.0
"""How long runs are tried on the smallest matrix, and on the largest, to estimate how long all of them take."""

_OF_BOARD = "leaderboard-"
"""How the names of the board's own specs begin."""

_LONGEST_ID = 40


@dataclass(frozen=True)
class Part:
    """The matrices of one setting in a spec of the board, with one algorithm instead of the board's."""

    setting: str
    horizons: tuple[int, ...]  # of the board, at which its runs are read, increasing; the last is that of the runs
    of_board: ExperimentSpec
    entry: Entry

    @cached_property
    def spec(self) -> ExperimentSpec:
        """The spec to run."""
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
    def matrices(self) -> list[PreferenceMatrix]:
        """The matrices of its problems."""
        return [one.matrix for one in self.of_board.problems if isinstance(one.matrix, PreferenceMatrix)]

    @property
    def sizes(self) -> list[int]:
        """The numbers of arms, increasing."""
        return sorted({matrix.n_arms for matrix in self.matrices})

    @property
    def words(self) -> str:
        """What messages call it."""
        few, many = self.sizes[0], self.sizes[-1]
        arms = f"{few} arms" if few == many else f"{few} to {many} arms"
        return f"{self.setting}, {arms}, to {as_typed(self.horizons[-1])} rounds"


@dataclass(frozen=True)
class NotPlayed:
    """A part that an algorithm does not play at some horizons."""

    part: Part
    horizons: tuple[int, ...]
    rule: str  # as in `LeftOut`, as is `why`
    why: str
    hint: str = ""  # how to run it nevertheless, if possible

    @property
    def words(self) -> str:
        """All of it in a line."""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.part.entry.label} on {self.part.words}: {self.why}{hint}"


def _playable(
    summary: Summary, entry: Entry, settings: Sequence[str], horizon: int, only_small: bool
) -> tuple[list[Part], list[NotPlayed]]:
    """The parts that an algorithm can play; and those that it cannot, with the reason."""
    found: list[Part] = []
    not_played: list[NotPlayed] = []
    for setting, horizons, spec in _specs_of(summary, settings):
        problems = [one for one in spec.problems if not only_small or size_of(one.matrix.n_arms) == "small"]
        wanted = tuple(sorted(one for one in horizons if one <= horizon))
        if not problems or not wanted:
            continue
        part = Part(setting, wanted, replace(spec, problems=tuple(problems)), entry)
        lack = next(filter(None, (lacking(entry.algorithm, matrix) for matrix in part.matrices)), None)
        refused = refusal(part.spec.problems, part.spec.entries[0])
        if lack is not None:
            why = f"it assumes {lack}, which these matrices do not have"
            not_played.append(NotPlayed(part, wanted, "assumes", why))
        elif refused is not None:
            not_played.append(NotPlayed(part, wanted, "refuses", refused))
        else:
            found.append(part)
    return found, not_played


def _specs_of(summary: Summary, settings: Sequence[str]) -> Iterator[tuple[str, set[int], ExperimentSpec]]:
    """The specs of the board by their settings, with the horizons that the board has of each."""
    sources: dict[tuple[str | None, str | None], tuple[set[str], set[int]]] = {}
    for cell in summary.cells:
        if summary.algorithms[cell.algorithm].id in registry.BUILT_IN:
            matrices, horizons = sources.setdefault((cell.spec, cell.scale), (set(), set()))
            matrices.add(summary.problems[cell.problem].sha256)
            horizons.add(cell.horizon)
    problem_of = {problem.sha256: problem for problem in summary.problems}
    for (path, scale), (matrices, horizons) in sources.items():
        spec = _spec_at(path, scale)
        lost = [problem_of[one] for one in matrices - {problem.matrix.sha256 for problem in spec.problems}]
        changed = sorted(problem.name for problem in lost if problem.setting in settings)
        if changed:
            raise InputError(f"{path}: {', '.join(changed)} there is not what it is on the leaderboard")
        there = [problem for problem in spec.problems if problem.matrix.sha256 in matrices]
        for setting in settings:
            problems = tuple(one for one in there if problem_of[one.matrix.sha256].setting == setting)
            yield setting, horizons, replace(spec, problems=problems)


def _spec_at(path: str | None, scale: str | None) -> ExperimentSpec:
    """A spec that the board was run from."""
    if path is None:
        raise InputError("the leaderboard does not say which spec it was run from")
    file = next((place for place in (shipped.ROOT / path, Path(path)) if place.is_file()), None)
    if file is None:
        raise InputError(f"{path}: the leaderboard was run from this spec, which is not here")
    return load(file, scale)


@dataclass(frozen=True)
class Planned:
    """A part, its plan, and about how many seconds that takes on one core."""

    part: Part
    plan: Plan
    seconds: float


def pace(
    algorithm: Algorithm, matrices: Sequence[PreferenceMatrix], first: Callable[[], None] = lambda: None
) -> Callable[[int, int], float]:
    """Return a function of arms and rounds: the seconds of a run, tried on the smallest matrix and on the largest.

    Between them it is a power of the number of arms; 0 where it is not known, as the run itself will say why.
    ``first`` is called once, before any run.
    """
    ends = [choose(matrices, key=lambda matrix: matrix.n_arms) for choose in (min, max)]
    least, most = (matrix.n_arms for matrix in ends)
    once = cache(first)

    @cache
    def tried(end: int, horizon: int) -> float:
        once()

        def decisions(rounds: int) -> int:
            return simulate(algorithm, ends[end], horizon=rounds, checkpoints=1).decisions

        return measure(decisions, horizon, MEASURED_SECONDS) or 0.0

    def seconds(n_arms: int, horizon: int) -> float:
        few = tried(0, horizon)
        many = few if least == most else tried(1, horizon)
        if few == many or not few or not many:
            return max(few, many)
        return float(few * (many / few) ** (math.log(n_arms / least) / math.log(most / least)))

    return seconds


def planned(
    summary: Summary,
    algorithm: Algorithm,
    label: str,
    out: Path,
    minutes: float,
    *,
    settings: Collection[str] = (),
    horizon: int = 10**6,
    only_small: bool = False,
    first: Callable[[Algorithm], None] = lambda _: None,
) -> tuple[list[Planned], list[NotPlayed]]:
    """The parts to run for an algorithm, and those left out, with the reason; nothing is written.

    Each part is run to the longest horizon at which it takes no longer than allowed. Existing runs take
    no time.

    Parameters
    ----------
    label : str
        What the board is to call it.
    out : Path
        The folder of all results.
    minutes : float
        Of one core, for each part.
    settings : collection of str
        Their ids; none for all.
    horizon : int
        The longest, in rounds.
    only_small : bool
        Whether large matrices are left out; see `duelbench.leaderboard.summary.SIZES`.
    first : callable
        Called with the algorithm before its first run.

    Raises
    ------
    InputError
        When a spec of the board is not here, or has other matrices than the board.
    """
    entry = Entry(algorithm, algorithm.resolve({}), label, slug(label, algorithm.id), ())
    asked = list(settings) or [one.id for one in summary.settings]
    parts, not_played = _playable(summary, entry, asked, horizon, only_small)
    if not parts:
        return [], not_played
    found: list[Planned] = []
    seconds_of = pace(algorithm, [matrix for part in parts for matrix in part.matrices], partial(first, algorithm))
    for longest in parts:
        for n_horizons in range(len(longest.horizons), 0, -1):
            part = replace(longest, horizons=longest.horizons[:n_horizons])
            (plan,) = plans_of([_placed(part, out)], out / FOLDER)
            seconds = sum(
                len(one.todo) * seconds_of(one.cell.matrix.n_arms, one.cell.identity.horizon)
                for one in plan.cells
                if one.todo
            )
            if seconds <= 60 * minutes:
                found.append(Planned(part, plan, seconds))
                break
            why = f"it would take one core more than {minutes:g} minutes"
            hint = f"about {duration(seconds)}: allow {math.ceil(seconds / 60)} minutes to run it"
            not_played.append(NotPlayed(part, part.horizons[-1:], "time", why, hint))
    return found, not_played


def file_of(part: Part, out: Path) -> Path:
    """Where the spec of a part is written, beside its results."""
    return out / FOLDER / f"{part.spec.name}.yaml"


def write_spec(part: Part, out: Path, plug_in: str) -> None:
    """Write the spec of a part beside its results, for `status`, `verify` and the other commands."""
    path = file_of(part, out)
    content = _placed(part, out).canonical()
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)
    head = f"# duelbench verify {path.with_suffix('').as_posix()} --plug-in {plug_in}\n"
    made = "# Made by `duelbench leaderboard add` from the leaderboard's spec, and made again each time.\n"
    atomic.write_asked(path, (made + head + text).encode(), f"{path}: ")


def _placed(part: Part, out: Path) -> ExperimentSpec:
    """The spec of a part as it is where it is written."""
    path = file_of(part, out)
    problems = tuple(_seen_from(problem, path.parent) for problem in part.spec.problems)
    return replace(part.spec, problems=problems, source=path)


def _seen_from(problem: Problem, folder: Path) -> Problem:
    """A problem whose matrix is a file, with its path as seen from another folder."""
    if not isinstance(problem.origin, Path) or problem.origin.as_posix() in shipped.matrices():
        return problem
    return replace(
        problem, origin=Path(os.path.relpath(Path(str(problem.matrix.source)).absolute(), folder.absolute()))
    )
