"""The dry run, ``duelbench run --dry-run``: what would run, why, and roughly how long it would take."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from duelbench.cli.printing import columns
from duelbench.common.words import counted
from duelbench.experiments.describing import problem_in_words
from duelbench.experiments.execution.estimate import Estimate, estimate, seconds_in_all
from duelbench.experiments.execution.plan import CellPlan, Plan
from duelbench.experiments.execution.progress import duration
from duelbench.experiments.results.cells import games_together
from duelbench.experiments.results.settings import in_words, played, settings_of
from duelbench.experiments.spec import assumptions
from duelbench.experiments.spec.experiment_spec import Sweep

BYTES_PER_RUN = 2000
"""Of a run's file, apart from its arrays."""

BYTES_PER_CHECKPOINT = 12
"""Compressed, with one regret definition."""


def as_json(plans: Sequence[Plan], jobs: int) -> str:
    """The plans as a JSON document: ``{jobs: [...], seconds_estimate}``, one job per cell."""
    seconds, _ = _estimate(plans, jobs)
    until = {
        plan.spec.name: {**standing.content, "most_runs": sum(standing.most)}
        for plan in plans
        if (standing := plan.standing)
    }
    listed = [_job(plan, cell_plan) for plan in plans for cell_plan in plan.cells]
    content = {"jobs": listed, "seconds_estimate": float(f"{seconds:.2g}")}
    return json.dumps(content | ({"until": until} if until else {}), indent=2)


def as_text(plans: Sequence[Plan], jobs: int) -> str:
    """The plans as tables."""
    seconds, each = _estimate(plans, jobs)
    n_todo = sum(plan.n_todo for plan in plans)
    is_guess = any(estimate.is_guess for estimate in each.values())
    trust = "rough; a guess where ? stands: not compiled here yet, or a plug-in" if is_guess else "rough"
    if any(plan.spec.identify and not plan.spec.budget for plan in plans):
        trust += "; less where runs end with an answer long before the horizon"
    expected = "less than 1 s" if seconds < 1 else f"~{duration(seconds)}"
    workers = counted(min(jobs, max(1, n_todo)), "worker")  # no run has more than one
    time = f"; {expected} on {workers} ({trust})" if n_todo else ""
    is_open = any(plan.standing and not plan.standing.is_over for plan in plans)
    todo = counted(n_todo, "run") + " to do" + " up to the next interim analysis" * is_open
    return "\n\n".join([*(_describe(plan, each) for plan in plans), f"{todo}{time}. Nothing was written."])


def _job(plan: Plan, cell_plan: CellPlan) -> dict[str, Any]:
    cell = cell_plan.cell
    return {
        "experiment": plan.spec.name,
        "problem": cell.problem,
        "algorithm": cell.identity.algorithm,
        "label": cell.label,
        "horizon": cell.identity.horizon,
        "settings": settings_of(cell),
        "runs": cell.n_runs,
        "reuse": cell_plan.n_reused,
        "todo": len(cell_plan.todo),
        "why": cell_plan.why,
    }


def _estimate(plans: Sequence[Plan], jobs: int) -> tuple[float, dict[int, Estimate]]:
    """Seconds for everything, and by its id() what a run of each cell plan takes."""
    waiting = [cell_plan for plan in plans for cell_plan in plan.cells if cell_plan.todo]
    cells = [cell_plan.cell for cell_plan in waiting]
    counts = [len(cell_plan.todo) for cell_plan in waiting]
    each = estimate(cells, counts)
    per_run = {id(cell_plan): estimate for cell_plan, estimate in zip(waiting, each, strict=True)}
    return seconds_in_all(cells, counts, [estimate.seconds for estimate in each], jobs), per_run


