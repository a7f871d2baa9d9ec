"""The keys of a spec file: what each may hold, how it is read, and its description for editors.

The pydantic model below is the one list of keys: it validates, and the JSON Schema comes from it. Its fields
are validated in their order, so that later ones can look at earlier ones: regret at the matrices, feedback
delay, checkpoints and algorithms at the horizon.
"""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)

from duelbench.algorithms import registry
from duelbench.errors import InputError, nearest
from duelbench.problem import round_losses
from duelbench.problem.regret import DEFINITIONS
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.problem.winners import condorcet_winner
from duelbench.spec import scales, values, yaml_source
from duelbench.spec.entries import ROUNDS, read_entries
from duelbench.spec.experiment_spec import Entry, Problem, Sweep
from duelbench.spec.figure_key import figure_json_schema, read_figure
from duelbench.spec.fitting import refusals, sweep_refusals
from duelbench.spec.naming import FOLDER_NAME, MAX_LENGTH, folder_name
from duelbench.spec.numerals import Whole, shown
from duelbench.spec.problems import ProblemReader, matrix_json_schema, problems_json_schema, read_problems
from duelbench.spec.scalar_problems import is_scalar, read_scalar_problem, scalar_json_schema, split
from duelbench.spec.sweeps import SweepReader, seed_of, sweep_json_schema
from duelbench.spec.values import AT_KEY, Errors
from duelbench.spec.yaml_source import Location, Mistake, Scalar, Source, Value

BOUNDS = ("copeland", "ecw", "condorcet")
"""Asymptotic bounds that a figure can show, kinds of `duelbench.problem.bounds`."""

RUNS = Whole(1, 10**6, "runs")
SEEDS = Whole(0, 2**128 - 1, high_text="2^128 - 1")
CHECKPOINTS = Whole(1, 10**5, "checkpoints")


@dataclass
class _Context:
    """What validators know beside the document: its folder, whether a scale changes it, whether there is a sweep, the
    matrices read so far."""

    folder: Path
    is_scaled: bool = False
    has_sweep: bool = False
    problems: list[Problem] = field(default_factory=list)
    asked: dict[str, dict[str, Value]] = field(default_factory=dict)


def _name(value: Value) -> str:
    return folder_name(values.word(value, "a name"))


def _matrix(value: Value, info: ValidationInfo) -> tuple[Problem, ...]:
    assert info.context is not None
    if isinstance(value, list):
        raise ValueError("is one path; for several matrices use the key 'problems'")
    errors = Errors()
    reader = ProblemReader(info.context.folder, errors)
    problem = reader.read("", value, ())
    errors.raise_any()
    assert problem is not None
    info.context.asked |= reader.asked
    info.context.problems.append(problem)
    return (problem,)


def _problem(value: Value, info: ValidationInfo) -> tuple[Problem, ...]:
    assert info.context is not None
    if isinstance(value, list):
        raise ValueError("is one scalar bandit; for several problems use the key 'problems'")
    errors = Errors()
    problem = read_scalar_problem("", value, info.context.folder, errors)
    errors.raise_any()
    assert problem is not None
    info.context.problems.append(problem)
    return (problem,)


def _problems(value: Value, info: ValidationInfo) -> tuple[Problem, ...]:
    assert info.context is not None
    if is_scalar(value):
        raise ValueError("is a list of problems, or a mapping of names to them; for one scalar bandit write 'problem'")
    scalars, others = split(value)
    if scalars and others:
        raise ValueError("has matrices and scalar bandits, which share no regret; write a spec for each kind")
    problems, errors = (
        _scalar_problems(scalars, info) if scalars else read_problems(others, info.context.folder, info.context.asked)
    )
    info.context.problems.extend(problems)
    errors.raise_any()
    return problems


def _scalar_problems(named: dict[Scalar, Value], info: ValidationInfo) -> tuple[tuple[Problem, ...], Errors]:
    assert info.context is not None
    errors = Errors()
    problems = []
    for name, item in named.items():
        errors.read((name,), _name, name, at_key=True)
        problem = read_scalar_problem(str(name), item, info.context.folder, errors, (name,))
        if problem is not None:
            problems.append(problem)
    return tuple(problems), errors


