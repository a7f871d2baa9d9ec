"""Plans experiments whose number of runs is decided by interim analyses."""

from collections.abc import Callable, Collection
from pathlib import Path, PurePosixPath

from duelbench.bandits.statistics.interim import Until
from duelbench.errors import InputError
from duelbench.experiments.execution.account import Outcome
from duelbench.experiments.execution.plan import EVERYTHING, CellPlan, Chosen, Plan, Shard, make_plan
from duelbench.experiments.results.cells import run_file
from duelbench.experiments.results.decided import in_sequence, standing
from duelbench.experiments.results.store import DamagedResult, read_run
from duelbench.experiments.spec.experiment_spec import ExperimentSpec

Regret = dict[PurePosixPath, dict[int, float]]
"""Folder of a cell -> number of a run -> regret."""


def plan_of(spec: ExperimentSpec, folder: Path, shard: Shard | None = None, chosen: Chosen = EVERYTHING) -> Plan:
    """Return the plan for a spec, as `make_plan` does: for all of it, a part, or up to the next interim analysis."""
    if not isinstance(spec.runs, Until):
        return make_plan(spec, folder, shard, chosen=chosen)
    if shard or not chosen.is_all:
        part = f"shard {shard}" if shard else "a part of the problems or algorithms"
        raise InputError(
            f"{part}: the number of runs of {spec.called} depends on the results of all parts: run parts with a fixed"
            " number of runs, merge them, and then run the spec as a whole"
        )
    return _next_plan(spec, folder, {}, ())


def _next_plan(spec: ExperimentSpec, folder: Path, regret: Regret, lost: Collection[PurePosixPath]) -> Plan:
    """Return the plan for the first interim analysis that needs more runs than exist.

    ``regret`` holds the regret of runs that were read before. Cells whose folders are ``lost``, because a run failed,
    get no more runs.
    """
    assert isinstance(spec.runs, Until)
    plan = make_plan(spec, folder)
    while True:
        cells = [cell_plan.cell for cell_plan in plan.cells]
        samples = [in_sequence(_regret_of(cell_plan, folder, regret)) for cell_plan in plan.cells]
        ended = {k for k, cell in enumerate(cells) if cell.folder in lost}
        plan.standing = standing(spec.runs, cells, samples, ended)
        if plan.standing.needed == tuple(cell.n_runs for cell in cells):
            break
        plan = make_plan(spec, folder, runs_of_cells=plan.standing.needed)
    for k in ended:
        plan.cells[k].todo.clear()
    return plan


def _regret_of(cell_plan: CellPlan, folder: Path, regret: Regret) -> dict[int, float]:
    """Return the regret of the runs of a cell whose files are in their places."""
    cell = cell_plan.cell
    known = regret.setdefault(cell.folder, {})
    for run in cell_plan.kept:
        if run not in known:
            try:
                result = read_run(folder / cell.folder / run_file(run), cell.identity, run)
            except DamagedResult:  # the file was damaged after the plan was made; the next plan repeats the run
                break
            known[run] = float(result.trace.regret[0, -1])
    return known


def play_until_decided(
    first: Plan, play: Callable[[Plan], Outcome], say: Callable[[str], None], fail_fast: bool = False
) -> tuple[Plan, Outcome]:
    """Run from one interim analysis to the next until no more runs are needed; ``play`` prepares and runs a plan.

    A cell with a failed run gets no more runs. Returns the last plan, with all runs that were computed or tried, and
    the outcome of all runs.
    """
    plan, regret = first, Regret()
    tried: dict[PurePosixPath, set[int]] = {}
    total = Outcome()
    while True:
        outcome = play(plan)
        for cell_plan in plan.cells:
            tried.setdefault(cell_plan.cell.folder, set()).update(cell_plan.todo)
        total.n_done += outcome.n_done
        total.n_not_tried += outcome.n_not_tried
        total.failures += outcome.failures
        lost = {failure.cell.folder for failure in total.failures}
        ahead = _next_plan(first.spec, first.folder, regret, lost)
        is_done = not any(cell_plan.todo or cell_plan.found for cell_plan in ahead.cells)
        if is_done or (fail_fast and total.failures):
            break
        assert ahead.standing is not None
        say(f"{ahead.standing.summary}; {ahead.standing.how_far}")
        plan = ahead
    for cell_plan in ahead.cells:
        cell_plan.todo = sorted(tried.get(cell_plan.cell.folder, ()))
    return ahead, total
