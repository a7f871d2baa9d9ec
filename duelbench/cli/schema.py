"""``duelbench schema``: the JSON Schema of specs."""

import json

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
    """The JSON text that ``duelbench schema`` prints, with a newline at its end."""
    from duelbench.spec.schema import schema as json_schema

    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