def _runs(value: Value) -> int:
    return values.whole(value, RUNS)


def _seed(value: Value) -> int:
    return values.whole(value, SEEDS)


def _horizon(value: Value) -> int:
    return values.whole(value, ROUNDS)


def _feedback_delay(value: Value, info: ValidationInfo) -> int:
    return _within_horizon(value, info)


def _checkpoints(value: Value, info: ValidationInfo) -> int | tuple[int, ...]:
    """How many, or which: increasing rounds up to the horizon."""
    if not isinstance(value, list):
        return values.whole(value, CHECKPOINTS)
    errors = Errors()
    rounds: list[int] = []
    for location, item in values.items(value):
        t = errors.read(location, _within_horizon, item, info)
        if t is None:
            continue
        if rounds and t <= rounds[-1]:
            errors.add(location, f"rounds must increase, but {t} stands after {rounds[-1]}")
        rounds.append(t)
    errors.raise_any()
    return tuple(rounds)


def _within_horizon(value: Value, info: ValidationInfo) -> int:
    """A number of rounds up to the horizon, as far as that is known."""
    rounds = values.whole(value, ROUNDS)
    horizon = info.data.get("horizon")
    if horizon is not None and rounds > horizon:
        raise ValueError(f"must be at most the horizon, {horizon:_} rounds, got {shown(value)}")
    return rounds


def _regret(value: Value, info: ValidationInfo) -> tuple[str, ...]:
    """Regret definitions that every matrix allows."""
    assert info.context is not None
    errors = Errors()
    names: list[str] = []
    for location, item in values.items(value):
        name = errors.read(location, values.choice, item, round_losses.NAMES, "a regret definition")
        if name is None:
            continue
        if name in names:
            errors.add(location, f"'{name}' stands twice; remove one")
        for problem in info.context.problems:
            if (reason := _why_not(name, problem)) is not None:
                errors.add(location, reason)
        names.append(name)
    errors.raise_any()
    return tuple(names)


def _why_not(name: str, problem: Problem) -> str | None:
    """Why a problem does not allow a regret definition; None where it does."""
    needy = {name for name, definition in DEFINITIONS.items() if definition.needs_condorcet_winner}
    needy |= {name for name, definition in round_losses.ANNOUNCED.items() if definition.needs_condorcet_winner}
    if name in needy and not isinstance(problem.matrix, ScalarBandit) and condorcet_winner(problem.matrix) is None:
        return f"'{name}' needs a Condorcet winner; {problem.described} has none"
    try:
        round_losses.check(name, problem.matrix)
    except InputError as error:
        return str(error)
    return None


def _bounds(value: Value, info: ValidationInfo) -> tuple[str, ...]:
    if value == []:
        return ()
    assert info.context is not None
    if any(isinstance(problem.matrix, ScalarBandit) for problem in info.context.problems):
        raise ValueError("are those of duels; scalar bandits have none; remove the key")
    errors = Errors()
    names: list[str] = []
    for location, item in values.items(value):
        name = errors.read(location, values.choice, item, BOUNDS, "a lower bound")
        if name in names:
            errors.add(location, f"'{name}' stands twice; remove one")
        if name is not None:
            names.append(name)
    errors.raise_any()
    return tuple(names)


def _algorithms(value: Value, info: ValidationInfo) -> tuple[Entry, ...]:
    assert info.context is not None
    entries = read_entries(value, info.data.get("horizon"), shorten=info.context.is_scaled)
    errors = Errors()
    for k, entry in enumerate(entries):
        for problem in info.context.problems[:1]:
            try:
                registry.check_plays(entry.algorithm, isinstance(problem.matrix, ScalarBandit))
            except InputError as error:
                errors.add((k,), str(error))
    errors.raise_any()
    if not info.context.has_sweep:  # else it is not known yet what they will play
        for k, why in refusals(info.context.problems, entries):
            errors.add((k,), why)
    errors.raise_any()
    return entries


