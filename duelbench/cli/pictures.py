"""Pictures, as the commands that draw make them: what is asked for, what was drawn, and the files that it becomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from duelbench.cli.streams import say
from duelbench.errors import InputError, nearest
from duelbench.version import VERSION

if TYPE_CHECKING:
    from duelbench.figures.options import FigureOptions
    from duelbench.results.experiments import Experiment, Incomplete
    from duelbench.results.manifest import Results


class Band(StrEnum):
    """The bands that ``--band`` offers; `duelbench.statistics.curves` says what they are."""

    ci95 = "ci95"
    sem = "sem"
    std = "std"
    iqr = "iqr"
    none = "none"
    range = "range"


@dataclass(frozen=True)
class Asked:
    """What the command line says of figures; None where it says nothing.

    Parameters
    ----------
    regret, band, log_regret, first_round, ymax, only, allow_partial
        The options.
    forms : tuple of str
        The endings of the files to write.
    output : Path, optional
        Of the one figure of all experiments.
    """

    regret: str | None
    band: Band | None
    log_regret: bool
    first_round: int | None
    ymax: float | None
    only: Sequence[str] | None
    allow_partial: bool
    forms: tuple[str, ...]
    output: Path | None

    def over(self, options: "FigureOptions") -> "FigureOptions":
        """The options of a spec with those of the command line over them."""
        if self.first_round is not None and options.kind != "regret":
            raise InputError(f"--from: a figure of the kind '{options.kind}' has no time axis")
        if self.log_regret and options.kind == "self-duels":
            raise InputError("--log-regret: a figure of the kind 'self-duels' has no regret axis")
        if self.band is not None:
            options = replace(options, band=self.band.value)
        if self.log_regret:
            options = replace(options, y_scale="log")
        if self.ymax is not None:
            low = options.y[0] if options.y and options.y[0] < self.ymax else 0
            options = replace(options, y=(low, self.ymax))
        return options

    def having(self, opened: "Sequence[Results]") -> "tuple[Sequence[Results], list[str]]":
        """The results that have a label of ``only``, and a sentence on each label that some of ``opened`` lack.

        Raises
        ------
        InputError
            When none of them has a label, naming it.
        """
        if not self.only or not opened:
            return opened, []
        labels = {str(results.folder): {cell.label for cell in results.cells} for results in opened}
        known = list(dict.fromkeys(cell.label for results in opened for cell in results.cells))
        notes = []
        for label in self.only:
            if label not in known:
                hint = nearest(label, known) or f" (there are {', '.join(known)})"
                raise InputError(f"--only {label}: no algorithm of these results has that label{hint}")
            if lacking := [folder for folder, own in labels.items() if label not in own]:
                notes.append(f"--only {label}: no algorithm of {', '.join(lacking)} has that label")
        return [results for results in opened if labels[str(results.folder)].intersection(self.only)], notes


@dataclass(frozen=True)
class Drawn:
    """What there is to write.

    Parameters
    ----------
    files : mapping of Path to bytes
    notes : list of str
        What to say of them on standard error.
    incomplete : Incomplete
        What is not drawn.
    """

    files: Mapping[Path, bytes]
    notes: Sequence[str]
    incomplete: "Incomplete"


def provenance(experiments: "Sequence[Experiment]", definition: str, band: str) -> dict[str, str]:
    """Title and description of a figure, for the metadata of its files; without dates."""
    versions = sorted({env.get("duelbench", "unknown") for e in experiments for env in e.environments})
    specs = ", ".join(f"{experiment.name} (spec SHA-256 {experiment.spec_sha256})" for experiment in experiments)
    return {
        "title": "; ".join(dict.fromkeys(experiment.title for experiment in experiments)),
        "description": f"Cumulative {definition} regret, band {band}, of {specs}; "
        f"runs by duelbench {', '.join(versions)}, figure by duelbench {VERSION}",
    }


def write_files(files: Mapping[Path, bytes], notes: Sequence[str] = ()) -> None:
    """Write files, each whole or not at all; then print the notes, and the paths of what was written.

    Raises
    ------
    InputError
        When one cannot be written.
    """
    written: list[Path] = []
    try:
        for path, content in files.items():
            write_file(path, content, str(path))
            written.append(path)
    finally:
        for note in notes:
            typer.echo(f"note: {note}", err=True)
        for path in written:
            say(str(path))


def write_file(path: Path, content: bytes, called: str) -> None:
    """Write a file, whole or not at all.

    Parameters
    ----------
    path : Path
    content : bytes
    called : str
        How a message begins that says it cannot be written: with the option, say.

    Raises
    ------
    InputError
        When it cannot be written.
    """
    from duelbench.results import atomic

    try:
        atomic.write(path, content)
    except OSError as error:
        raise InputError(f"{called} cannot be written: {error.strerror or error}") from None


def forms_of(output: Path | None) -> tuple[str, ...]:
    """The endings of the files to write; always with csv."""
    if output is None:
        return ("png", "pdf", "csv")
    from duelbench.figures.drawing.canvas import FORMATS

    known = (*FORMATS, "csv")
    form = output.suffix.lower().removeprefix(".")
    if output.is_dir() or form not in known:
        endings = ", ".join(f".{ending}" for ending in known)
        raise InputError(f"--output {output}: name a file that ends with one of {endings}")
    return (form, "csv")
