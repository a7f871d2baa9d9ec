"""The plan of an experiment whose number of runs is decided by looking at them: what to play for the next look."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from duelbench.errors import InputError
from duelbench.execution.account import Outcome
from duelbench.execution.plan import EVERYTHING, CellPlan, Chosen, Plan, Shard, make_plan
from duelbench.results.cells import run_file
from duelbench.results.decided import in_sequence, standing
from duelbench.results.store import DamagedResult, read_run
from duelbench.spec.experiment_spec import ExperimentSpec
from duelbench.statistics.interim import Until


def plan_of(spec: ExperimentSpec, folder: Path, shard: Shard | None = None, chosen: Chosen = EVERYTHING) -> Plan:
    """What there is to do for a spec: all of it, or up to the next look; nothing is written.

    Parameters
    ----------
    spec, folder, shard, chosen
        As for `duelbench.execution.plan.make_plan`.

    Raises
    ------
    InputError
        Also for a part, where nobody knows beforehand how many runs there will be.
    """
    if not isinstance(spec.runs, Until):
        return make_plan(spec, folder, shard, chosen=chosen)
    if shard or not chosen.is_all:
        part = f"--shard {shard}" if shard else "--problem and --only"
        raise InputError(
            f"{part}: {spec.called} says until when to run and not how often; that takes a look at the runs"
            " of all parts: add --runs N to play N runs in parts; run without both when they are together"
        )
    return Looks(spec, folder).next_plan()


@dataclass
class Looks:
    """Plays an experiment from look to look.

    Parameters
    ----------
    spec : ExperimentSpec
    folder : Path
        ``results/<spec name>``.
    """

    spec: ExperimentSpec
    folder: Path
    _regret: dict[PurePosixPath, dict[int, float]] = field(default_factory=dict)

    def next_plan(self, lost: Collection[PurePosixPath] = ()) -> Plan:
        """What to play for the first look that the runs at hand do not suffice for.

        Parameters
        ----------
        lost : collection of PurePosixPath
            Folders of cells of which a run failed: nothing more of them is played, and nothing waits for them.
        """
        assert isinstance(self.spec.runs, Until)
        plan = make_plan(self.spec, self.folder)
        while True:
            cells = [cell_plan.cell for cell_plan in plan.cells]
            samples = [in_sequence(self._of(cell_plan)) for cell_plan in plan.cells]
            ended = {k for k, cell in enumerate(cells) if cell.folder in lost}
            plan.standing = standing(self.spec.runs, cells, samples, ended)
            if plan.standing.needed == tuple(cell.n_runs for cell in cells):
                break
            plan = make_plan(self.spec, self.folder, runs_of_cells=plan.standing.needed)
        for k in ended:
            plan.cells[k].todo.clear()
        return plan

    def _of(self, cell_plan: CellPlan) -> dict[int, float]:
        """The regret of the runs of a cell that are in their places."""
        cell = cell_plan.cell
        known = self._regret.setdefault(cell.folder, {})
        for run in cell_plan.kept:
            if run not in known:
                try:
                    result = read_run(self.folder / cell.folder / run_file(run), cell.identity, run)
                except DamagedResult:  # since the plan was made; the next one has it again
                    break
                known[run] = float(result.trace.regret[0, -1])
        return known


def play_until_decided(
    first: Plan, play: Callable[[Plan], Outcome], say: Callable[[str], None], fail_fast: bool = False
) -> tuple[Plan, Outcome]:
    """Play look by look, until nothing more is to be played.

    A cell of which a run failed is left as it is; the others go on without it.

    Parameters
    ----------
    first : Plan
        Of `plan_of`.
    play : callable
        Prepares and plays a plan.
    say : callable
        Is told after each look how far it is.
    fail_fast : bool
        Whether to stop at the first run that fails.

    Returns
    -------
    plan : Plan
        The last one, with all runs to do that there were.
    outcome : Outcome
        Of all runs.
    """
    looks, plan = Looks(first.spec, first.folder), first
    tried: dict[PurePosixPath, set[int]] = {}
    total = Outcome()
    while True:
        outcome = play(plan)
        for cell_plan in plan.cells:
            tried.setdefault(cell_plan.cell.folder, set()).update(cell_plan.todo)
        total.n_done += outcome.n_done
        total.n_not_tried += outcome.n_not_tried
        total.failures += outcome.failures
        ahead = looks.next_plan({failure.cell.folder for failure in total.failures})
        is_done = not any(cell_plan.todo or cell_plan.found for cell_plan in ahead.cells)
        if is_done or (fail_fast and total.failures):
            break
        assert ahead.standing is not None
        say(f"{ahead.standing.summary}; {ahead.standing.how_far}")
        plan = ahead
    for cell_plan in ahead.cells:
        cell_plan.todo = sorted(tried.get(cell_plan.cell.folder, ()))
    return ahead, total
