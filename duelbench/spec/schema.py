"""JSON Schema of the spec, for editors that complete and check YAML."""

from collections.abc import Mapping
from typing import Any

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.spec.document import Document
from duelbench.spec.entries import entries_json_schema
from duelbench.spec.scales import scales_json_schema

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The newest draft that yaml-language-server supports."""


def schema(algorithms: Mapping[str, Algorithm] | None = None) -> dict[str, Any]:
    """JSON Schema (draft 7) of a spec file.

    It knows the names, types and ranges of everything; what depends on other files or on two keys together,
    only `duelbench.spec.load.load` checks.

    Parameters
    ----------
    algorithms : mapping of str to Algorithm, optional
        Those a spec may name, by id; by default all, plug-ins included.

    Examples
    --------
    >>> described = schema()
    >>> described["properties"]["runs"]["default"], described["required"]
    (100, ['horizon', 'algorithms'])
    """
    known = registry.algorithms() if algorithms is None else algorithms
    described = Document.model_json_schema()
    properties = described["properties"]
    for required in ("name", "title", "matrix", "problem", "problems", "sweep", "figure", "scales"):
        # Their defaults stand for "not given" and would not be valid if written.
        del properties[required]["default"]
    properties["algorithms"] = {**properties["algorithms"], **entries_json_schema(known)}
    properties["scales"] = {**properties["scales"], **scales_json_schema(list(properties))}
    return {"$schema": DRAFT, **described, "oneOf": [{"required": [key]} for key in ("matrix", "problem", "problems")]}
