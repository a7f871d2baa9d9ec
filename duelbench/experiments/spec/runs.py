"""The ``runs`` of a spec: their number, or a rule that decides it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from duelbench.bandits.statistics.curves import FEWEST
from duelbench.bandits.statistics.interim import LEAST, MOST, RANKED, Until
from duelbench.experiments.spec.experiment_spec import Entry, Sweep, is_swept
from duelbench.experiments.spec.fields import IfGiven, OneOf, Part, Reader, Share, Together, Whole, any_of
from duelbench.experiments.spec.yaml_source import Location

MOST_RANKED = 100
"""The maximum number of ranked algorithms, whose pairs can be compared within seconds."""


_PART = "a part of the mean, such as 2%"
_SHARE = Share(f"{_PART}, or the word {RANKED}")
_ShareOrRanked = Reader(
    lambda value: None if value == RANKED else _SHARE.read(value), any_of(_SHARE.json_schema(), {"enum": [RANKED]})
)
_FewRuns = Annotated[int, Whole(FEWEST, 10**6, "runs")]


class RunsUntil(Part):
    """Runs until the means are precise enough, or the algorithms are ranked."""

    example: ClassVar[str] = "{until: 2%}"

    until: Annotated[
        float | None,
        _ShareOrRanked,
        Together(add="add 'until: 2%' or 'until: ranked'"),
    ] = Field(
        description="Run until half the length of the interval of each mean is this part of the mean, such as 2%; or, "
        "with the word ranked, until every two algorithms on a problem are ranked."
    )
    least: _FewRuns = Field(LEAST, description="Runs at the first interim analysis.")
    most: _FewRuns = Field(MOST, description="Runs at the last one, whatever it decides.")
    margin: Annotated[IfGiven[Annotated[float, Share(_PART)]], Together(only_with=f"until: {RANKED}")] = Field(
        None,
        description="With until: ranked, two algorithms also count as ranked if neither mean exceeds the other by more "
        "than this part of it, such as 3%.",
    )

    @model_validator(mode="after")
    def _in_order(self) -> "RunsUntil":
        if self.least > self.most:
            raise ValueError(f"least, {self.least}, is above most, {self.most}; give one of them another value")
        return self

    def rule(self) -> Until:
        """Return the rule that decides whether there are enough runs."""
        return Until(self.until, self.least, self.most, self.margin)


_RunCount = Annotated[int, Whole(1, 10**6, "runs")]


def _runs_type(value: Any) -> Any:
    if isinstance(value, str) and (value.endswith("%") or value == RANKED):
        raise ValueError(f"is a number; write the rule as {{until: {value}}}")
    return RunsUntil if isinstance(value, Mapping) else _RunCount


Runs = Annotated[Any, OneOf(_runs_type, _RunCount, RunsUntil)]


def wrong_runs(rule: Until, sweep: Sweep | None, entries: Sequence[Entry] | None) -> Iterator[tuple[Location, str]]:
    """Yield the reasons why interim analyses cannot decide the number of runs, with their locations."""
    if sweep is not None and sweep.games > 1:
        yield (
            ("runs",),
            "more runs on the same random matrices tell nothing about other matrices: give a number of runs with the"
            " games of a sweep",
        )
    if rule.share is None and entries is not None:
        for why in _why_unranked(rule, sweep, entries):
            yield ("runs", "until"), why


def _why_unranked(rule: Until, sweep: Sweep | None, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the reasons why the algorithms cannot be ranked."""
    if len(entries) < 2:
        yield "one algorithm alone cannot be ranked: add another, or write a part of the mean, as 2%"
    if len(entries) > MOST_RANKED:
        yield f"at most {MOST_RANKED} algorithms can be ranked, not {len(entries)}: make several specs"
    if sweep is not None and not sweep.problems and not all(is_swept(sweep.over, entry) for entry in entries):
        yield f"ranks the algorithms at each value, but some do not have {sweep.over}; write a part of the mean, as 2%"
    ends = {entry.label: max(entry.horizons, default=None) for entry in entries}
    if sweep is None and len(set(ends.values())) > 1:
        listed = ", ".join(f"{label} {end}" for label, end in ends.items())
        yield f"ranked algorithms must have one horizon ({listed}); write a part of the mean, as 2%"
    played = [
        (entry.algorithm.id, sorted(entry.parameters.items()), sorted(entry.settings.items())) for entry in entries
    ]
    twins = [entry.label for entry, terms in zip(entries, played, strict=True) if played.count(terms) > 1]
    if twins and rule.margin is None:
        yield f"{' and '.join(twins)} are one algorithm, whose runs are the same; remove all but one"
