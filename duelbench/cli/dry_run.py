"""The dry run, ``duelbench run --dry-run``: what would run, why, and roughly how long it would take."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from duelbench.cli.printing import columns, counted

if TYPE_CHECKING:
    from duelbench.execution.estimate import Estimate
    from duelbench.execution.plan import CellPlan, Plan
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.spec.experiment_spec import ExperimentSpec, Problem, Sweep

BYTES_PER_RUN = 2000
"""Of a run's file, apart from its arrays."""

BYTES_PER_CHECKPOINT = 12
"""Compressed, with one regret definition."""


def as_json(plans: "Sequence[Plan]", jobs: int) -> str:
    """The plans as a JSON document: ``{jobs: [...], seconds_estimate}``, one job per cell."""
    listed = [_job(plan, cell_plan) for plan in plans for cell_plan in plan.cells]
    seconds, _ = _estimate(plans, jobs)
    content = {"jobs": listed, "seconds_estimate": float(f"{seconds:.2g}")}
    standings = {plan.spec.name: plan.standing for plan in plans if plan.standing}
    until = {
        name: {**found.content, "likely_runs": sum(found.likely), "most_runs": sum(found.most)}
        for name, found in standings.items()
    }
    return json.dumps(content | ({"until": until} if until else {}), indent=2)


def as_text(plans: "Sequence[Plan]", jobs: int) -> str:
    """The plans as tables."""
    from duelbench.execution.progress import duration

    seconds, each = _estimate(plans, jobs)
    n_todo = sum(plan.n_todo for plan in plans)
    jobs = min(jobs, max(1, n_todo))  # no run has more than one worker
    workers = counted(jobs, "worker")
    is_guess = any(one.is_guess for one in each.values())
    trust = "rough; a guess where ? stands: not compiled here yet, or a plug-in" if is_guess else "rough"
    if any(plan.spec.identify and not plan.spec.budget for plan in plans):
        trust += "; less where runs end with an answer long before the horizon"
    expected = "less than 1 s" if seconds < 1 else f"~{duration(seconds)}"
    time = f"; {expected} on {workers} ({trust})" if n_todo else ""
    until = " up to the next look" if any(plan.standing and not plan.standing.is_over for plan in plans) else ""
    end = f"{counted(n_todo, 'run')} to do{until}{time}. Nothing was written."
    return "\n\n".join([*(_describe(plan, each) for plan in plans), end])


def _job(plan: "Plan", cell_plan: "CellPlan") -> dict[str, Any]:
    cell = cell_plan.cell
    return {
        "experiment": plan.spec.name,
        "problem": cell.problem,
        "algorithm": cell.identity.algorithm,
        "label": cell.label,
        "horizon": cell.identity.horizon,
        "runs": cell.n_runs,
        "reuse": cell_plan.n_reused,
        "todo": len(cell_plan.todo),
        "why": cell_plan.why,
    }


def _estimate(plans: "Sequence[Plan]", jobs: int) -> "tuple[float, dict[int, Estimate]]":
    """Seconds for everything, and by its id() what a run of each cell plan takes."""
    from duelbench.execution.estimate import estimate, seconds_in_all

    waiting = [cell_plan for plan in plans for cell_plan in plan.cells if cell_plan.todo]
    cells = [cell_plan.cell for cell_plan in waiting]
    counts = [len(cell_plan.todo) for cell_plan in waiting]
    each = estimate(cells, counts)
    per_run = {id(cell_plan): one for cell_plan, one in zip(waiting, each, strict=True)}
    return seconds_in_all(cells, counts, [one.seconds for one in each], jobs), per_run


def _describe(plan: "Plan", per_run: "dict[int, Estimate]") -> str:
    spec = plan.spec
    size = sum(_bytes(cell_plan) for cell_plan in plan.cells)
    lines = [f"{spec.name}: {spec.title}" if spec.title != spec.name else spec.name]
    lines += [f"problem   {line}" for line in (_swept(spec.sweep) if spec.sweep else map(_problem, spec.problems))]
    horizons, checkpoints = str(spec.horizon), str(len(spec.checkpoints))
    if spec.sweep:
        games = f", {spec.sweep.games} random matrices each" if spec.sweep.games > 1 else ""
        values = ", ".join(map(str, spec.sweep.values))
        lines.append(f"sweep     {spec.sweep.over} {values}{games}")
        horizons = values if spec.sweep.over == "horizon" else horizons
        checkpoints = _range(cell_plan.cell.identity.n_checkpoints for cell_plan in plan.cells)
    if spec.identify:
        lines.append(f"identify  {spec.identify.words}{'' if spec.budget else _promise(spec)}")
    if spec.budget:
        lines.append(f"budgets   {', '.join(map(str, spec.budget))} rounds")
    else:
        lines.append(f"horizon   {horizons} rounds, {checkpoints} checkpoints")
    lines.append(f"results   {plan.folder}, about {_size(size)}")
    lines += [f"note      {note}" for note in plan.notes()]
    lines += [f"runs      {line}" for line in _how_far(plan, per_run)]
    return "\n".join([*lines, "", *_table(plan, per_run)])


def _promise(spec: "ExperimentSpec") -> str:
    """How often answers may be wrong, as far as that holds on the matrices of a spec."""
    from duelbench.spec import assumptions

    assert spec.identify is not None
    but = ", but for what the note says" if assumptions.notes(spec) else ""
    return f"; wrong at most {spec.identify.delta:.6g} of the time{but}"


