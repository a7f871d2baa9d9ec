"""Commands in the process of the tests: what they answer, and what they refuse."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import InputError

ROOT = Path(__file__).parents[2]


def command(*words: object, said: str = "") -> Any:
    """What became of a command; ``said`` is its standard input, and errors stay in the result."""
    return CliRunner().invoke(app, [*map(str, words)], input=said, env={"TERM": "dumb"})


def done(*words: object, said: str = "") -> Any:
    """What became of a command that has done its work."""
    result = command(*words, said=said)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def document(*words: object, said: str = "") -> Any:
    """The JSON document of a command."""
    return json.loads(done(*words, "--json", said=said).stdout)


def failed(kind: type[Exception], *words: object) -> str:
    """The message with which a command ends."""
    result = command(*words)
    assert type(result.exception) is kind, (result.output, result.exception)
    return str(result.exception)


def refused(*words: object) -> str:
    """The one message of a command whose input is wrong: exit code 2, nothing written below the working folder."""
    before = content(Path.cwd())
    result = command(*words)
    if isinstance(result.exception, SystemExit):  # an option that cannot be read
        code, message = result.exit_code, " ".join(result.stderr.split())
    else:
        assert isinstance(result.exception, InputError), (result.output, result.exception)
        code, message = result.exception.exit_code, str(result.exception)
    assert code == 2, result.output
    assert content(Path.cwd()) == before
    return message


def content(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder: path -> bytes of a file, None for a folder; without what Python itself caches."""
    found = [path for path in folder.rglob("*") if "__pycache__" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found}