def _describe(plan: Plan, per_run: dict[int, Estimate]) -> str:
    spec = plan.spec
    size = sum(_bytes(cell_plan) for cell_plan in plan.cells)
    lines = [f"{spec.name}: {spec.title}" if spec.title != spec.name else spec.name]
    lines += [
        f"problem   {line}" for line in (_swept(spec.sweep) if spec.sweep else map(problem_in_words, spec.problems))
    ]
    horizons, checkpoints = str(spec.horizon), str(len(spec.checkpoints))
    if spec.sweep:
        games = f", {spec.sweep.games} random matrices each" if spec.sweep.games > 1 else ""
        values = ", ".join(map(str, spec.sweep.values))
        lines.append(f"sweep     {spec.sweep.over} {values}{games}")
        horizons = values if spec.sweep.over == "horizon" else horizons
        checkpoints = _range(cell_plan.cell.identity.n_checkpoints for cell_plan in plan.cells)
    if spec.identify:
        but = ", but for what the note says" if assumptions.notes(spec) else ""
        promise = "" if spec.budget else f"; wrong at most {spec.identify.delta:.6g} of the time{but}"
        lines.append(f"identify  {spec.identify.words}{promise}")
    if spec.budget:
        lines.append(f"budgets   {', '.join(map(str, spec.budget))} rounds")
    else:
        lines.append(f"horizon   {horizons} rounds, {checkpoints} checkpoints")
    if words := in_words(played(cell_plan.cell for cell_plan in plan.cells)):
        lines.append(f"played    {words}")
    lines.append(f"results   {plan.folder}, about {_size(size)}")
    lines += [f"note      {note}" for note in plan.notes()]
    lines += [f"runs      {line}" for line in _how_far(plan, per_run)]
    return "\n".join([*lines, "", *_table(plan, per_run)])


def _how_far(plan: Plan, per_run: dict[int, Estimate]) -> list[str]:
    """What is decided, and how many runs may still be needed until all of it is."""
    standing = plan.standing
    if standing is None:
        return []
    lines = [f"{standing.rule.words}: {standing.summary}"]
    if standing.is_over:
        return lines

    seconds = sum(
        (most - cell_plan.cell.n_runs) * per_run[id(cell_plan)].seconds
        for cell_plan, most in zip(plan.cells, standing.most, strict=True)
        if id(cell_plan) in per_run
    )
    n_runs = sum(standing.most) - plan.n_runs
    return [
        *lines,
        standing.how_far,
        f"after that at most {n_runs} runs are to come ({duration(seconds)} of core time)",
    ]


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"


def _range(numbers: Iterable[int]) -> str:
    low, *_, high = sorted([*numbers] * 2)
    return str(low) if low == high else f"{low} to {high}"


def _swept(sweep: Sweep) -> list[str]:
    """The problems that a spec names, without what the sweep replaces of them."""
    if not sweep.problems:
        return [problem_in_words(problem) for problem in sweep.bases]
    n_arms: dict[str, list[int]] = {}
    for problem in sweep.problems:
        assert problem.point is not None
        n_arms.setdefault(problem.point.problem, []).append(problem.matrix.n_arms)
    return [f"{title}{', ' if title else ''}K={_range(sizes)}" for title, sizes in n_arms.items()]


def _table(plan: Plan, per_run: dict[int, Estimate]) -> list[str]:
    rows = [["problem", "algorithm", "horizon", "runs", "reuse", "todo", "~core time", "why"]]
    for cell_plans in games_together(plan.cells):
        known = [(len(cell_plan.todo), per_run[id(cell_plan)]) for cell_plan in cell_plans if id(cell_plan) in per_run]
        doubt = "?" if any(estimate.is_guess for _, estimate in known) else ""
        time = duration(sum(count * estimate.seconds for count, estimate in known)) + doubt if known else "-"
        cell = cell_plans[0].cell
        numbers = [(cell_plan.cell.n_runs, cell_plan.n_reused, len(cell_plan.todo)) for cell_plan in cell_plans]
        why = ", ".join(dict.fromkeys(cell_plan.why for cell_plan in cell_plans))
        counts = [str(sum(of_all)) for of_all in zip(*numbers, strict=True)]
        rows.append([cell.setting, cell.label, str(cell.identity.horizon), *counts, time, why])
    reused = plan.n_runs - plan.n_todo - plan.n_others
    rows.append(["", "", "", str(plan.n_runs), str(reused), str(plan.n_todo), "", ""])
    if len({cell_plan.cell.identity.horizon for cell_plan in plan.cells}) == 1:
        rows = [[*row[:2], *row[3:]] for row in rows]
    if len(plan.spec.problems) == 1 and not plan.spec.sweep:
        rows = [row[1:] for row in rows]
    return columns(rows, right=[rows[0].index(name) for name in ("runs", "reuse", "todo", "~core time")])


def _bytes(cell_plan: CellPlan) -> int:
    """A guess at the size of a cell's files: most counts of duels are small, and small numbers compress well."""
    identity = cell_plan.cell.identity
    arrays = BYTES_PER_CHECKPOINT * identity.n_checkpoints * len(identity.regret) + 2 * identity.n_arms**2
    return cell_plan.cell.n_runs * (BYTES_PER_RUN + arrays)
