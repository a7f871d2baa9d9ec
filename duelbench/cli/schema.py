"""``duelbench schema``: the JSON Schema of specs."""

import json


def schema() -> None:
    """Print the JSON Schema of specs, for editors that complete and check YAML.

    The first line of a spec names the file it is kept in: # yaml-language-server: $schema=../spec.schema.json
    """
    print(rendered(), end="")


def rendered() -> str:
    """The JSON text that ``duelbench schema`` prints, with a newline at its end."""
    from duelbench.experiment.schema import schema as json_schema

    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
