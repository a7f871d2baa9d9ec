"""Reads the ``figure`` of a spec into a pydantic model: the options that the module of its kind declares.

Specs must not import figures, so kinds are looked up by name, as modules of `duelbench.experiments.figures.kinds`.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

from duelbench.common.numerals import shown
from duelbench.errors import InputError, likeliest, nearest, nearest_or_all
from duelbench.experiments.spec.yaml_source import Mistake

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

KINDS = "duelbench.experiments.figures.kinds"

BOUNDS = ("copeland", "ecw", "condorcet")
"""Asymptotic bounds that a figure can show, kinds of `duelbench.bandits.problem.bounds`."""


def kinds() -> tuple[str, ...]:
    """Return the kinds of figures, in alphabetical order."""
    names: tuple[str, ...] = import_module(KINDS).names()
    return names


def kind_module(kind: str) -> Any:
    """Return the module of a kind of figure."""
    return import_module(KINDS).module_of(kind)


def usual_kind(has_sweep: bool, identifies: bool, has_budget: bool) -> str:
    """Return the default kind of figure of a spec.

    Examples
    --------
    >>> usual_kind(False, False, False), usual_kind(True, False, False), usual_kind(False, True, False)
    ('regret', 'sweep', 'waiting')
    """
    if has_sweep:
        return "sweep"
    if identifies:
        return "error" if has_budget else "waiting"
    return "regret"


def read_figure(options: Mapping[str, Any]) -> Any:
    """Read the options of a figure, ``kind`` among them, into the model of its kind.

    Raises
    ------
    InputError
        With a line for each wrong option.

    Examples
    --------
    >>> read_figure({"kind": "regret", "columns": "2", "y": "[0, 500]"}).y
    (0, 500)
    """
    from pydantic import ValidationError

    kind = options["kind"]
    if kind not in kinds():
        raise InputError(f"kind: unknown kind of figure {shown(kind)}{nearest_or_all(kind, kinds())}")
    model = kind_module(kind).Options
    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        wrong = [(".".join(where), message) for where, message, _ in mistakes(error, model)]
        lines = (f"{name}: {message}" if name else message for name, message in wrong)
        raise InputError("\n".join(lines)) from None


def mistakes(error: "ValidationError", model: "type[BaseModel]") -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Yield for each wrong option the names that lead to it, a message, and whether the last name itself is wrong."""
    wrong = set()
    for detail in error.errors():
        where = tuple(str(step) for step in detail["loc"])
        if where[:1] != ("styles",):  # any other option is wrong as a whole
            where = where[:1]
        message = detail["msg"].removeprefix("Value error, ")
        if where in wrong:
            continue
        wrong.add(where)
        if detail["type"] == "extra_forbidden":
            yield where, _misplaced(where, model), True
        elif detail["type"] == "literal_error":
            known = [text.strip("'") for text in detail["ctx"]["expected"].replace(" or ", ", ").split(", ")]
            hint = nearest(detail["input"], known)
            yield where, f"{shown(detail['input'])} is none of {', '.join(known)}{hint}", False
        elif not where:
            name, _, message = message.partition(": ")
            yield (name,), message, False
        elif detail["type"] == "value_error":
            yield where, message, False
        else:
            yield where, f"{_in_words(detail)}, got {shown(detail['input'])}", False


def _in_words(detail: Any) -> str:
    """Describe what a value must be, from an error of pydantic."""
    bounds, kind = detail.get("ctx", {}), detail["type"]
    if kind.startswith("bool"):
        return "must be yes or no"
    if kind.startswith("int"):
        return "must be a whole number"
    if kind in ("dict_type", "model_type"):
        keys = "color: red, linestyle: dashed"
        return (
            f"must be keys with values, as in '{{{keys}}}'"
            if kind == "model_type"
            else f"must be looks of labels, as in '{{RUCB: {{{keys}}}}}'"
        )
    if kind == "greater_than":
        return f"must be above {bounds['gt']:g}"
    if kind == "greater_than_equal":
        return f"must be at least {bounds['ge']:g}"
    if kind == "less_than_equal":
        return f"must be at most {bounds['le']:g}"
    message: str = detail["msg"]
    return f"{message[0].lower()}{message[1:]}"


