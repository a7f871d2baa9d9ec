"""Reads a spec: complete and checked, or one error with everything that is wrong with it."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from duelbench import shipped
from duelbench.errors import InputError, likeliest, nearest
from duelbench.problem import round_losses
from duelbench.problem.worlds.world import World, at_first
from duelbench.spec import scales, yaml_source
from duelbench.spec.document import DOCUMENT, KEYS, SCALES
from duelbench.spec.experiment_spec import ExperimentSpec
from duelbench.spec.identification.keys import why_unanswerable
from duelbench.spec.kinds import Draft, Reading
from duelbench.spec.mapping import source_of
from duelbench.spec.naming import folder_name
from duelbench.spec.numerals import shown
from duelbench.spec.sweeps import is_swept
from duelbench.spec.worlds.keys import why_too_short
from duelbench.spec.yaml_source import Mistake, Scalar, Source
from duelbench.statistics.interim import Until

MOST_RANKED = 100
"""Algorithms whose pairs can be looked at within seconds."""


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
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "two.csv").write_text("0.5,0.9\\n0.1,0.5\\n")
    >>> text = "matrix: two.csv\\nhorizon: 1e4\\nalgorithms: [rucb, random]\\n"
    >>> _ = (folder / "first.yaml").write_text(text)
    >>> spec = load(folder / "first.yaml")
    >>> spec.name, spec.horizon, spec.runs, [entry.label for entry in spec.entries]
    ('first', 10000, 100, ['RUCB', 'Random'])
    """
    source = source_of(path) if isinstance(path, Mapping) else yaml_source.read(shipped.spec_file(path))
    replaced = SCALES.replaced(source)
    if scale is None:
        draft, mistakes = _read(source)
    elif scale in replaced:
        draft = Draft(stem=str(source.data.get(Scalar("name")) or source.path.stem))
        SCALES.read(source.data[Scalar(scales.KEY)], Reading(draft, (scales.KEY,)))
        mistakes = source.located(draft.noted)
    else:
        there = f"{nearest(scale, replaced)} (there are {', '.join(replaced)})" if replaced else ": it has no scales"
        raise InputError(f"{source.path}: there is no scale '{scale}' in it{there}")
    own = {*mistakes}
    for name in replaced if scale is None else [scale]:
        if len(mistakes) > yaml_source.MAX_SHOWN:
            break  # the others would not be shown
        scaled, found = _read(scales.scaled(source, name, replaced[name]), is_scaled=True)
        draft = draft if scale is None else scaled
        new = [mistake for mistake in found if mistake not in own]
        mistakes += [mistake._replace(message=f"at scale '{name}': {mistake.message}") for mistake in new]
    mistakes += source.mistakes
    if mistakes:
        raise InputError(yaml_source.report(source.path, mistakes))
    return _spec(None if isinstance(path, Mapping) else Path(path), draft, scale)


def _read(source: Source, is_scaled: bool = False) -> tuple[Draft, list[Mistake]]:
    """What a file says, and what is wrong with that."""
    draft = Draft(
        source.path.parent,
        source.path.stem,
        is_scaled,
        has_sweep="sweep" in source.data,
        has_budget="budget" in source.data,
        has_question="identify" in source.data,
    )
    at = Reading(draft)
    DOCUMENT.read(source.data, at, draft.keys)
    given = [key for key in scales.PROBLEMS if key in source.data]
    for key in given[1:]:
        at.below(key).note(f"{key}: stands beside '{given[0]}'; give one of the two", at_key=True)
    meant = (likeliest(key, KEYS) for key in source.data if key not in KEYS)
    if not given and not any(key in scales.PROBLEMS for key in meant):
        at.note("the key 'matrix' (or 'problems') is missing; add 'matrix: <path of the matrix file>'")
    if "name" not in source.data:
        try:
            folder_name(draft.stem, f"results go to a folder of the file's name, {shown(draft.stem)}")
        except ValueError as error:
            at.note(f"{error}; rename the file or add the key 'name'")
    if draft.problems and "regret" not in source.data:
        draft.keys["regret"] = (round_losses.default(at_first(draft.problems[0].matrix)),)
    if isinstance(draft.keys.get("runs"), Until):
        _check_until(draft.keys, at.below("runs"))
    question, sweep = draft.keys.get("identify"), draft.keys.get("sweep")
    if question is not None and sweep is not None:
        reasons = (why_unanswerable(question, problem) for problem in sweep.problems)
        if why := next(filter(None, reasons), None):
            at.below("identify").note(why)
    worlds = {problem.name: problem.matrix for problem in draft.problems if isinstance(problem.matrix, World)}
    if worlds:
        _check_worlds(worlds, draft.keys, source, at)
    if draft.keys.get("budget"):
        _check_budget(draft.keys, source, at)
    return draft, source.located(draft.noted)


