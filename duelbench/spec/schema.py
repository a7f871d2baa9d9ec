"""JSON Schema of the spec, for editors that complete and check YAML."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from duelbench.spec.document import DOCUMENT
from duelbench.spec.kinds import Schema
from duelbench.spec.scales import PROBLEMS

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The newest draft that yaml-language-server supports."""


def schema() -> Schema:
    """JSON Schema (draft 7) of a spec file, with all algorithms, plug-ins included.

    It knows the names, types and ranges of everything; what depends on other files or on two keys together,
    only `duelbench.spec.load.load` checks.

    Examples
    --------
    >>> described = schema()
    >>> described["properties"]["runs"]["default"], described["required"]
    (100, ['algorithms'])
    """
    one_of = {"oneOf": [{"required": [key]} for key in PROBLEMS]}
    described = {"$schema": DRAFT, "title": "duelbench experiment", **DOCUMENT.json_schema(), **one_of}
    return _said_once(described)


SHORTEST = 60
"""Characters from which on a part of the schema is worth a definition of its own."""


def _said_once(described: Schema) -> Schema:
    """The same schema, in which parts that occur several times are definitions that the others refer to."""
    texts = Counter(text for _, text in _parts("", described))
    definitions: dict[str, Any] = {}
    names: dict[str, str] = {}
    for key, text in _parts("", described):
        if texts[text] > 1 and len(text) >= SHORTEST and text not in names:
            taken = sum(name.partition("-")[0] == key for name in names.values())
            names[text] = f"{key}-{taken + 1}" if taken else key

    def refer(part: Any, is_definition: bool = False) -> Any:
        if isinstance(part, list):
            return [refer(one) for one in part]
        if not isinstance(part, dict):
            return part
        name = None if is_definition else names.get(json.dumps(part))
        if name is None:
            return {key: refer(value) for key, value in part.items()}
        if name not in definitions:
            definitions[name] = refer(part, is_definition=True)
        return {"$ref": f"#/$defs/{name}"}

    referring = refer(described)
    return {**referring, "$defs": dict(sorted(definitions.items()))} if definitions else referring


def _parts(key: str, part: Any) -> Iterator[tuple[str, str]]:
    """All objects in a schema, each with the last key that leads to it and its text as JSON."""
    if isinstance(part, dict):
        yield key, json.dumps(part)
        for name, value in part.items():
            yield from _parts(name, value)
    elif isinstance(part, list):
        for value in part:
            yield from _parts(key, value)
