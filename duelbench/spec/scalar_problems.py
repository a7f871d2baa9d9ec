"""The ``problem`` of a spec: a scalar bandit, as keys and values or as the path of a YAML file that holds them."""

from pathlib import Path
from typing import Any

from duelbench.algorithms.exploration.scalar_decisions import DECISIONS
from duelbench.errors import InputError, likeliest
from duelbench.problem.decision_rule import Decision
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.spec import yaml_source
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.kinds import (
    SPELLED_REAL,
    UNSAID,
    Choice,
    FilePath,
    Key,
    Keys,
    Kind,
    OneOrMore,
    Parsed,
    Posed,
    Reading,
    Schema,
    Tagged,
    Word,
    listed,
    word,
)
from duelbench.spec.numerals import real_number, shown
from duelbench.spec.parameters import parameter_keys
from duelbench.spec.yaml_source import Value

MAX_MEANS = 10**5
"""Most arms of a scalar bandit in a spec."""

_EXAMPLE = "{means: [0.9, 0.5], decision: argmax}"
_FILE = FilePath(f"keys such as '{_EXAMPLE}', or the path of a file that has them")


class _Mean(Parsed):
    """A number between 0 and 1; ``p x n`` (text) stands for the number p n times."""

    def parse(self, value: Value) -> list[float]:
        text = word(value, "a number between 0 and 1, or such a number and how often, as in '0.5 x 5'")
        number, _, times = (part.strip() for part in text.partition("x"))
        mean = real_number(number)
        if not 0 <= mean <= 1:
            raise ValueError(f"must lie between 0 and 1, got {shown(text)}")
        if "x" not in text:
            return [mean]
        if not times.isdigit() or not 1 <= int(times) <= MAX_MEANS:
            raise ValueError(f"must say how often as a whole number, as in '0.5 x 5', got {shown(text)}")
        return [mean] * int(times)

    def json_schema(self) -> Schema:
        times = {"type": "string", "pattern": r"^\s*[0-9.eE+-]+\s*x\s*[0-9]+\s*$"}
        return {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, SPELLED_REAL, times]}


class _Means(Kind):
    def read(self, value: Value, at: Reading) -> list[float] | None:
        if not isinstance(value, list):
            at.note("must be a list of numbers between 0 and 1")
            return None
        means: list[float] = []
        for here, item in listed(value, at, most=MAX_MEANS):
            means += _Mean().read(item, here) or []
            if len(means) > MAX_MEANS:
                at.note(f"has more than {MAX_MEANS} numbers")
                return None
        return means

    def json_schema(self) -> Schema:
        return {"type": "array", "items": _Mean().json_schema(), "minItems": 1}


def _keys(decision: Decision) -> Keys:
    """What a spec can say of a scalar bandit with this decision."""
    is_default = decision.name == "argmax"
    return Keys(
        {
            "means": Key(
                _Means(), "The mean of each arm; '0.5 x 5' stands for five of 0.5.", fix=f"add it, as in '{_EXAMPLE}'"
            ),
            "decision": Key(
                Choice((decision.name,), "a decision"),
                f"{decision.name}: {decision.description}",
                "argmax" if is_default else UNSAID,
                "" if is_default else "add it",
            ),
            "names": Key(OneOrMore(Word("a name")), "Names of the arms."),
            **parameter_keys(decision.parameters),
        },
        _EXAMPLE,
        owner=f" for the decision {decision.name}",
    )


def is_scalar(value: Value) -> bool:
    """Whether keys and values ask for a scalar bandit."""
    return isinstance(value, dict) and "means" in value


class _Bandit(Kind):
    """A scalar bandit: keys with values, or the path of a file that has them."""

    keys = Tagged("decision", {name: _keys(decision) for name, decision in DECISIONS.items()}, "a decision", "argmax")

    def read(self, value: Value, at: Reading, name: str = "") -> None:
        """Make the problem called ``name`` one of the draft's."""
        if isinstance(value, list):
            at.note("is one scalar bandit; for several problems use the key 'problems'")
        elif isinstance(value, dict):
            at.draft.posed.append(Posed(is_scalar=True))
            if (bandit := self._bandit(value, at)) is not None:
                at.draft.problems.append(Problem(name, bandit, bandit.content()))
        elif (path := _FILE.read(value, at)) is not None and (bandit := self._from_file(path, at)) is not None:
            at.draft.problems.append(Problem(name, bandit, path))

    def _from_file(self, path: Path, at: Reading) -> ScalarBandit | None:
        try:
            source = yaml_source.read(at.draft.folder / path)
        except InputError as error:
            at.note(str(error))
            return None
        at.draft.posed.append(Posed(is_scalar=True))
        inside = Reading()
        bandit = self._bandit(source.data, inside, str(path))
        for mistake in [*source.mistakes, *source.located(inside.draft.noted)]:
            at.note(f"{path}:{mistake.place.line}:{mistake.place.column} {mistake.message}")
        return bandit

    def _bandit(self, content: dict[Any, Value], at: Reading, source: str | None = None) -> ScalarBandit | None:
        before = len(at.draft.noted)
        said = self.keys.read(content, at)
        if not self._is_complete(content, at, before):
            return None
        means, decision, names = said.pop("means"), DECISIONS[said.pop("decision")], said.pop("names", None)
        if names is not None and len(names) != len(means):
            at.below("names").note(f"has {len(names)} names for {len(means)} means")
            return None
        try:
            return ScalarBandit(means, decision, said, names, source or f"{decision.name} of {len(means)} means")
        except InputError as error:
            at.note(str(error))
            return None

    def _is_complete(self, content: dict[Any, Value], at: Reading, before: int) -> bool:
        """Whether all that makes up a bandit is right: of what was noted since, all are keys that mean nothing."""
        known = {key for keys in self.keys.by_tag.values() for key in keys.keys}
        idle = {(*at.location, str(key)) for key in content if key not in known and not likeliest(key, known)}
        return all(noted.location in idle for noted in at.draft.noted[before:])

    def json_schema(self) -> Schema:
        return {"anyOf": [_FILE.json_schema(), *self.keys.json_schema()["anyOf"]]}


BANDIT = _Bandit()