def _check_worlds(worlds: Mapping[str, World], keys: Mapping[str, Any], source: Source, at: Reading) -> None:
    """Note what does not go together with worlds that change."""
    if "identify" in source.data:
        at.below("identify").note("asks for the answer on one matrix, and a world that changes has several; remove it")
    sweep = keys.get("sweep")
    if sweep is not None and sweep.over == "horizon":
        at.below("sweep").note("is over the horizon, and a world that changes has one; write a spec for each horizon")
    for name, world in worlds.items():
        if (why := why_too_short(world, keys.get("algorithms") or [])) is not None:
            (at.below("worlds", name) if name else at.below("world")).note(why)


def _check_budget(keys: Mapping[str, Any], source: Source, at: Reading) -> None:
    """Note what does not go together with budgets."""
    budget = keys["budget"]
    if "identify" not in source.data:
        at.below("budget").note(
            "is for the key 'identify', which says what is to be found out; add 'identify: {target: condorcet}'",
            at_key=True,
        )
    question = keys.get("identify")
    if question is not None and question.is_ranked:
        at.below("budget").note(
            f"judges one arm, and {question.target} asks for the place of each; remove it", at_key=True
        )
    if "horizon" in source.data and keys.get("horizon") != budget[-1]:
        at.below("horizon").note(f"the largest budget, {budget[-1]:_} rounds, is the horizon; remove the key")
    if "checkpoints" in source.data and keys.get("checkpoints") != budget:
        at.below("checkpoints").note("the budgets are the checkpoints; remove the key", at_key=True)


def _check_until(keys: Mapping[str, Any], at: Reading) -> None:
    """Note what keeps the number of runs from being decided while they are played."""
    rule, sweep, entries = keys["runs"], keys.get("sweep"), keys.get("algorithms") or ()
    if sweep is not None and sweep.games > 1:
        at.note(
            "more runs on the same random matrices do not tell what others would show: with the games of a sweep give"
            " a number of runs"
        )
    if rule.share is not None or "algorithms" not in keys:
        return
    if len(entries) < 2:
        at.below("until").note("one algorithm alone cannot be ranked: add another, or write a part of the mean, as 2%")
    if len(entries) > MOST_RANKED:
        at.below("until").note(
            f"at most {MOST_RANKED} algorithms can be ranked, not {len(entries)}: make several specs"
        )
    if sweep is not None and not sweep.problems and not all(is_swept(sweep.over, entry) for entry in entries):
        at.below("until").note(
            f"ranks the algorithms at each value, and some of them have none of {sweep.over}; write a part of the mean,"
            " as 2%"
        )
    ends = {entry.label: entry.horizons[-1] for entry in entries}
    if sweep is None and len(set(ends.values())) > 1:
        listed = ", ".join(f"{label} {end}" for label, end in ends.items())
        at.below("until").note(f"what is ranked must have one horizon ({listed}); write a part of the mean, as 2%")
    played = [(one.algorithm.id, sorted(one.parameters.items()), one.shuffle_arms) for one in entries]
    twins = [one.label for one, own in zip(entries, played, strict=True) if played.count(own) > 1]
    if twins and rule.margin is None:
        at.below("until").note(f"{' and '.join(twins)} are one algorithm, whose runs are the same; remove all but one")


_AS_WRITTEN = ("horizon", "runs", "seed", "shuffle_arms", "feedback_delay", "regret", "bounds")


def _spec(path: Path | None, draft: Draft, scale: str | None) -> ExperimentSpec:
    """The experiment of a file that is right."""
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
        figure=keys.get("figure"),
        identify=keys.get("identify"),
        budget=keys.get("budget") or (),
        **{key: keys[key] for key in _AS_WRITTEN},
    )
