"""What the parameters of algorithms, of families of matrices and of decisions may be, as keys of a spec."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from duelbench.parameters import Parameter
from duelbench.problem.family import MatrixName, Numbers
from duelbench.problem.matrix_files import MAX_ARMS
from duelbench.spec.kinds import REAL, SPELLED, SPELLED_REAL, TRUTH, UNSAID, Key, Parsed, Schema, Whole, word
from duelbench.spec.yaml_source import Value

_INTEGERS = Whole(-(2**63), 2**63 - 1)
"""What a compiled algorithm can take as an integer."""


@dataclass(frozen=True)
class OfParameter(Parsed):
    """What a parameter takes: text of the type of its default, which `Parameter.check` judges."""

    parameter: Parameter

    def parse(self, value: Value) -> Any:
        parameter = self.parameter
        if value is None and parameter.default is None:
            return None
        if isinstance(parameter, Numbers):
            numbers = value if isinstance(value, list) else [value]
            return parameter.check([REAL.parse(number) for number in numbers[: MAX_ARMS + 1]])
        if isinstance(parameter, MatrixName):
            return parameter.check(word(value, "the path of a matrix file"))
        if isinstance(parameter.default, bool):
            return parameter.check(TRUTH.parse(value))
        if isinstance(parameter.default, str):
            return parameter.check(word(value, "a name"))
        return parameter.check((_INTEGERS if isinstance(parameter.default, int) else REAL).parse(value))

    def json_schema(self) -> Schema:
        parameter = self.parameter
        if isinstance(parameter, MatrixName):
            return {"type": "string", "minLength": 1}
        if isinstance(parameter, Numbers):
            number = _number(parameter, parameter.whole)
            several = {"type": "array", "items": number, "minItems": max(parameter.fewest, 1)}
            return several if parameter.fewest > 1 else {"anyOf": [number, several]}
        if parameter.choices is not None:
            return {"enum": list(parameter.choices)}
        if isinstance(parameter.default, bool):
            return {"type": "boolean"}
        return _number(parameter, isinstance(parameter.default, int))


def _number(parameter: Parameter, is_whole: bool) -> Schema:
    kind = "integer" if is_whole else "number"
    schema: Schema = {"type": [kind, "null"] if parameter.default is None else kind}
    if parameter.low is not None:
        schema["exclusiveMinimum" if parameter.low_open else "minimum"] = parameter.low
    if parameter.high is not None:
        schema["exclusiveMaximum" if parameter.high_open else "maximum"] = parameter.high
    return {"anyOf": [schema, SPELLED if is_whole else SPELLED_REAL]}


def parameter_keys(parameters: Mapping[str, Parameter]) -> dict[str, Key]:
    """The keys of these parameters."""
    return {
        name: Key(OfParameter(parameter), parameter.description, *_default(parameter))
        for name, parameter in parameters.items()
    }


def _default(parameter: Parameter) -> tuple[Any, ...]:
    """The default and what to add instead of it, for the matrix that a family cannot do without."""
    if isinstance(parameter, MatrixName):
        return UNSAID, f"add the {parameter.description}"
    return (parameter.default,)
