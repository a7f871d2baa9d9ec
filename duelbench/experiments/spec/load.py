"""Reads a spec, and checks it; one error lists all mistakes.

The models of `duelbench.experiments.spec.document` read each key. This module puts their values together: it loads
matrices, and checks what depends on several keys.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from duelbench.bandits.problem import round_losses
from duelbench.bandits.problem.worlds.losses import STATIC
from duelbench.bandits.problem.worlds.world import World, at_first
from duelbench.bandits.simulation.game import feedback_refusal
from duelbench.bandits.simulation.terms import Settings
from duelbench.bandits.statistics.interim import Until
from duelbench.common import shipped
from duelbench.common.numerals import shown
from duelbench.errors import InputError, nearest
from duelbench.experiments.spec import scales, yaml_source
from duelbench.experiments.spec.document import KEYS, Experiment
from duelbench.experiments.spec.entries import Setting, make_entries
from duelbench.experiments.spec.experiment_spec import Entry, ExperimentSpec, Problem, Sweep
from duelbench.experiments.spec.fields import Notes, read_keys
from duelbench.experiments.spec.figure_key import read_key as read_figure
from duelbench.experiments.spec.fitting import regret_refusal
from duelbench.experiments.spec.identification import budgets_of, check_budget, question_of, why_unanswerable
from duelbench.experiments.spec.naming import MAX_LENGTH, folder_name
from duelbench.experiments.spec.problems import Maker, is_bandit, named_problems
from duelbench.experiments.spec.runs import RunsUntil, wrong_runs
from duelbench.experiments.spec.sweeps import Swept, make_sweep, up_to_horizon
from duelbench.experiments.spec.worlds import check_worlds, make_world, make_worlds
from duelbench.experiments.spec.yaml_source import Location, PlacedMistake, Scalar, Source


def load(path: str | os.PathLike[str] | Mapping[str, Any], scale: str | None = None) -> ExperimentSpec:
    """Read and check a spec; nothing is written and nothing is run.

    Parameters
    ----------
    path : path or mapping
        A YAML file, or the name of a spec that comes with duelbench, such as ``paper:wu2016/1a``. Or a mapping with the
        same keys, ``name`` among them, and with paths relative to the working folder.
    scale : str, optional
        One of the spec's ``scales``; by default the spec's own size, and then all of its scales are checked too.

    Raises
    ------
    InputError
        Listing every mistake as ``file:line:column message``, in the order of the file.

    Examples
    --------
    >>> spec = load({"name": "first", "matrix": "cyclic", "horizon": 1e4, "algorithms": ["rucb", "random"]})
    >>> spec.name, spec.horizon, spec.runs, [entry.label for entry in spec.entries]
    ('first', 10000, 100, ['RUCB', 'Random'])
    """
    if isinstance(path, Mapping):
        file, source = None, yaml_source.of_mapping(path)
    else:
        file, source = Path(path), yaml_source.read(shipped.spec_file(path))
    replaced = scales.replaced(source, KEYS)
    if scale is not None and scale not in replaced:
        known = f"{nearest(scale, replaced)} (there are {', '.join(replaced)})" if replaced else ": it has no scales"
        raise InputError(f"{source.path}: there is no scale '{scale}' in it{known}")
    parts = _Parts(source)
    spec = None
    mistakes: list[PlacedMistake] = []
    if scale is None:
        spec = parts.put_together()
        mistakes = source.placed(parts.notes.mistakes)
    else:
        parts.check_scales()
        mistakes = source.placed(m for m in parts.notes.mistakes if m.location[:1] == (scales.KEY,))
    places = {mistake.place for mistake in mistakes}
    for name in replaced if scale is None else [scale]:
        if len(mistakes) > yaml_source.MAX_MISTAKES_SHOWN:
            break  # the others would not be shown
        scaled_source = scales.scaled(source, name, replaced[name])
        scale_parts = _Parts(scaled_source, name)
        scaled = scale_parts.put_together()
        spec = spec if scale is None else scaled
        new = [mistake for mistake in scaled_source.placed(scale_parts.notes.mistakes) if mistake.place not in places]
        mistakes += [mistake._replace(message=f"at scale '{name}': {mistake.message}") for mistake in new]
    mistakes += source.mistakes
    if mistakes or spec is None:
        raise InputError(yaml_source.report(source.path, mistakes))
    return replace(spec, source=file)


class _Parts:
    """The parts of a spec while they are put together; ``notes`` collects the mistakes.

    Attributes
    ----------
    keys : dict
        The values of the keys that are right.
    present : frozenset of str
        The keys that the file has, right or wrong, and those that misspelt ones are likely to mean.
    """

    def __init__(self, source: Source, scale: str | None = None) -> None:
        self.data, self.stem, self.scale = source.data, source.path.stem, scale
        self.folder = source.path.parent
        self.notes = Notes()
        self.keys, self.notes.mistakes = read_keys(Experiment, source.data, source.path.parent)
        self.present = frozenset(Experiment.meant_by(source.data))
        self.maker = Maker(source.path.parent)
        self.problems: list[Problem] = []
        self.contents: list[Any] = []  # the value in the spec of each of the problems
        self.n_wanted = 0  # the number of problems, wrong ones included
        self.is_scalar: bool | None = None

    def put_together(self) -> ExperimentSpec | None:
        """Return the experiment; None if anything is wrong."""
        notes, keys = self.notes, self.keys
        self._read_name()
        self._read_problems()
        identify, budget = keys.get("identify"), keys.get("budget")
        question = None
        if identify is not None:
            question = question_of(identify, self.problems, self.is_scalar, notes)
        if budget is not None:
            keys["budget"] = budgets_of(budget, isinstance(self.data[Scalar("budget")], list), self.problems, notes)
            if keys["budget"] is not None:
                keys.setdefault("horizon", keys["budget"][-1])
            else:
                del keys["budget"]
        self._read_worlds()
        settings = self._settings()
        checkpoints = self._checkpoints()
        regret = self._regret()
        self._check_bounds()
        entries = self._entries(question)
        sweep = self._sweep(settings, regret, entries)
        rule = keys.get("runs")
        runs: Any = rule.rule() if isinstance(rule, RunsUntil) else rule
        figure = self._figure(entries, runs)
        self.check_scales()
        if isinstance(runs, Until):
            for location, why in wrong_runs(runs, sweep, entries):
                notes.note(location, why)
        self._check_feedback(settings, sweep, entries)
        if question is not None and sweep is not None:
            reasons = (why_unanswerable(question, problem) for problem in sweep.problems)
            for reason in [*filter(None, reasons)][:1]:
                notes.note(("identify",), reason)
        check_budget(keys, self.present, question, notes)
        check_worlds(self.problems, {"identify": question, "sweep": sweep, "entries": entries}, notes)
        if notes.mistakes or entries is None:
            return None
        if sweep is not None:
            entries = tuple(replace(entry, horizons=(keys["horizon"],)) for entry in entries)
        name: str = keys.get("name", self.stem)
        title: str | None = keys.get("title")
        if self.scale is not None:
            name = f"{name}-{self.scale}"
            title = f"{title} ({self.scale})" if title else None
        return ExperimentSpec(
            name=name,
            title=title or name,
            problems=tuple((sweep and sweep.problems) or self.problems),
            horizon=keys["horizon"],
            runs=runs,
            seed=keys["seed"],
            settings=settings,
            regret=regret,
            checkpoint_rule=keys.get("budget") or checkpoints,
            bounds=keys["bounds"],
            entries=entries,
            source=None,
            sweep=sweep,
            figure=figure,
            identify=question,
            budget=keys.get("budget", ()),
        )

    def _read_name(self) -> None:
        if "name" in self.data:
            return
        try:
            folder_name(self.stem, f"results go to a folder of the file's name, {shown(self.stem)}")
        except ValueError as error:
            self.notes.note((), f"{error}; rename the file or add the key 'name'")

    def _read_problems(self) -> None:
        """Read matrices and scalar bandits."""
        keys, notes = self.keys, self.notes
        for key in ("matrix", "problem"):
            if key in self.data:
                self.is_scalar = key == "problem"
            if key in keys:
                self._add((key,), "", keys[key])
        if "problems" not in keys:
            return
        named = named_problems(keys["problems"], self.data[Scalar("problems")], ("problems",), notes)
        kinds = {is_bandit(item) for _, _, item in named}
        if len(kinds) > 1:
            notes.note(
                ("problems",), "has matrices and scalar bandits, which share no regret; write a spec for each kind"
            )
            return
        self.is_scalar = kinds.pop() if kinds else None
        for location, name, item in named:
            self._add(location, name, item)

    def _add(self, location: Location, name: str, content: Any) -> None:
        problem = self.notes.attempt(location, self.maker.problem, name, content)
        self.n_wanted += 1
        if problem is not None:
            self.problems.append(problem)
            self.contents.append(content)

    def _read_worlds(self) -> None:
        keys, notes = self.keys, self.notes
        horizon = keys.get("horizon")
        if "world" in keys or "worlds" in keys:
            self.is_scalar = False
            self.n_wanted += 1
        if horizon is None:
            return
        if "world" in keys:
            world = notes.attempt(("world",), make_world, "", keys["world"], horizon, self.maker)
            self.problems += [] if world is None else [world]
        if "worlds" in keys:
            self.problems += make_worlds(keys["worlds"], horizon, self.maker, notes)

    def _settings(self) -> Settings:
        keys = self.keys
        if "feedback_batch" in keys:
            batch = self.notes.attempt(("feedback_batch",), up_to_horizon, keys["feedback_batch"], keys.get("horizon"))
            if batch is None:
                del keys["feedback_batch"]
        return Settings.of(keys)

    def _checkpoints(self) -> int | tuple[int, ...]:
        """Return the number of checkpoints, or increasing rounds up to the horizon."""
        checkpoints = self.keys.get("checkpoints", 1)
        if isinstance(checkpoints, int):
            return checkpoints
        for k, rounds in enumerate(checkpoints):
            location = ("checkpoints", k)
            self.notes.attempt(location, up_to_horizon, rounds, self.keys.get("horizon"))
            if k and rounds <= checkpoints[k - 1]:
                self.notes.note(location, f"rounds must increase, but {rounds} comes after {checkpoints[k - 1]}")
        return tuple(checkpoints)

    def _regret(self) -> tuple[str, ...]:
        """Return the definitions of regret that all problems allow."""
        if "regret" not in self.data:
            if self.problems:
                return (round_losses.default(at_first(self.problems[0].matrix)),)
            return ("copeland",)
        is_list = isinstance(self.data[Scalar("regret")], list)
        regret = [(k, name) for k, name in enumerate(self.keys.get("regret", ())) if name is not None]
        for k, name in regret:
            location: Location = ("regret", k) if is_list else ("regret",)
            is_judged = name not in STATIC and self.is_scalar is not None
            if is_judged and not self.notes.attempt(location, _check_regret, name, self.is_scalar):
                continue
            for why in filter(None, (regret_refusal(name, problem) for problem in self.problems)):
                self.notes.note(location, why)
        return tuple(name for _, name in regret)

    def _check_bounds(self) -> None:
        if not self.keys.get("bounds"):
            return
        if any(isinstance(problem.matrix, World) for problem in self.problems):
            self.notes.note(("bounds",), "are those of one matrix; a world that changes has none; remove the key")
        elif self.is_scalar:
            self.notes.note(("bounds",), "are those of duels; scalar bandits have none; remove the key")

    def _entries(self, question: Any) -> tuple[Entry, ...] | None:
        items = self.keys.get("algorithms")
        if items is None:
            return None
        setting = Setting(
            self.problems,
            self.is_scalar,
            self.keys.get("horizon"),
            self.keys.get("budget", ()),
            question,
            self.present,
            self.scale is not None,
        )
        return make_entries(items, self.data[Scalar("algorithms")], setting, self.notes)

    def _sweep(self, settings: Settings, regret: Sequence[str], entries: Sequence[Entry] | None) -> Sweep | None:
        """Return the sweep, if the problems, the horizon and the algorithms are right."""
        keys = self.keys.get("sweep")
        horizon = self.keys.get("horizon")
        is_known = 0 < len(self.problems) == self.n_wanted
        if keys is None or horizon is None or entries is None or not is_known:
            return None
        sweep = self.data[Scalar("sweep")]
        is_list = isinstance(sweep, dict) and isinstance(sweep[Scalar("values")], list)
        swept = Swept(self.problems, self.contents, entries, horizon, settings, regret, self.maker, is_list)
        return make_sweep(keys, swept, self.notes)

    def _figure(self, entries: Sequence[Entry] | None, runs: int | Until | None) -> dict[str, Any] | None:
        figure = self.keys.get("figure")
        if figure is None:
            return None
        has_keys = [key in self.present for key in ("sweep", "identify", "budget")]
        labels = [entry.label for entry in entries or ()]
        n_runs = runs.least if isinstance(runs, Until) else runs
        return self.notes.attempt(("figure",), read_figure, figure, *has_keys, labels, n_runs)

    def check_scales(self) -> None:
        """Note scales whose names are too long together with that of the experiment."""
        for name in self.keys.get(scales.KEY, ()):
            both = f"{self.keys.get('name', self.stem)}-{name}"
            if len(both) > MAX_LENGTH:
                why = f"with the name of the experiment it makes '{both}', longer than {MAX_LENGTH} characters"
                self.notes.note((scales.KEY, name), why, at_key=True)

    def _check_feedback(self, settings: Settings, sweep: Sweep | None, entries: Sequence[Entry] | None) -> None:
        """Note why algorithms cannot be played with the feedback of the spec."""
        location: Location = ("feedback_delay",)
        if sweep is not None and sweep.over == "feedback_delay":
            settings = Settings(feedback_delay=max(filter(None, sweep.values), default=0))
            location = ("sweep", "over")
        reasons = (feedback_refusal(entry.algorithm, settings) for entry in entries or ())
        for why in dict.fromkeys(filter(None, reasons)):
            self.notes.note(location, why)


def _check_regret(name: str, is_scalar: bool) -> bool:
    """Return True if a definition of regret fits such problems; raise an `InputError` if not."""
    round_losses.check_kind(name, is_scalar)
    return True