def _misplaced(where: tuple[str, ...], model: "type[BaseModel]") -> str:
    """Return the message about an option that a kind of figure, or the look of a label, does not have."""
    *outer, name = where
    if outer:
        _, look = get_args(model.model_fields["styles"].annotation)
        return f"unknown key of a look{nearest_or_all(name, look.model_fields)}"
    homes = [kind for kind in kinds() if name in kind_module(kind).Options.model_fields]
    if homes:
        return f"is not an option of the kind '{model.model_fields['kind'].default}', only of {', '.join(homes)}"
    known = dict.fromkeys(option for kind in kinds() for option in kind_module(kind).Options.model_fields)
    return f"unknown option of a figure{nearest_or_all(name, known)}"


def plain(value: Any) -> Any:
    """Convert a value of a spec to plain Python: text, lists and mappings; a bare yes or no becomes a truth value."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    truth = getattr(value, "truth", None)
    if truth is not None or value is None:
        return truth
    return str(value)


def read_key(
    value: Any,
    has_sweep: bool,
    identifies: bool,
    has_budget: bool,
    labels: Sequence[str],
    n_runs: int | None,
) -> dict[str, Any]:
    """Return the options of a figure as they were written, in plain JSON types; the default kind is `usual_kind`.

    Parameters
    ----------
    value : mapping
        The key ``figure`` of a spec.
    has_sweep, identifies, has_budget : bool
        Whether the spec has the keys ``sweep``, ``identify`` and ``budget``.
    labels : sequence of str
        The labels of its algorithms, as far as they are known.
    n_runs : int or None
        The least number of its runs, if that is known.

    Raises
    ------
    ValidationError
        With a location below ``figure`` for each wrong option.
    """
    from pydantic import ValidationError

    from duelbench.experiments.spec.fields import error_of

    if not isinstance(value, dict):
        raise ValueError("must be options of a figure, as in '{kind: regret, y: [0, 500]}'")
    options = plain(value)
    misspelt = next((name for name in options if "kind" not in options and likeliest(name, ["kind"])), None)
    if misspelt is not None:
        raise error_of([Mistake((misspelt,), "unknown option of a figure (did you mean 'kind'?)", at_key=True)])
    kind = options.get("kind", usual_kind(has_sweep, identifies, has_budget))
    if kind not in kinds():
        message = f"unknown kind of figure {shown(kind)}{nearest_or_all(kind, kinds())}"
        raise error_of([Mistake(("kind",), message)])
    model = kind_module(kind).Options
    try:
        read = model.model_validate({"kind": kind, **options})
    except ValidationError as error:
        # An option that is not in the spec has no place in it, so the message must name the option.
        raise error_of(
            Mistake(where, message, is_name)
            if where[0] in options or not where[0]
            else Mistake((), f"{where[0]}: {message}", is_name)
            for where, message, is_name in mistakes(error, model)
        ) from None
    known = {
        **({"sweep": None} if has_sweep else {}),
        **({"identify": None} if identifies else {}),
        **({"budget": None} if has_budget else {}),
        "labels": labels,
        "runs": n_runs,
    }
    misfits = [Mistake(where, message, at_key=len(where) > 1) for where, message in read.misfits(known)]
    if misfits:
        raise error_of(misfits)
    written: dict[str, Any] = read.model_dump(mode="json", exclude_unset=True)
    return {name: written[name] for name in options}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``figure``, whose options depend on its kind."""
    from duelbench.experiments.spec.fields import json_schema_of

    schemas = {kind: json_schema_of(kind_module(kind).Options) for kind in kinds()}
    for schema in schemas.values():
        schema["properties"]["kind"].pop("default", None)
    usual = [schemas[kind] for kind in ("regret", "sweep", "waiting", "error")]
    described = "; ".join(f"{kind}: {what}" for kind, what in import_module(KINDS).summaries().items())
    return {
        "type": "object",
        "properties": {"kind": {"enum": list(kinds()), "description": described}},
        "allOf": [
            {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": schema}
            for kind, schema in schemas.items()
        ]
        + [{"if": {"not": {"required": ["kind"]}}, "then": {"anyOf": usual}}],
    }
