"""Draws figures of results: files for the command, Matplotlib figures for Python."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial as bind
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.common import atomic, style_sheet
from duelbench.errors import IncompleteResults, InputError, nearest_or_all
from duelbench.experiments import loading
from duelbench.experiments.drawing import Drawing, forms_of
from duelbench.experiments.execution.progress import Waiting
from duelbench.experiments.figures import kinds
from duelbench.experiments.figures.figure import Drawable, Request, options_of, written_in
from duelbench.experiments.figures.options import KindOptions
from duelbench.experiments.loading import ResultsLike
from duelbench.experiments.results.experiments import (
    Experiment,
    Incomplete,
    bound_notes,
    choose_definition,
    code_notes,
    environment_notes,
    gaps_of,
    version_notes,
)
from duelbench.experiments.results.manifest import Results
from duelbench.version import VERSION

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PlotOptions:
    """Options of figures that are not in their specs."""

    options: Mapping[str, Any] = field(default_factory=dict)  # keys of ``figure`` in a spec, which they replace
    regret: str | None = None  # the definition to draw
    only: Sequence[str] | None = None  # labels
    partial: bool = False  # whether to draw incomplete results
    output: Path | None = None  # the file of one figure for all experiments
    together: bool = False  # whether several experiments share their panels
    take_partial: str = "--allow-partial"  # the option or argument that sets ``partial``


def drawings(
    results: ResultsLike | Sequence[ResultsLike],
    plot_options: PlotOptions,
    plug_in: str | Iterable[str] | None,
    waiting: Waiting,
    notes: list[str],
) -> tuple[list[Drawing], Incomplete]:
    """Read results and make their figures; the second value says what cannot be drawn.

    Notes on the figures are added to ``notes``.
    """
    choose = bind(_with_labels, plot_options.only, notes)
    experiments, incomplete = loading.read_all(results, plug_in, plot_options.partial, waiting, notes.append, choose)
    notes += [f"partial: {gap}" for experiment in experiments for gap in gaps_of(experiment)]
    notes += bound_notes(experiments) + code_notes(experiment.results for experiment in experiments)
    groups = [[experiment] for experiment in experiments]
    if experiments and (plot_options.output or plot_options.together):
        groups = [experiments]
    figures = []
    for group in groups:
        waiting.doing(f"drawing {', '.join(experiment.name for experiment in group)}")
        try:
            figures.append(_drawing(group, plot_options))
        except IncompleteResults as error:
            incomplete.errors.append(str(error))
            continue
        notes += environment_notes(group)
    return figures, incomplete


def _with_labels(only: Sequence[str] | None, notes: list[str], opened: Sequence[Results]) -> Sequence[Results]:
    """The results with a label of ``only``; add a note for each label that some results lack."""
    if not only or not opened:
        return opened
    labels_of = {str(results.folder): {cell.label for cell in results.cells} for results in opened}
    known = list(dict.fromkeys(cell.label for results in opened for cell in results.cells))
    for label in only:
        if label not in known:
            hint = nearest_or_all(label, known)
            raise InputError(f"only {label}: no algorithm of these results has that label{hint}")
        if lacking := [folder for folder, labels in labels_of.items() if label not in labels]:
            notes.append(f"only {label}: no algorithm of {', '.join(lacking)} has that label")
    return [results for results in opened if labels_of[str(results.folder)].intersection(only)]


def plot(
    results: ResultsLike | Sequence[ResultsLike],
    output: str | os.PathLike[str] | None = None,
    *,
    kind: str | None = None,
    regret: str | None = None,
    only: str | Sequence[str] | None = None,
    formats: str | Sequence[str] = (),
    partial: bool = False,
    plug_in: str | Iterable[str] | None = None,
    quiet: bool = False,
    log_regret: bool = False,
    together: bool = False,
    **options: Any,
) -> "Figure | list[Figure]":
    """Draw the figure in the spec of an experiment, as ``duelbench plot``.

    Parameters
    ----------
    results : Results, path, or several of them
        From `duelbench.load`, or a results folder, a folder of several, or a spec.
    output : path, optional
        Write the figure to this file (.png, .pdf, .svg or .pgf), and its numbers beside it as .csv; several experiments
        then share one figure. By default, nothing is written.
    kind : str, optional
        Another kind of figure than the spec's, such as ``survival``. The options in the spec are not used for it.
    regret : str, optional
        The recorded regret to draw; by default the first of the spec.
    only : str or sequence of str, optional
        Labels of the algorithms to draw.
    formats : str or sequence of str, optional
        Further formats to write, such as ``"pgf"``, in addition to that of ``output``.
    partial : bool
        Whether to draw incomplete results; the figure says so. `Results` loaded with ``partial`` do not need it.
    plug_in : str or iterable of str, optional
        .py files or modules with algorithms.
    quiet : bool
        Whether to print nothing on standard error.
    log_regret : bool
        Short for ``y_scale="log"``.
    together : bool
        Whether several experiments share one set of axes.
    options
        All keys of ``figure`` in a spec: ``band``; ``x`` and ``y``, the ends of the axes, as in ``y=(None, 500)``;
        ``style``, ``width`` (``"8cm"``, or a number of inches), ``legend``, ``columns``; ``title``, in place of the
        experiment's (False for none); and so on.

    Returns
    -------
    Figure or list of Figure
        One for all experiments if you give ``output``, else one for each. Notebooks show them.

    Raises
    ------
    InputError
        When an argument is wrong.
    IncompleteResults
        When results are not complete.
    """
    target = None if output is None else Path(output)
    forms = forms_of(target, loading.named(formats))
    options = {"kind": kind, **({"y_scale": "log"} if log_regret else {}), **options}
    labels = loading.named(only) or None
    plot_options = PlotOptions(options, regret, labels, partial, target, together, take_partial="partial=True")
    notes: list[str] = []
    with closing(Waiting(quiet=quiet)) as waiting:
        to_draw, incomplete = drawings(results, plot_options, plug_in, waiting, notes)
        figures = [drawing.drawn(notes) for drawing in to_draw]
    incomplete.raise_any(partial="partial=True")
    for drawing, figure in zip(to_draw, figures, strict=True):
        if target is not None:
            for path, content in drawing.files(forms, notes, figure).items():
                atomic.write_asked(path, content, str(path))
        # Notebooks show figures of pyplot; this one needs a method, and looks there as in its file.
        vars(figure)["_repr_png_"] = bind(drawing.rendered, figure, "png")
    if not quiet:
        for note in dict.fromkeys(notes):
            waiting.say(f"note: {note}")
    return figures[0] if len(figures) == 1 else figures


def _drawing(experiments: Sequence[Experiment], plot_options: PlotOptions) -> Drawing:
    """One figure of all experiments, with the options of their specs."""
    regret = choose_definition(experiments, plot_options.regret)
    mixed = version_notes(experiments)
    if mixed and not plot_options.partial:
        raise IncompleteResults(
            "\n  ".join(["these results cannot share a figure:", *mixed])
            + "\n`duelbench run` with the older spec computes its runs again;"
            f" {plot_options.take_partial} draws them as they are, and says so"
        )
    is_alone = len(experiments) == 1
    requests = []
    for experiment in experiments:
        options = options_of(experiment.results.spec, plot_options.options, experiment.results.spec_folder)
        if is_alone:
            title = _title(experiment, options)
        else:
            title = options.title or None
            if "columns" not in plot_options.options:
                options = options.model_copy(update={"columns": None})  # the spec's are for its own panels
        stamp = "mixed trace versions" if mixed else None
        requests.append(Request(experiment, options, regret, title, plot_options.only, stamp))
    if not is_alone and any(request.options.kind != "regret" for request in requests):
        names = ", ".join(experiment.name for experiment in experiments)
        raise InputError(
            f"one file for several experiments ({names}) is a figure of the kind 'regret'; leave the output out"
        )
    first, options = experiments[0], requests[0].options
    # Another kind does not overwrite the figure of the spec.
    name = f"{first.name}-{options.kind}" if _is_another_kind(first, options) else first.name
    base = plot_options.output or first.results.folder / f"{name}.png"
    drawable = Drawable(requests, plot_options.together)
    metadata = _provenance(experiments, regret, options)
    return Drawing(base, drawable.draw, lambda: drawable.numbers, metadata, options.frame)


def _is_another_kind(experiment: Experiment, options: KindOptions) -> bool:
    """Whether a figure is not of the kind in the experiment's spec."""
    return options.kind != written_in(experiment.results.spec)["kind"]


def _title(experiment: Experiment, options: KindOptions) -> str | None:
    """The title of a figure: that of its options, or the experiment's; another kind adds what it shows."""
    if options.title is not None:
        return options.title or None
    if _is_another_kind(experiment, options):
        return f"{experiment.title}: {kinds.module_of(options.kind).TITLE}"
    return experiment.title


def _provenance(experiments: Sequence[Experiment], definition: str, options: KindOptions) -> dict[str, str]:
    """Title and description of a figure, for the metadata of its files; without dates."""
    versions = sorted({env.get("duelbench", "unknown") for e in experiments for env in e.environments})
    band = getattr(options, "band", None)
    kind = options.kind if band is None else f"{options.kind}, band {band}"
    specs = ", ".join(f"{experiment.name} (spec SHA-256 {experiment.spec_sha256})" for experiment in experiments)
    sheet = options.frame.sheet
    drawn_with = f", {style_sheet.identity(Path(sheet))}" if sheet else ""
    return {
        "title": "; ".join(dict.fromkeys(experiment.title for experiment in experiments)),
        "description": f"Cumulative {definition} regret, {kind}, of {specs}; "
        f"runs by duelbench {', '.join(versions)}, figure by duelbench {VERSION}{drawn_with}",
    }