def _sweep(value: Value, info: ValidationInfo) -> Sweep | None:
    """The sweep; None where what it depends on is wrong itself, which is said there."""
    context = info.context
    assert context is not None
    if not context.problems or any(info.data.get(key) is None for key in ("horizon", "algorithms")):
        return None
    asked = {name: (content, seed_of(content)) for name, content in context.asked.items()}
    reader = ProblemReader(context.folder, Errors())
    sweep = SweepReader(reader, asked, context.problems, info.data["horizon"], info.data["algorithms"]).read(value)
    if sweep.over == "feedback_delay" and info.data.get("feedback_delay", 1) != 1:
        raise ValueError("over 'feedback_delay' stands beside the key 'feedback_delay'; remove one of the two")
    _check_regret(sweep, info.data.get("regret", ()))
    for why in sweep_refusals(sweep, info.data["algorithms"], info.data["horizon"]):
        raise ValueError(why)
    return sweep


def _check_regret(sweep: Sweep, regret: tuple[str, ...]) -> None:
    """Refuse a regret that a matrix of the sweep does not allow."""
    for name in regret:
        for problem in sweep.problems:
            if (reason := _why_not(name, problem)) is not None:
                raise ValueError(f"the regret {reason}")


def _figure(value: Value, info: ValidationInfo) -> dict[str, Any]:
    assert info.context is not None
    entries = info.data.get("algorithms")
    labels = [entry.label for entry in entries] if entries else None
    return read_figure(value, labels, info.context.has_sweep, info.data.get("runs"))


def _scales(value: Value) -> tuple[str, ...]:
    return scales.read_scales(value, list(Document.model_fields))


_TEXT_SCHEMA = {"type": ["string", "number"], "maxLength": values.MAX_TEXT}
_NAME_SCHEMA = {"type": ["string", "number"], "pattern": f"^{FOLDER_NAME}$", "maxLength": MAX_LENGTH}


_SCALAR_SCHEMA = {"anyOf": [{"type": "string", "minLength": 1}, scalar_json_schema()]}


