"""Reads a spec: complete and checked, or one error that lists all mistakes."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from duelbench import shipped
from duelbench.errors import InputError, likeliest, nearest
from duelbench.problem import round_losses
from duelbench.problem.worlds.world import at_first
from duelbench.simulation.terms import Settings
from duelbench.spec import identification, scales, worlds, yaml_source
from duelbench.spec.document import DOCUMENT, KEYS, check_feedback, check_runs
from duelbench.spec.experiment_spec import ExperimentSpec
from duelbench.spec.naming import folder_name
from duelbench.numerals import shown
from duelbench.spec.reading import Draft, Reading
from duelbench.spec.yaml_source import Mistake, Scalar, Source


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
    if scale is None:
        draft, mistakes = _read(source)
    elif scale in replaced:
        draft = Draft(stem=str(source.data.get(Scalar("name")) or source.path.stem))
        KEYS[scales.KEY].kind.read(source.data[Scalar(scales.KEY)], Reading(draft, (scales.KEY,)))
        mistakes = source.located(draft.noted)
    else:
        there = f"{nearest(scale, replaced)} (there are {', '.join(replaced)})" if replaced else ": it has no scales"
        raise InputError(f"{source.path}: there is no scale '{scale}' in it{there}")
    own = {mistake.place for mistake in mistakes}
    for name in replaced if scale is None else [scale]:
        if len(mistakes) > yaml_source.MAX_SHOWN:
            break  # the others would not be shown
        scaled, found = _read(scales.scaled(source, name, replaced[name]), is_scaled=True)
        draft = draft if scale is None else scaled
        new = [mistake for mistake in found if mistake.place not in own]
        mistakes += [mistake._replace(message=f"at scale '{name}': {mistake.message}") for mistake in new]
    mistakes += source.mistakes
    if mistakes:
        raise InputError(yaml_source.report(source.path, mistakes))
    return _spec(file, draft, scale)


def _read(source: Source, is_scaled: bool = False) -> tuple[Draft, list[Mistake]]:
    """The content of a file, and its mistakes."""
    meant = {likeliest(key, KEYS) for key in source.data if key not in KEYS}
    draft = Draft(source.path.parent, source.path.stem, is_scaled, {*source.data, *meant})
    at = Reading(draft)
    DOCUMENT.read_into(draft.keys, source.data, at)
    given = [key for key in scales.PROBLEM_KEYS if key in source.data]
    for key in given[1:]:
        at.below(key).note(f"conflicts with '{given[0]}'; give one of the two", at_key=True)
    if not given and not meant & {*scales.PROBLEM_KEYS}:
        at.note("the key 'matrix' (or 'problems') is missing; add 'matrix: <path of the matrix file>'")
    if "name" not in source.data:
        try:
            folder_name(draft.stem, f"results go to a folder of the file's name, {shown(draft.stem)}")
        except ValueError as error:
            at.note(f"{error}; rename the file or add the key 'name'")
    if draft.problems and "regret" not in source.data:
        draft.keys["regret"] = (round_losses.default(at_first(draft.problems[0].matrix)),)
    check_runs(at)
    check_feedback(at)
    identification.check(at)
    worlds.check(at)
    return draft, source.located(draft.noted)


_AS_WRITTEN = ("horizon", "runs", "seed", "regret", "bounds")


def _spec(path: Path | None, draft: Draft, scale: str | None) -> ExperimentSpec:
    """The experiment of a valid file."""
    keys = draft.keys
    name = keys.get("name", draft.stem)
    name = name if scale is None else f"{name}-{scale}"
    title = keys.get("title")
    sweep, problems, entries = keys.get("sweep"), tuple(draft.problems), keys["algorithms"]
    if sweep is not None:
        problems = sweep.problems or problems
        entries = tuple(replace(entry, horizons=(keys["horizon"],)) for entry in entries)
    return ExperimentSpec(
        name=name,
        title=f"{title} ({scale})" if title and scale else title or name,
        problems=problems,
        checkpoint_rule=keys.get("budget") or keys["checkpoints"],
        entries=entries,
        source=path,
        sweep=sweep,
        settings=Settings.of(keys),
        figure=keys.get("figure"),
        identify=keys.get("identify"),
        budget=keys.get("budget") or (),
        **{key: keys[key] for key in _AS_WRITTEN},
    )
