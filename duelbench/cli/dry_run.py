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
"""Size of a run's file without its arrays."""

BYTES_PER_CHECKPOINT = 12
"""Compressed size of a checkpoint, for one regret definition."""


def as_json(plans: Sequence[Plan], jobs: int) -> str:
    """The plans as a JSON document: ``{jobs: [...], seconds_estimate}``, one job per cell."""
    seconds, _ = _estimate(plans, jobs)
    content: dict[str, Any] = {
        "jobs": [_job(plan, cell_plan) for plan in plans for cell_plan in plan.cells],
        "seconds_estimate": float(f"{seconds:.2g}"),
    }
    for plan in plans:
        if plan.standing:
            until = {**plan.standing.content, "most_runs": sum(plan.standing.most)}
            content.setdefault("until", {})[plan.spec.name] = until
    return json.dumps(content, indent=2)


def as_text(plans: Sequence[Plan], jobs: int) -> str:
    """The plans as tables."""
    seconds, per_run = _estimate(plans, jobs)
    n_todo = sum(plan.n_todo for plan in plans)
    is_guess = any(estimate.is_guess for estimate in per_run.values())
    precision = "rough; '?' marks guesses: not compiled here yet, or a plug-in" if is_guess else "rough"
    if any(plan.spec.identify and not plan.spec.budget for plan in plans):
        precision += "; less if runs end with an answer long before the horizon"
    expected = "less than 1 s" if seconds < 1 else f"~{duration(seconds)}"
    workers = counted(min(jobs, max(1, n_todo)), "worker")  # no run has more than one
    time = f"; {expected} on {workers} ({precision})" if n_todo else ""
    todo = f"{counted(n_todo, 'run')} to do"
    if any(plan.standing and not plan.standing.is_over for plan in plans):
        todo += " up to the next interim analysis"
    return "\n\n".join([*(_describe(plan, per_run) for plan in plans), f"{todo}{time}. Nothing was written."])


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
    """The seconds for all runs, and the estimate for one run of each cell plan, by the plan's id()."""
    waiting = [cell_plan for plan in plans for cell_plan in plan.cells if cell_plan.todo]
    cells = [cell_plan.cell for cell_plan in waiting]
    counts = [len(cell_plan.todo) for cell_plan in waiting]
    estimates = estimate(cells, counts)
    per_run = {id(cell_plan): of_run for cell_plan, of_run in zip(waiting, estimates, strict=True)}
    return seconds_in_all(cells, counts, [of_run.seconds for of_run in estimates], jobs), per_run


def _describe(plan: Plan, per_run: dict[int, Estimate]) -> str:
    spec = plan.spec
    size = sum(_bytes(cell_plan) for cell_plan in plan.cells)
    shown_size = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    lines = [f"{spec.name}: {spec.title}" if spec.title != spec.name else spec.name]
    problems = _swept(spec.sweep) if spec.sweep else [problem_in_words(problem) for problem in spec.problems]
    lines += [f"problem   {line}" for line in problems]
    horizons, checkpoints = str(spec.horizon), str(len(spec.checkpoints))
    if spec.sweep:
        games = f", {spec.sweep.games} random matrices each" if spec.sweep.games > 1 else ""
        values = ", ".join(map(str, spec.sweep.values))
        lines.append(f"sweep     {spec.sweep.over} {values}{games}")
        horizons = values if spec.sweep.over == "horizon" else horizons
        checkpoints = _range(cell_plan.cell.identity.n_checkpoints for cell_plan in plan.cells)
    if spec.identify:
        promise = "" if spec.budget else f"; wrong at most {spec.identify.delta:.6g} of the time"
        if promise and assumptions.notes(spec):
            promise += ", except as the note says"
        lines.append(f"identify  {spec.identify.words}{promise}")
    if spec.budget:
        lines.append(f"budgets   {', '.join(map(str, spec.budget))} rounds")
    else:
        lines.append(f"horizon   {horizons} rounds, {checkpoints} checkpoints")
    if words := in_words(played(cell_plan.cell for cell_plan in plan.cells), spec.identify):
        lines.append(f"played    {words}")
    lines.append(f"results   {plan.folder}, about {shown_size}")
    lines += [f"note      {note}" for note in plan.notes()]
    lines += [f"runs      {line}" for line in _progress(plan, per_run)]
    return "\n".join([*lines, "", *_table(plan, per_run)])


def _progress(plan: Plan, per_run: dict[int, Estimate]) -> list[str]:
    """Lines on what the interim analyses have decided, and on how many more runs they may need."""
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
        f"at most {counted(n_runs, 'more run')} after that ({duration(seconds)} of core time)",
    ]


def _range(numbers: Iterable[int]) -> str:
    ordered = sorted(numbers)
    low, high = ordered[0], ordered[-1]
    return str(low) if low == high else f"{low} to {high}"


def _swept(sweep: Sweep) -> list[str]:
    """Lines on the problems that a spec names, without the parameters that its sweep replaces."""
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
        counts = [str(sum(column)) for column in zip(*numbers, strict=True)]
        rows.append([cell.setting, cell.label, str(cell.identity.horizon), *counts, time, why])
    reused = plan.n_runs - plan.n_todo - plan.n_others
    rows.append(["", "", "", str(plan.n_runs), str(reused), str(plan.n_todo), "", ""])
    if len({cell_plan.cell.identity.horizon for cell_plan in plan.cells}) == 1:
        rows = [[*row[:2], *row[3:]] for row in rows]
    if len(plan.spec.problems) == 1 and not plan.spec.sweep:
        rows = [row[1:] for row in rows]
    return columns(rows, right=[rows[0].index(name) for name in ("runs", "reuse", "todo", "~core time")])


def _bytes(cell_plan: CellPlan) -> int:
    """Estimate the size of a cell's files; most counts of duels are small, and small numbers compress well."""
    identity = cell_plan.cell.identity
    arrays = BYTES_PER_CHECKPOINT * identity.n_checkpoints * len(identity.regret) + 2 * identity.n_arms**2
    return cell_plan.cell.n_runs * (BYTES_PER_RUN + arrays)