def _how_far(plan: "Plan", per_run: "dict[int, Estimate]") -> list[str]:
    """What is decided, and how many runs may still be played until all of it is."""
    found = plan.standing
    if found is None:
        return []
    lines = [f"{found.rule.words}: {found.summary}"]
    if found.is_over:
        return lines
    from duelbench.execution.progress import duration

    more = [0.0, 0.0]  # core time of the runs after those of the next look: likely, and at most
    for cell_plan, *ends in zip(plan.cells, found.likely, found.most, strict=True):
        if one := per_run.get(id(cell_plan)):
            n_runs = cell_plan.cell.n_runs
            more = [seconds + (end - n_runs) * one.seconds for seconds, end in zip(more, ends, strict=True)]
    likely, most = sum(found.likely) - plan.n_runs, sum(found.most) - plan.n_runs
    perhaps = f"perhaps {likely} ({duration(more[0])} of core time), " if found.is_begun else ""
    return [
        *lines,
        found.how_far,
        f"after that look {perhaps}at most {most} runs are to come ({duration(more[1])} of core time)",
    ]


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"


def _range(numbers: Iterable[int]) -> str:
    low, *_, high = sorted([*numbers] * 2)
    return str(low) if low == high else f"{low} to {high}"


def _swept(sweep: "Sweep") -> list[str]:
    """The problems that a spec names, without what the sweep replaces of them."""
    if not sweep.problems:
        return [_problem(problem) for problem in sweep.bases]
    n_arms: dict[str, list[int]] = {}
    for problem in sweep.problems:
        assert problem.point is not None
        n_arms.setdefault(problem.point.problem, []).append(problem.matrix.n_arms)
    return [f"{title}{', ' if title else ''}K={_range(sizes)}" for title, sizes in n_arms.items()]


def _problem(problem: "Problem") -> str:
    from duelbench.problem.scalar_bandit import ScalarBandit
    from duelbench.problem.worlds.world import World

    if isinstance(problem.matrix, World):
        segments, name = len(problem.matrix.matrices), f"{problem.name}  " if problem.name else ""
        return f"{name}K={problem.matrix.n_arms}, {segments} segment{'s' * (segments > 1)}  ({problem.described})"
    if isinstance(problem.matrix, ScalarBandit):
        bandit = problem.matrix
        asked = ", ".join([bandit.decision.name, *(f"{name} = {value}" for name, value in bandit.parameters.items())])
        name = f"{problem.name}  " if problem.name else ""
        return f"{name}N={bandit.n_arms}, {asked}, best {', '.join(map(str, bandit.best))}  ({problem.described})"
    return _matrix(problem, problem.matrix)


def _matrix(problem: "Problem", matrix: "PreferenceMatrix") -> str:
    from duelbench.problem.winners import condorcet_winner, copeland_winners, min_gap

    winner = condorcet_winner(matrix)
    if winner is None:
        won = f"no Condorcet winner, Copeland {matrix.listed(copeland_winners(matrix))}"
    else:
        won = f"Condorcet winner {matrix.listed([winner])}"
    name = f"{problem.name}  " if problem.name else ""
    return f"{name}K={matrix.n_arms}, {won}, min gap {min_gap(matrix):.3g}  ({problem.described})"


def _table(plan: "Plan", per_run: "dict[int, Estimate]") -> list[str]:
    from duelbench.execution.progress import duration
    from duelbench.results.cells import games_together

    several_horizons = len({cell_plan.cell.identity.horizon for cell_plan in plan.cells}) > 1
    rows = [["problem", "algorithm", "horizon", "runs", "reuse", "todo", "~core time", "why"]]
    for cell_plans in games_together(plan.cells):
        known = [(len(one.todo), per_run[id(one)]) for one in cell_plans if id(one) in per_run]
        doubt = "?" if any(one.is_guess for _, one in known) else ""
        time = duration(sum(count * one.seconds for count, one in known)) + doubt if known else "-"
        cell = cell_plans[0].cell
        numbers = [
            sum(cell_plan.cell.n_runs for cell_plan in cell_plans),
            sum(cell_plan.n_reused for cell_plan in cell_plans),
            sum(len(cell_plan.todo) for cell_plan in cell_plans),
        ]
        why = ", ".join(dict.fromkeys(cell_plan.why for cell_plan in cell_plans))
        rows.append([cell.setting, cell.label, str(cell.identity.horizon), *map(str, numbers), time, why])
    reused = plan.n_runs - plan.n_todo - plan.n_others
    rows.append(["", "", "", str(plan.n_runs), str(reused), str(plan.n_todo), "", ""])
    hidden = {0: len(plan.spec.problems) == 1 and not plan.spec.sweep, 2: not several_horizons}
    kept = [[cell for k, cell in enumerate(row) if not hidden.get(k)] for row in rows]
    head = kept[0]
    return columns(kept, right=[head.index(name) for name in ("runs", "reuse", "todo", "~core time")])


def _bytes(cell_plan: "CellPlan") -> int:
    """A guess at the size of a cell's files: most counts of duels are small, and small numbers compress well."""
    identity = cell_plan.cell.identity
    arrays = BYTES_PER_CHECKPOINT * identity.n_checkpoints * len(identity.regret) + 2 * identity.n_arms**2
    return cell_plan.cell.n_runs * (BYTES_PER_RUN + arrays)
