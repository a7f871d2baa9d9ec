"""``duelbench matrix from-rankings``: rankers compared through clicks on interleaved lists of judged documents."""

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from duelbench.cli import options
from duelbench.cli.bar import Bar
from duelbench.cli.matrix.output import Output, check_output, write_matrix
from duelbench.cli.options import named_values, whole
from duelbench.cli.streams import say
from duelbench.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from duelbench.data.judgements import Judgements
    from duelbench.data.rankers import RankerMatrix
    from duelbench.data.rankings.clicks import ClickModel
    from duelbench.data.rankings.comparing import Procedure
    from duelbench.data.rankings.orders import Collection


ERRORS = ".errors.csv"
"""Ending of the file of standard errors."""


def from_rankings(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Judged documents in the SVMlight format of MSLR and LETOR.")
    ],
    *,
    output: Output,
    clicks: Annotated[
        Literal["perfect", "navigational", "informational"] | None,
        typer.Option(help="How users click.", show_default="informational"),
    ] = None,
    click: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Your own click probability per grade, from grade 0: 0.1,0.5,1."),
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="With --click: the probability to stop after a click, per grade: 0,0.2,0.9."),
    ] = None,
    interleaving: Annotated[
        Literal["probabilistic", "team-draft", "balanced"], typer.Option(help="How two lists are merged.")
    ] = "probabilistic",
    length: Annotated[
        int, typer.Option(parser=whole(1, 100), metavar="N", help="Number of documents that a user sees.")
    ] = 10,
    features: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="The features that are rankers: 1-20,25.", show_default="all"),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="A ranker of your own: one score per document line; repeat for more."),
    ] = None,
    standard_error: Annotated[
        float, typer.Option("--standard-error", metavar="P", help="Target standard error of each probability.")
    ] = 0.005,
    seed: Annotated[int, options.seed()] = 0,
    jobs: Annotated[int | None, options.jobs("Comparisons at the same time.")] = None,
) -> None:
    """Compare rankers through clicks on interleaved lists.

    \b
    Examples:
      duelbench matrix from-rankings Fold1/train.txt --clicks navigational -o mslr.csv
      duelbench matrix from-rankings train.txt --features 1-10 --scores bm25=bm25.txt -o eleven.csv
      duelbench matrix from-rankings train.txt --click 0,0.5,1 --stop 0,0,0.5 -o mine.csv

    Each feature is a ranker: it orders the documents of a query, the highest value first. Standard errors go to
    NAME.errors.csv beside the matrix. An interrupted command resumes.
    """
    check_output(output, *files)
    score_files = _scores(scores)

    from duelbench.data.judgements import read_judgements
    from duelbench.data.rankers import Known, compare_all, identity_of
    from duelbench.data.rankings.clicks import named, scale_of
    from duelbench.data.rankings.comparing import Procedure
    from duelbench.data.rankings.reading import line_of
    from duelbench.experiments.running import all_cores

    custom_model = _custom_clicks(click, stop)
    if custom_model is not None and clicks:
        raise InputError("--clicks is for named models; leave it out with --click and --stop")
    wanted = None if features is None else _features(features)
    n_jobs = jobs or all_cores()
    with closing(Bar()) as bar:

        def tell(stage: str, share: float) -> None:
            bar.show(stage, f"{stage}  {share:.0%}", share)

        try:
            judgements = read_judgements(files, score_files, n_jobs, bar.say, tell)
            collection = _chosen(judgements.collection, wanted, len(score_files))
            grades = collection.grades
            highest = int(grades.max())
            model = custom_model or named(clicks or "informational", scale_of(highest))
            if highest >= model.n_grades:
                line = line_of(judgements.positions, int(grades.argmax()))
                raise InputError(
                    f"{line} has grade {highest}, but the click model knows the grades 0 to {model.n_grades - 1};"
                    " give --click and --stop for each grade"
                )
            procedure = Procedure(interleaving, model, standard_error, seed, length)
            _check_names(collection.names)
            n = len(collection.names)
            documents = f"{collection.n_queries} queries with {len(collection.grades)} documents"
            bar.say(f"{documents}, {n} rankers; grades 0 to {highest}")
            if highest == grades.min():
                bar.say(f"all documents have grade {highest}: the results say nothing about relevance")
            identity = identity_of(collection, judgements.sha256, procedure)
            known = Known(output.with_name(f"{output.name}.part"), identity, n * (n - 1) // 2)
            estimated = compare_all(collection, procedure, known, n_jobs, bar.say, tell)
        except KeyboardInterrupt:
            bar.say("interrupted; the same command resumes")
            raise
    _write(estimated, procedure, judgements, output)
    known.remove()


def _scores(arguments: list[str] | None) -> dict[str, str]:
    """The rankers of ``--scores``: name -> file."""
    paths = named_values(arguments, "bm25=scores.txt")
    for name, path in paths.items():
        if not path:
            raise InputError(f"--scores {name}=: name a file, as in bm25=scores.txt")
    return paths


def _custom_clicks(click: str | None, stop: str | None) -> "ClickModel | None":
    """The click model of ``--click`` and ``--stop``; None without them."""
    from duelbench.data.rankings.clicks import ClickModel

    if click is None and stop is None:
        return None
    if click is None or stop is None:
        raise InputError("--click and --stop go together: a probability of each for every grade, from 0 on")
    return ClickModel("own", _probabilities("--click", click), _probabilities("--stop", stop))


def _probabilities(option: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{option} {text}: write one probability per grade with commas, as in 0.1,0.5,1") from None


_MOST_IN_RANGE = 10**5
"""Largest difference between the ends of a range of features."""


def _features(text: str) -> list[int]:
    """The numbers that ``--features`` lists, increasing."""
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not 0 <= last - first <= _MOST_IN_RANGE:
            raise InputError(f"--features {text}: write numbers and increasing ranges, as in 1-20,25")
        numbers += range(first, last + 1)
    return sorted({*numbers})


def _chosen(collection: "Collection", wanted: Sequence[int] | None, n_scores: int) -> "Collection":
    """The collection with the wanted features, and all rankers of ``--scores``, as rankers."""
    n_features = len(collection.names) - n_scores
    chosen = list(range(len(collection.names)))
    if wanted is not None:
        numbers = list(collection.keys[:n_features])
        unknown = [number for number in wanted if number not in numbers]
        if unknown:
            raise InputError(f"--features: no document has feature {unknown[0]}")
        chosen = [numbers.index(number) for number in wanted] + chosen[n_features:]
    if len(chosen) < 2:
        raise InputError("a matrix needs at least two rankers; choose more --features, or give --scores")
    return collection.of(chosen)


def _check_names(names: tuple[str, ...]) -> None:
    """Refuse names that the matrix could not have, before anything is compared."""
    import numpy as np

    from duelbench.bandits.problem.matrix_files import as_csv
    from duelbench.bandits.problem.preferences import PreferenceMatrix

    try:
        ties = PreferenceMatrix(np.full((len(names), len(names)), 0.5), names)
        as_csv(ties.P, ties.names)
    except InputError as error:
        raise InputError(f"--scores: {error}") from None


def _write(estimated: "RankerMatrix", procedure: "Procedure", judgements: "Judgements", output: Path) -> None:
    """Write the matrix and its standard errors, and print a summary of both."""
    from duelbench.bandits.problem.matrix_files import as_csv
    from duelbench.common.atomic import write_asked
    from duelbench.version import VERSION

    comments = _comments(estimated, procedure, judgements.sha256)
    errors = output.with_suffix(ERRORS)
    notes = ["standard errors", *comments, f"written by duelbench {VERSION}"]
    write_asked(errors, as_csv(estimated.errors, estimated.matrix.names, notes).encode(), f"{errors}:")
    say(write_matrix(estimated.matrix, output, comments))
    largest = float(estimated.errors.max())
    size = f"at most {largest:.2g} ({estimated.comparisons:.3g} comparisons)" if largest else "0: all is exact"
    say(f"{errors}: standard errors, {size}")
    doubt = _doubt(estimated.matrix.P, estimated.errors, procedure.standard_error)
    if doubt is not None:
        say(doubt)


def _doubt(P: "np.ndarray", errors: "np.ndarray", standard_error: float) -> str | None:
    """A warning about pairs within two standard errors of 1/2; None if there are none."""
    import numpy as np

    is_open = (errors > 0) & (np.abs(P - 0.5) <= 2 * errors)
    if not is_open.any():
        return None
    n_sure = ((P > 0.5) & ~is_open).sum(axis=1)
    n_possible = n_sure + is_open.sum(axis=1)
    best = int(np.argmax(n_sure))
    is_best_open = bool((np.delete(n_possible, best) >= n_sure[best]).any())
    n_open, n_pairs = int(is_open.sum()) // 2, len(P) * (len(P) - 1) // 2
    warning = f"{n_open} of {n_pairs} pairs {'is' if n_open == 1 else 'are'} within two standard errors of 1/2"
    if is_best_open:
        warning += ", so the best ranker may be best by chance"
    return f"{warning}; --standard-error {standard_error / 2:.2g} takes about four times as long"


def _comments(estimated: "RankerMatrix", procedure: "Procedure", sha256: Mapping[str, str]) -> list[str]:
    """Comments on the origin of the matrix, for its file."""
    model = procedure.clicks
    click, stop = (" ".join(f"{number:g}" for number in numbers) for numbers in (model.click, model.stop))
    fewest, most = estimated.exact
    exact = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return [
        "rankers compared through clicks: entry i, j is the probability that clicks on a list made of both prefer i",
        *(f"from {Path(path).name} (SHA-256 {digest})" for path, digest in sha256.items()),
        f"{procedure.interleaving} interleaving of {procedure.length} documents; {model.name} clicks, of the grades:"
        f" click {click}, stop {stop}",
        f"queries computed exactly, of each pair: {exact}; others drawn with seed {procedure.seed} to a standard error"
        f" of {procedure.standard_error}",
    ]
