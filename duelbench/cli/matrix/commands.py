"""``duelbench matrix``: preference matrices from families and from data."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from duelbench.cli import options
from duelbench.cli.matrix.from_rankings import from_rankings
from duelbench.cli.matrix.output import Output, check_output, write_matrix
from duelbench.cli.options import Columns, Ignore, WithoutJudge, as_in_a_spec, columns_of, named_values, whole
from duelbench.cli.printing import tell, tell_large, write_files
from duelbench.cli.streams import say
from duelbench.errors import InputError

Format = Literal["matrix", "mslr", "sushi", "preflib", "cvotes", "rankings", "pairs", "counts", "session"]
"""Formats of data files, described in `duelbench.data.votes.FORMATS`."""

matrix = typer.Typer(
    help="Make preference matrices.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@matrix.command("generate")
def generate(
    family: Annotated[
        str,
        typer.Argument(help="A family (see `duelbench list families`), or rankings."),
    ],
    parameters: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="Its parameters; lists with commas, such as sizes=1,3."),
    ] = None,
    *,
    output: Output,
    seed: Annotated[int | None, options.seed("Seed of families with random draws.", "0")] = None,
) -> None:
    """Generate a matrix of a family, or judged documents.

    `rankings` generates judged documents for `duelbench matrix from-rankings`.

    \b
    Examples:
      duelbench matrix generate linear n_arms=16 -o linear16.csv
      duelbench matrix generate bradley-terry n_arms=64 --seed 7 -o bt64.csv
      duelbench matrix generate rankings queries=1000 features=16 -o rankings.txt

    The parameters of rankings are queries, documents, features, grades, lowest and highest (quality of features), kinds
    (of queries), spread (of qualities between them) and levels (of features with ties).
    """
    if family == "rankings":
        _generate_rankings(named_values(parameters, "queries=1000"), output, seed or 0)
        return
    check_output(output)

    from duelbench.bandits.problem import families
    from duelbench.data.importing import load_named

    known = families.family(family)
    family_keys, number = _parameters(known, named_values(parameters, "n_arms=64"), seed)
    generated = known.generate(family_keys, number, load=load_named)
    explicit = {name: value for name, value in family_keys.items() if value is not None}
    shown = ", ".join(f"{name}={_shown(value)}" for name, value in explicit.items())
    drawn = f"seed {number}" if known.is_random else "nothing is random"
    say(write_matrix(generated, output, [f"family {known.name}: {shown}; {drawn}", known.description]))


@matrix.command("import")
def import_(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="A data file, or fetched data such as mslr-informational.")
    ],
    *,
    output: Output,
    format: Annotated[
        Format | None, typer.Option("--format", help="Format of the file. Default: recognized from its contents.")
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="The arms to keep, by name or number: tuna,4,7-9; or a published set of MSLR rankers such as"
            " mslr16-condorcet. Numbers start at 0; in MSLR, sushi and PrefLib files at 1, as published.",
        ),
    ] = None,
    min_count: Annotated[
        int, typer.Option("--min-count", parser=whole(1), metavar="N", help="Least number of comparisons of a pair.")
    ] = 1,
    missing: Annotated[
        Literal["error", "half"], typer.Option(help="Treat a pair with fewer comparisons as an error or a tie.")
    ] = "error",
    unranked: Annotated[
        Literal["ignore", "lose"] | None,
        typer.Option(
            help="Arms that an order leaves out: ignore their pairs, or they lose against every ranked one (the default"
            " for PrefLib)."
        ),
    ] = None,
    names: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Names of the file's arms, one per line, in their order.")
    ] = None,
    columns: Columns = None,
    ignore: Ignore = None,
    without_judge: WithoutJudge = None,
) -> None:
    """Derive a matrix from votes, games, rankings or counts of wins.

    \b
    Examples:
      duelbench matrix import games.csv -o dishes.csv
      duelbench matrix import lunch.txt --missing half -o lunch.csv
      duelbench matrix import votes.soi --arms 1-8 -o votes.csv
      duelbench matrix import survey.csv --columns a=left,b=right,winner=choice -o survey-matrix.csv

    \b
    FILE may hold
      votes or games     CSV or JSON with columns such as model_a, model_b, winner; winner, loser; home, away, goals
      scores             columns such as prompt, model, score: of each prompt, every two models are compared
      counts of wins     a square table, row i and column j: wins of i against j
      answers            the log of a live session
      rankings           one per line: tacos > sushi = pizza; or columns 1st, 2nd, 3rd
      elections          PrefLib's orders, the Condorcet Election Format (.cvotes), the sushi survey
      probabilities      any matrix file, also percentages, ratios (AHP), gaps, one half, or rounded
    """
    check_output(output, source)

    from duelbench.data.importing import import_matrix

    tell_large([Path(source)])
    imported = import_matrix(
        source,
        format,
        arms=arms,
        min_count=min_count,
        missing=missing,
        unranked=unranked,
        names=names,
        columns=columns_of(columns),
        ignore=ignore or (),
        without=without_judge or (),
    )
    tell("\n  ".join([f"{imported.path}: {imported.form}", *imported.notes]))
    comments = [f"from {imported.path.name} (SHA-256 {imported.sha256}), {imported.form}", *imported.notes]
    say(write_matrix(imported.matrix, output, comments))


@matrix.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(help="mslr or sushi; for mslr-web10k and mslr-web30k, prints where they are.")],
    copy: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="Use a local copy instead: a file or a folder."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Fetch again, and overwrite existing data.")] = False,
) -> None:
    """Download data that cannot ship with duelbench.

    \b
    Examples:
      duelbench matrix fetch mslr
      duelbench matrix fetch sushi --from sushi3-2016.zip

    Stores the data in $XDG_DATA_HOME/duelbench or ~/.local/share/duelbench, and checks published SHA-256 sums. No other
    command uses the network.
    """
    from duelbench.data import datasets

    if name in datasets.ELSEWHERE:
        say(f"{name}: {datasets.ELSEWHERE[name]}")
        return
    wanted = datasets.collection(name)
    folder = datasets.data_folder() / wanted.name
    if not force and all((folder / file.name).is_file() for file in wanted.files):
        tell(f"{folder}: {wanted.name} already exists; --force fetches it again")
        return
    if copy is None:
        tell(f"{wanted.name}: {wanted.description}; {wanted.terms}")
    files = datasets.fetched(wanted) if copy is None else datasets.copied(wanted, copy)
    for path in [] if force else [folder / file for file in files]:
        if path.exists() and path.read_bytes() != files[path.name]:
            raise InputError(f"{path} already exists and differs; --force overwrites it")
    write_files({folder / file: content for file, content in files.items()})


def _parameters(family: Any, texts: Mapping[str, str], seed: int | None) -> tuple[dict[str, Any], int]:
    """The parameters and the seed of a family, from ``NAME=VALUE`` arguments and ``--seed``, read as in a spec."""
    from duelbench.bandits.problem.family import Numbers
    from duelbench.experiments.spec.fields import Notes
    from duelbench.experiments.spec.problems import FAMILY_MODELS, family_parameters

    if "seed" in texts:
        raise InputError("give the seed as --seed")
    content: dict[str, Any] = {"family": family.name}
    for name, text in texts.items():
        is_list = isinstance(family.parameters.get(name), Numbers)
        content[name] = [as_in_a_spec(part) for part in text.split(",")] if is_list else as_in_a_spec(text)
    if seed is not None:
        content["seed"] = seed
    notes = Notes()
    keys = notes.attempt((), FAMILY_MODELS[family.name].model_validate, content)
    parameters = None if keys is None else notes.attempt((), family_parameters, keys)
    if parameters is None:
        reasons = [": ".join([*map(str, location), message]) for location, message, _ in notes.mistakes]
        raise InputError(f"{family.name}: {'; '.join(reasons)}")
    return parameters


def _shown(value: Any) -> str:
    """Format the value of a parameter as on the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _generate_rankings(texts: Mapping[str, str], output: Path, seed: int) -> None:
    """Write judged documents in the format of MSLR and LETOR."""
    from duelbench.data.rankings.generator import parameters_of, write_generated
    from duelbench.version import VERSION

    if output.suffix.lower() == ".csv":
        text_file = output.with_suffix(".txt")
        raise InputError(f"--output {output}: judged documents are not a matrix; call the file {text_file}")
    parameters = parameters_of(texts)
    shown = ", ".join(f"{name}={value:g}" for name, value in parameters.items())
    try:
        write_generated(output, seed, parameters, f"duelbench {VERSION}: rankings: {shown}; seed {seed}")
    except OSError as error:
        raise InputError(f"--output {output}: cannot be written: {error.strerror or error}") from None
    n_documents = parameters["queries"] * parameters["documents"]
    say(f"{output}: {parameters['queries']} queries with {n_documents} documents, {parameters['features']} features")
    command = ["duelbench", "matrix", "from-rankings", str(output), "-o", str(output.with_suffix(".csv"))]
    say(f"next: {shlex.join(command)}")


matrix.command("from-rankings")(from_rankings)
