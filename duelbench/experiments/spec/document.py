"""The keys of a spec file: their types, and their descriptions for editors."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import Field, TypeAdapter, create_model

from duelbench.bandits.problem import round_losses
from duelbench.bandits.problem.worlds.losses import STATIC
from duelbench.bandits.simulation.game import MOST_DELAY
from duelbench.experiments.spec.entries import Algorithms
from duelbench.experiments.spec.fields import (
    NAME,
    Choice,
    IfGiven,
    Line,
    Name,
    Named,
    OneOf,
    OneOrMore,
    Part,
    Reader,
    Rounds,
    Schema,
    Together,
    Truth,
    Whole,
    adapter,
    by_form,
)
from duelbench.experiments.spec.figure_key import BOUNDS
from duelbench.experiments.spec.figure_key import json_schema as json_schema_of_figures
from duelbench.experiments.spec.identification import Budgets, Identify
from duelbench.experiments.spec.problems import AnyBandit, Matrix, Problems
from duelbench.experiments.spec.runs import Runs
from duelbench.experiments.spec.scales import FIXED, MAX_SCALES, PROBLEM_KEYS
from duelbench.experiments.spec.sweeps import SweepKeys
from duelbench.experiments.spec.worlds import WorldKeys, Worlds
from duelbench.experiments.spec.yaml_source import Mistake

_CheckpointCount = Annotated[int, Whole(1, 10**5, "checkpoints")]
_Checkpoints = Annotated[tuple[Rounds, ...], OneOrMore(may_repeat=True)]
_Regret = Annotated[str, Choice((*round_losses.NAMES, *STATIC), "a regret definition")]
_Bound = Annotated[str, Choice(BOUNDS, "a lower bound")]


def _figure(value: Any) -> Any:
    """Return the options of a figure as they are written; the module of its kind reads them."""
    if not isinstance(value, Mapping):
        raise ValueError("must be options of a figure, as in '{kind: regret, y: [0, 500]}'")
    return value


class _Scale(Part):
    """Keys that a scale replaces, as they are written: each is read as if it were at the top of the file."""

    example: ClassVar[str] = "{runs: 5}"
    refused: ClassVar[Mapping[str, str]] = {
        key: f"the key '{key}' is the same at every scale; remove it" for key in FIXED
    }
    at_least: ClassVar[int] = 1


def _read_scales(value: Any) -> Any:
    """Read the names of scales with the keys that they replace."""
    return _scales().validate_python(value)


def _schema_of_scales() -> Schema:
    scale = {
        "type": "object",
        "properties": {key: {"$same": f"#/properties/{key}"} for key in KEYS if key not in FIXED},
        "additionalProperties": False,
        "minProperties": 1,
    }
    names = {"type": "object", "additionalProperties": scale, "minProperties": 1, "maxProperties": MAX_SCALES}
    return {**names, "propertyNames": NAME.json_schema()}


class Experiment(Part):
    """An experiment of duelbench: algorithms, run many times each, on preference matrices."""

    example: ClassVar[str] = "horizon: 1e6"

    name: IfGiven[Name] = Field(None, description="Folder under results/. Default: the file's name without its ending.")
    title: IfGiven[Line] = Field(None, description="Title of the figure. Default: the name.")
    matrix: IfGiven[Matrix] = Field(
        None,
        description="The preference matrix: the path of a file, relative to this one; the name of one that comes with "
        "duelbench, such as cyclic; its rows, [[0.5, 0.9], [0.1, 0.5]]; a family, {family: linear, n_arms: 64}; or "
        "fetched data, {source: mslr-informational, arms: [2, 4, 3, 1, 5]}. For several: `problems`.",
    )
    problem: IfGiven[AnyBandit] = Field(
        None,
        description="A scalar bandit instead of a matrix: {means: [0.9, 0.5 x 5], decision: rigged, m: 1}, or the path "
        "of a YAML file with these keys.",
    )
    problems: IfGiven[Problems] = Field(
        None,
        description="Several matrices: a list of what `matrix` takes, or a mapping of names to it; the names become "
        "folders of results.",
    )
    identify: IfGiven[Identify] = Field(
        None,
        description="What the algorithms must find, as in {target: condorcet, delta: 0.05}: `report` then says "
        "how often the answer was right, and after how many duels it came.",
    )
    budget: IfGiven[Budgets] = Field(
        None,
        description="Numbers of rounds after which the recommended arm is judged, as in [2K, 10K, 1000], K being the "
        "number of arms; instead of horizon and checkpoints.",
    )
    horizon: Annotated[
        IfGiven[Rounds], Together(add="add the number of rounds, as in 'horizon: 1e6'", unless="budget")
    ] = Field(None, description="Rounds (duels) of each run, such as 1e6 or 1_000_000.")
    world: IfGiven[WorldKeys] = Field(
        None,
        description="A world that changes instead of a matrix: {segments: [first.csv, second.csv], starts: equal}, or "
        "{drift: {from: first.csv, to: second.csv, steps: 100}}; and corruption: {budget: 100}.",
    )
    worlds: IfGiven[Worlds] = Field(
        None,
        description="Several worlds that change: a mapping of names to what `world` takes; the names become folders "
        "of results.",
    )
    runs: Runs = Field(
        100,
        description="Number of independent runs of each algorithm on each matrix; or a rule, as in {until: 2%} or "
        "{until: ranked, most: 1000}.",
    )
    seed: Annotated[int, Whole(0, 2**128 - 1, high_text="2^128 - 1")] = Field(
        0, description="Determines, together with a run's number, everything random in the run."
    )
    shuffle_arms: Truth = Field(
        True, description="Present the arms in another order in each run, so that none gains from its place."
    )
    feedback_batch: Rounds = Field(
        1, description="Number of rounds whose outcomes are delivered together; 1 delivers each at once."
    )
    feedback_delay: Annotated[int, Whole(0, MOST_DELAY, "rounds")] = Field(
        0,
        description="How many rounds late each outcome is delivered; 0 is at once. Goes with feedback_batch 1 only.",
    )
    regret: Annotated[tuple[_Regret, ...], OneOrMore(is_judged_by_item=True)] = Field(
        ("copeland",),
        description="Regret definitions to record; figures show the first one. Default: copeland; of scalar bandits "
        "announced.",
    )
    checkpoints: Annotated[
        Any, OneOf(by_form(other=_CheckpointCount, list=_Checkpoints), _CheckpointCount, _Checkpoints)
    ] = Field(
        200,
        description="How many rounds to record regret at, spaced evenly in log t, or a list of these rounds. The "
        "horizon is always one of them.",
    )
    bounds: Annotated[tuple[_Bound, ...], OneOrMore(at_least=0)] = Field(
        (),
        description="Asymptotic bounds C log t to draw and to compare with in reports, each if it bounds the "
        "regret shown: copeland and condorcet are lower bounds, ecw is what ECW-RMED needs.",
    )
    algorithms: Annotated[Algorithms, Together(add="add what to compare, as in 'algorithms: [rucb, d-ts]'")] = Field(
        description="The algorithms to compare: ids, or {id: {parameter: value, label: ..., horizons: ...}}."
    )
    sweep: IfGiven[SweepKeys] = Field(
        None,
        description="One setting that takes several values, as in {over: feedback_batch, values: [1, 10, 100]} or "
        "{over: n_arms, values: [3, 6, 12], games: 25}; figures show regret at the horizon against it.",
    )
    figure: IfGiven[Annotated[Any, Reader(_figure, json_schema_of_figures)]] = Field(
        None,
        description="What `plot` draws: by default {kind: regret}, or {kind: sweep} with a sweep. Changing it repeats "
        "no run.",
    )
    scales: IfGiven[Annotated[Any, Reader(_read_scales, _schema_of_scales)]] = Field(
        None,
        description="Other sizes of the experiment: names with the keys that they replace, as in {quick: {runs: 5, "
        "horizon: 1e4}}. `duelbench run --scale quick` puts its results into <name>-quick; longer "
        "horizons of algorithms are cut to the scale's.",
    )

    @classmethod
    def _wrong_keys(cls, data: Mapping[Any, Any], wrong: set[str | int]) -> Iterator[Mistake]:
        yield from super()._wrong_keys(data, wrong)
        problems = [key for key in PROBLEM_KEYS if key in data]
        for key in problems[1:]:
            yield Mistake((key,), f"conflicts with '{problems[0]}'; give one of the two", True)
        if not problems and not cls.meant_by(data) & {*PROBLEM_KEYS}:
            add = "add 'matrix: <path of the matrix file>'"
            yield Mistake((), f"the key 'matrix' (or 'problems') is missing; {add}")


KEYS = tuple(Experiment.model_fields)
"""The keys of a spec."""


@lru_cache
def _scales() -> TypeAdapter[Any]:
    """Return the adapter that reads ``scales``: the keys of a spec with any values."""
    keys: Any = {key: (Any, None) for key in KEYS if key not in FIXED}
    scale = create_model("Scale", __base__=_Scale, **keys)
    wanted = "names of scales with keys to replace, as in 'quick: {runs: 5}'"
    return adapter(Annotated[dict[str, scale], Named(wanted, "scale", MAX_SCALES)])  # type: ignore[valid-type]
