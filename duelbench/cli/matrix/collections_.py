"""``duelbench matrix generate rankings``: a collection of judged documents that is made up."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from duelbench.cli.matrix.output import parse_seed
from duelbench.cli.streams import say
from duelbench.errors import InputError

RANKINGS = "rankings"
"""What `duelbench matrix generate` takes in the place of a family."""


def generate_collection(parameters: Sequence[str], output: Path, seed: str | None, force: bool) -> None:
    """Write a collection in the format of MSLR and LETOR."""
    from duelbench.rankings.generator import parameters_of, write_generated
    from duelbench.version import VERSION

    if output.suffix.lower() == ".csv":
        raise InputError(
            f"--output {output}: judged documents are no matrix; call the file {output.with_suffix('.txt')}"
        )
    if output.is_dir():
        raise InputError(f"--output {output}: is a folder; name a file in it")
    if output.exists() and not force:
        raise InputError(f"--output {output}: is there already; --force writes over it")
    number = 0 if seed is None else parse_seed(seed)
    given: dict[str, str] = {}
    for argument in parameters:
        name, equals, text = argument.partition("=")
        if not equals:
            raise InputError(f"'{argument}': write parameters as NAME=VALUE, as in queries=1000")
        if name in given:
            raise InputError(f"'{argument}': {name} is given twice")
        given[name] = text
    asked = parameters_of(given)
    shown = ", ".join(f"{name}={value:g}" for name, value in asked.items())
    try:
        write_generated(output, number, asked, f"duelbench {VERSION}: rankings: {shown}; seed {number}")
    except OSError as error:
        raise InputError(f"--output {output}: cannot be written: {error.strerror or error}") from None
    n_documents = asked["queries"] * asked["documents"]
    say(f"{output}: {asked['queries']} queries with {n_documents} documents, {asked['features']} features")
    matrix = shlex.quote(str(output.with_suffix(".csv")))
    say(f"next: duelbench matrix from-rankings {shlex.quote(str(output))} -o {matrix}")
