"""``duelbench schema``: the JSON Schema of specs."""

import json
import re

from duelbench.cli.streams import say


def schema() -> None:
    """Print the JSON Schema of specs, for editors.

    \b
    Example:
      duelbench schema > spec.schema.json

    Editors that know the YAML language server complete and check a spec whose first line names the file:
    # yaml-language-server: $schema=../spec.schema.json
    """
    say(rendered(), end="")


def rendered() -> str:
    """The JSON Schema of specs as text."""
    from duelbench.experiments.spec.schema import schema as json_schema

    compact = json.dumps(json_schema(), ensure_ascii=False, separators=(",", ":"))
    return re.sub(r'("[^"]+":\{)', r"\n\1", compact) + "\n"  # a line for each key, by which changes can be read
