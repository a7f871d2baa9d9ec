"""JSON Schema draft 7, as far as the schema of specs uses it."""

import re
from collections.abc import Callable
from typing import Any

ANNOTATIONS = {"$schema", "title", "description", "default"}

_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: _TYPES["number"](value) and float(value).is_integer(),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _has_type(value: Any, names: str | list[str]) -> bool:
    return any(_TYPES[name](value) for name in ([names] if isinstance(names, str) else names))


def _additional(value: dict, rule: Any, schema: dict) -> bool:
    others = [item for key, item in value.items() if key not in schema.get("properties", {})]
    return not others if rule is False else all(_is_valid(item, rule) for item in others)


def _properties(value: dict, rule: dict, _: dict) -> bool:
    return all(_is_valid(value[key], inner) for key, inner in rule.items() if key in value)


# Keyword -> the type of value that it speaks of, and its test (value, what the schema says, whole schema).
_KEYWORDS: dict[str, tuple[str | None, Any]] = {
    "type": (None, lambda value, rule, _: _has_type(value, rule)),
    "enum": (None, lambda value, rule, _: value in rule),
    "anyOf": (None, lambda value, rule, _: any(_is_valid(value, inner) for inner in rule)),
    "oneOf": (None, lambda value, rule, _: sum(_is_valid(value, inner) for inner in rule) == 1),
    "minimum": ("number", lambda value, rule, _: value >= rule),
    "maximum": ("number", lambda value, rule, _: value <= rule),
    "exclusiveMinimum": ("number", lambda value, rule, _: value > rule),
    "exclusiveMaximum": ("number", lambda value, rule, _: value < rule),
    "pattern": ("string", lambda value, rule, _: re.search(rule, value)),
    "minLength": ("string", lambda value, rule, _: len(value) >= rule),
    "maxLength": ("string", lambda value, rule, _: len(value) <= rule),
    "items": ("array", lambda value, rule, _: all(_is_valid(item, rule) for item in value)),
    "minItems": ("array", lambda value, rule, _: len(value) >= rule),
    "maxItems": ("array", lambda value, rule, _: len(value) <= rule),
    "properties": ("object", _properties),
    "additionalProperties": ("object", _additional),
    "propertyNames": ("object", lambda value, rule, _: all(_is_valid(key, rule) for key in value)),
    "required": ("object", lambda value, rule, _: all(key in value for key in rule)),
    "minProperties": ("object", lambda value, rule, _: len(value) >= rule),
    "maxProperties": ("object", lambda value, rule, _: len(value) <= rule),
}


def _is_valid(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a schema without references accepts the value; a keyword that is not known here is a `KeyError`."""
    for keyword, rule in schema.items():
        if keyword in ANNOTATIONS:
            continue
        applies_to, test = _KEYWORDS[keyword]
        if (applies_to is None or _TYPES[applies_to](value)) and not test(value, rule, schema):
            return False
    return True


def validator(schema: dict[str, Any]) -> Callable[[Any], bool]:
    """What says of a value whether the schema accepts it."""
    resolved = without_references(schema)
    return lambda value: _is_valid(value, resolved)


def without_references(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with what its references point to, its own definitions and properties, in their places."""
    resolved: dict[str, Any] = {}

    def resolve(part: Any) -> Any:
        if isinstance(part, list):
            return [resolve(one) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" not in part:
            return {keyword: resolve(rule) for keyword, rule in part.items()}
        place = part["$ref"]
        if place not in resolved:
            _, group, name = place.split("/")
            resolved[place] = resolve(schema[group][name])
        return resolved[place]

    return {keyword: resolve(rule) for keyword, rule in schema.items() if keyword != "$defs"}
