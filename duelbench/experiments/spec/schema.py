"""The JSON Schema of specs, for editors: made from the models, with all algorithms."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from duelbench.experiments.spec.document import Experiment
from duelbench.experiments.spec.entries import algorithm_models
from duelbench.experiments.spec.fields import Schema, json_schema_of
from duelbench.experiments.spec.scales import PROBLEM_KEYS
from duelbench.experiments.spec.yaml_source import EXTENSION

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The newest draft that yaml-language-server supports."""


def schema() -> Schema:
    """Return the JSON Schema (draft 7) of a spec file, with all algorithms, plug-ins included.

    It has the names, types and ranges of all keys. Only `duelbench.experiments.spec.load.load` checks what depends on
    other files or on two keys together.

    Examples
    --------
    >>> described = schema()
    >>> described["properties"]["runs"]["default"], described["required"]
    (100, ['algorithms'])
    """
    top = json_schema_of(Experiment)
    described = {id: json_schema_of(model) for id, model in algorithm_models().items()}
    ids = {"enum": [*described]}
    options = {id: {**keys, "type": ["object", "null"]} for id, keys in described.items()}
    with_keys = {
        "type": "object",
        "properties": options,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    items = {"type": "array", "items": {"anyOf": [ids, with_keys]}, "minItems": 1}
    top["properties"]["algorithms"] = {**top["properties"]["algorithms"], "anyOf": [ids, items]}
    extensions: Schema = {"patternProperties": {f"^{EXTENSION}": {}}}
    one_of = {"oneOf": [{"required": [key]} for key in PROBLEM_KEYS]}
    return _without_repetition({"$schema": DRAFT, "title": "duelbench experiment", **top, **extensions, **one_of})


REFERENCE = 30
"""Approximate length of a reference to a definition, in characters."""


def _without_repetition(described: Schema) -> Schema:
    """Replace parts of a schema that occur several times by references to definitions."""
    parts = list(_parts("", described))
    uses = Counter(text for _, text in parts)
    names: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for key, text in parts:
        saved = (uses[text] - 1) * len(text) - (uses[text] + 1) * REFERENCE
        if saved > 0 and text not in names:
            taken[key] += 1
            names[text] = f"{key}-{taken[key]}" if taken[key] > 1 else key
    definitions: dict[str, Any] = {}

    def refer(part: Any, is_definition: bool = False) -> Any:
        if isinstance(part, list):
            return [refer(item) for item in part]
        if not isinstance(part, dict):
            return part
        name = None if is_definition else names.get(json.dumps(part))
        if name is None:
            return {key: refer(value) for key, value in part.items()}
        if name not in definitions:
            definitions[name] = refer(part, is_definition=True)
        return {"$ref": f"#/$defs/{name}"}

    return {**refer(described), "$defs": dict(sorted(definitions.items()))}


def _parts(key: str, part: Any) -> Iterator[tuple[str, str]]:
    """Yield each object in a schema: the last key that leads to it, and its text as JSON."""
    if isinstance(part, dict):
        if key != "properties":  # not a schema but a mapping of keys: a reference in it would be one more key
            yield key, json.dumps(part)
        for name, value in part.items():
            yield from _parts(name, value)
    elif isinstance(part, list):
        for value in part:
            yield from _parts(key, value)
