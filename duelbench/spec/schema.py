"""JSON Schema of the spec, for editors that complete and check YAML."""

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
    return {"$schema": DRAFT, "title": "duelbench experiment", **DOCUMENT.json_schema(), **one_of}