class Document(BaseModel):
    """An experiment of duelbench: algorithms, run many times each, on preference matrices."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, title="duelbench experiment")

    name: Annotated[str, PlainValidator(_name), WithJsonSchema(_NAME_SCHEMA)] = Field(
        default="",
        description="Folder under results/. Default: the file's name without its ending.",
    )
    title: Annotated[str, PlainValidator(values.line), WithJsonSchema(_TEXT_SCHEMA)] = Field(
        default="",
        description="Title of the figure. Default: the name.",
    )
    matrix: Annotated[tuple[Problem, ...], PlainValidator(_matrix), WithJsonSchema(matrix_json_schema())] = Field(
        default=(),
        description="The preference matrix: the path of a file, relative to this one; a family, {family: linear, "
        "n_arms: 64}; or fetched data, {source: mslr-informational, arms: [2, 4, 3, 1, 5]}. For several: `problems`.",
    )
    problem: Annotated[tuple[Problem, ...], PlainValidator(_problem), WithJsonSchema(_SCALAR_SCHEMA)] = Field(
        default=(),
        description="A scalar bandit instead of a matrix: {means: [0.9, 0.5 x 5], decision: rigged, m: 1}, or the path "
        "of a YAML file with these keys.",
    )
    problems: Annotated[tuple[Problem, ...], PlainValidator(_problems), WithJsonSchema(problems_json_schema())] = Field(
        default=(),
        description="Several matrices: a list of what `matrix` takes, or a mapping of names to it; the names become "
        "folders of results.",
    )
    horizon: Annotated[int, PlainValidator(_horizon), WithJsonSchema(ROUNDS.json_schema())] = Field(
        description="Rounds (duels) of each run, such as 1e6 or 1_000_000.",
    )
    runs: Annotated[int, PlainValidator(_runs), WithJsonSchema(RUNS.json_schema())] = Field(
        default=100,
        description="Independent runs of each algorithm on each matrix.",
    )
    seed: Annotated[int, PlainValidator(_seed), WithJsonSchema(SEEDS.json_schema())] = Field(
        default=0,
        description="Together with a run's number it determines all that is random in the run.",
    )
    shuffle_arms: Annotated[bool, PlainValidator(values.truth), WithJsonSchema({"type": "boolean"})] = Field(
        default=True,
        description="Present the arms in another order in each run, so that none gains from its place.",
    )
    feedback_delay: Annotated[int, PlainValidator(_feedback_delay), WithJsonSchema(ROUNDS.json_schema())] = Field(
        default=1,
        description="Deliver the outcomes of duels after every so many rounds; 1 is at once.",
    )
    regret: Annotated[
        tuple[str, ...],
        PlainValidator(_regret),
        WithJsonSchema(values.one_or_more({"type": "string", "enum": list(round_losses.NAMES)})),
    ] = Field(
        default=("copeland",),
        description="Regret definitions to record; figures show the first one. Default: copeland; of scalar bandits "
        "announced.",
    )
    checkpoints: Annotated[
        int | tuple[int, ...],
        PlainValidator(_checkpoints),
        WithJsonSchema(
            {
                "anyOf": [
                    CHECKPOINTS.json_schema(),
                    {"type": "array", "items": ROUNDS.json_schema(), "minItems": 1},
                ]
            }
        ),
    ] = Field(
        default=200,
        description="How many rounds to record regret at, spaced evenly in log t, or a list of these rounds. "
        "The horizon is always one of them.",
    )
    bounds: Annotated[
        tuple[str, ...],
        PlainValidator(_bounds),
        WithJsonSchema(values.one_or_more({"type": "string", "enum": list(BOUNDS)}, at_least=0)),
    ] = Field(
        default=(),
        description="Asymptotic bounds C log t to draw and to compare with in reports, each where it is a bound on the "
        "regret shown: copeland and condorcet are lower bounds, ecw is what ECW-RMED needs.",
    )
    # The schema of the entries needs every algorithm's module; `duelbench.spec.schema` puts it in.
    algorithms: Annotated[tuple[Entry, ...], PlainValidator(_algorithms), WithJsonSchema({})] = Field(
        description="The algorithms to compare: ids, or {id: {parameter: value, label: ..., horizons: ...}}.",
    )
    sweep: Annotated[Sweep | None, PlainValidator(_sweep), WithJsonSchema(sweep_json_schema())] = Field(
        default=None,
        description="One setting that takes several values, as in {over: feedback_delay, values: [1, 10, 100]} or "
        "{over: n_arms, values: [3, 6, 12], games: 25}; figures show regret at the horizon against it.",
    )
    figure: Annotated[dict[str, Any] | None, PlainValidator(_figure), WithJsonSchema(figure_json_schema())] = Field(
        default=None,
        description="What `plot` draws, by default {kind: regret}, or {kind: sweep} beside the key sweep. Changing it "
        "plays no run again.",
    )
    # Its schema refers to the other keys; `duelbench.spec.schema` puts it in.
    scales: Annotated[tuple[str, ...], PlainValidator(_scales), WithJsonSchema({})] = Field(
        default=(),
        description="Other sizes of the experiment: names with the keys that they replace, as in {quick: {runs: 5, "
        "horizon: 1e4}}. `duelbench run --scale quick` puts its results into <name>-quick; horizons of algorithms "
        "beyond the scale's end with it.",
    )


def read_document(path: Path, scale: str | None = None) -> Document:
    """Read a spec file; ``name`` and ``regret`` are filled in, other defaults are as `Document` has them.

    Parameters
    ----------
    path : Path
    scale : str, optional
        One of the file's scales; its name becomes a part of ``name``. Without it all scales are checked too.

    Raises
    ------
    InputError
        With every mistake in the file.
    """
    source = yaml_source.read(path)
    if scale is not None:
        _check_scale(source, scale)
        try:
            _scales(source.data[Scalar(scales.KEY)])
        except ValueError:
            scale = None  # whatever is wrong with the scales is said about the whole file
    document, mistakes = _validated(source, scale)
    if scale is None and not mistakes:
        for name in scales.names(source):
            mistakes += _validated(source, name)[1]
    if mistakes or document is None:
        raise InputError(yaml_source.report(path, mistakes))
    return document


def _check_scale(source: Source, scale: str) -> None:
    known = scales.names(source)
    if scale not in known:
        there = f"{nearest(scale, known)} (there are {', '.join(known)})" if known else ": it has no scales"
        raise InputError(f"{source.path}: there is no scale '{scale}' in it{there}")


def _validated(source: Source, scale: str | None) -> tuple[Document | None, list[Mistake]]:
    """The document of a file at one of its scales, and what is wrong with it."""
    view = source if scale is None else scales.scaled(source, scale)
    unknown = _unknown_keys(view)
    mistakes = [*source.mistakes, *_key_mistakes(view, unknown)]
    try:
        context = _Context(source.path.parent, scale is not None, has_sweep=Scalar("sweep") in view.data)
        document = Document.model_validate(view.data, context=context)
    except ValidationError as error:
        return None, mistakes + list(
            _validation_mistakes(error, view, unknown, f"at scale '{scale}': " if scale else "")
        )
    name = document.name or source.path.stem
    if scale is not None:
        try:
            name = scales.scaled_name(name, scale)
        except ValueError as error:
            mistakes.append(Mistake(source.place((scales.KEY, scale), key=True), f"scales.{scale}: {error}"))
    left_out: dict[str, Any] = {"name": name}
    problems = document.matrix or document.problem or document.problems
    if problems and Scalar("regret") not in view.data:
        left_out["regret"] = (round_losses.default(problems[0].matrix),)
    return document.model_copy(update=left_out), mistakes


def _unknown_keys(source: Source) -> dict[str, str | None]:
    """The keys that no spec has, each with the key that was probably meant."""
    known = list(Document.model_fields)
    unknown = [str(key) for key in source.data if key not in known]
    return {key: next(iter(difflib.get_close_matches(key, known, n=1)), None) for key in unknown}


def _key_mistakes(source: Source, unknown: dict[str, str | None]) -> Iterator[Mistake]:
    """What is wrong with the keys of the file."""
    top = source.place(())
    for key, near in unknown.items():
        hint = f" (did you mean '{near}'?)" if near else f" (there are {', '.join(Document.model_fields)})"
        yield Mistake(source.place((key,), key=True), f"unknown key {shown(key)}{hint}")
    given = [key for key in ("matrix", "problem", "problems") if key in source.data]
    for key in given[1:]:
        yield Mistake(source.place((key,), key=True), f"{key}: stands beside '{given[0]}'; give one of the two")
    if not {"matrix", "problem", "problems"} & {*source.data, *unknown.values()}:
        example = "matrix: <path of the matrix file>"
        yield Mistake(top, f"the key 'matrix' (or 'problems') is missing; add '{example}'")
    if "name" not in source.data:
        try:
            folder_name(source.path.stem)
        except ValueError as error:
            stem = shown(source.path.stem)
            yield Mistake(top, f"the file's name {stem} {error}; rename it or add the key 'name'")


def _validation_mistakes(
    error: ValidationError, source: Source, unknown: dict[str, str | None], prefix: str
) -> Iterator[Mistake]:
    """Pydantic's errors, each at its place in the file."""
    already = {mistake.place for mistake in source.mistakes}
    for detail in error.errors(include_url=False, include_input=False):
        location, kind = detail["loc"], detail["type"]
        if kind == "missing":
            key = str(location[-1])
            if key not in unknown.values():
                yield Mistake(source.place(()), f"{prefix}the key '{key}' is missing; {_EXAMPLES[key]}")
        elif kind != "extra_forbidden":
            # Extra keys are `unknown`.
            place = source.place(location, key=kind == AT_KEY)
            reason = detail["ctx"].get("message") or detail["ctx"]["error"]
            if place not in already:
                yield Mistake(place, f"{prefix}{_dotted(location)}: {reason}")


_EXAMPLES = {
    "horizon": "add the number of rounds, as in 'horizon: 1e6'",
    "algorithms": "add what to compare, as in 'algorithms: [rucb, d-ts]'",
}
"""How to mend a required key that is missing."""


def _dotted(location: Location) -> str:
    """The way to a value as one word: ``algorithms.1.rucb.alpha``, list positions from 0."""
    return ".".join(str(step) if len(str(step)) <= MAX_LENGTH else shown(step) for step in location)
