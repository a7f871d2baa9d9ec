"""Figures of results, as files for the command and as Matplotlib figures for Python."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial as given
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.api import loading
from duelbench.api.drawing import Drawing, forms_of
from duelbench.api.loading import ResultsLike
from duelbench.errors import IncompleteResults, InputError, nearest_or_all
from duelbench.execution.progress import Waiting
from duelbench.figures import kinds
from duelbench.figures.figure import Drawable, Request, options_of
from duelbench.figures.options import KindOptions
from duelbench.results import atomic
from duelbench.results.experiments import (
    Experiment,
    Incomplete,
    bound_notes,
    choose_definition,
    code_notes,
    environment_notes,
    gaps_of,
    version_notes,
)
from duelbench.results.manifest import Results
from duelbench.version import VERSION

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Asked:
    """Options of figures in addition to those in their specs."""

    options: Mapping[str, Any] = field(default_factory=dict)  # of the ``figure`` of a spec
    regret: str | None = None  # the definition to draw
    only: Sequence[str] | None = None  # labels
    partial: bool = False  # whether results that are not complete are drawn
    output: Path | None = None  # of the one figure of all experiments
    together: bool = False  # whether several experiments share their panels
    take_partial: str = "--allow-partial"  # how one asks for ``partial``


def drawings(
    results: ResultsLike | Sequence[ResultsLike],
    asked: Asked,
    plug_in: str | Iterable[str] | None,
    waiting: Waiting,
    notes: list[str],
) -> tuple[list[Drawing], Incomplete]:
    """Read results and make their figures; what cannot be drawn is noted in the second.

    ``notes`` gets what to say of the figures.
    """
    choose = given(_having, asked.only, notes)
    experiments, incomplete = loading.read_all(results, plug_in, asked.partial, waiting, notes.append, choose)
    notes += [f"partial: {gap}" for experiment in experiments for gap in gaps_of(experiment)]
    notes += bound_notes(experiments) + code_notes(experiment.results for experiment in experiments)
    in_one = experiments and (asked.output or asked.together)
    found = []
    for group in [experiments] if in_one else [[experiment] for experiment in experiments]:
        waiting.doing(f"drawing {', '.join(experiment.name for experiment in group)}")
        try:
            found.append(_drawing(group, asked))
        except IncompleteResults as error:
            incomplete.errors.append(str(error))
            continue
        notes += environment_notes(group)
    return found, incomplete


def _having(only: Sequence[str] | None, notes: list[str], opened: Sequence[Results]) -> Sequence[Results]:
    """The results that have a label of ``only``; a note on each label that some of them lack."""
    if not only or not opened:
        return opened
    labels = {str(results.folder): {cell.label for cell in results.cells} for results in opened}
    known = list(dict.fromkeys(cell.label for results in opened for cell in results.cells))
    for label in only:
        if label not in known:
            hint = nearest_or_all(label, known)
            raise InputError(f"only {label}: no algorithm of these results has that label{hint}")
        if lacking := [folder for folder, own in labels.items() if label not in own]:
            notes.append(f"only {label}: no algorithm of {', '.join(lacking)} has that label")
    return [results for results in opened if labels[str(results.folder)].intersection(only)]


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
    """Draw the figure that the spec of an experiment asks for, as ``duelbench plot`` does.

    Parameters
    ----------
    results : Results, path, or several of them
        What `duelbench.load` returned; a results folder, a folder of several, or a spec.
    output : path, optional
        Write the figure to this file (.png, .pdf, .svg or .pgf), and its numbers beside it as .csv; several experiments
        then share one figure. Nothing is written without it.
    kind : str, optional
        Another kind of figure than the spec's, such as ``survival``. The options of the spec's figure do not count for
        another kind.
    regret : str, optional
        Which recorded regret to draw; by default the first of the spec.
    only : str or sequence of str, optional
        Labels of the algorithms to draw.
    formats : str or sequence of str, optional
        Further formats to write, such as ``"pgf"``, in addition to that of ``output``.
    partial : bool
        Whether to draw results that are not complete; the figure says so. So does that of `Results` loaded with
        ``partial``.
    plug_in : str or iterable of str, optional
        .py files or modules with algorithms.
    quiet : bool
        Whether to print nothing on standard error.
    log_regret : bool
        Short for ``y_scale="log"``.
    together : bool
        Whether several experiments share one set of axes.
    options
        Whatever the ``figure`` of a spec may say: ``band``; ``x`` and ``y``, the ends of the axes, as in
        ``y=(None, 500)``; ``style``, ``width`` (``"8cm"``, or a number of inches), ``legend``, ``columns``; ``title``,
        in place of the experiment's (False for none); and so on.

    Returns
    -------
    Figure or list of Figure
        One where there is one experiment or an ``output``, else one for each experiment. A notebook shows it.

    Raises
    ------
    InputError
        When something about an argument is wrong.
    IncompleteResults
        When results are not complete.
    """
    target = None if output is None else Path(output)
    forms = forms_of(target, loading.named(formats))
    options = {"kind": kind, **({"y_scale": "log"} if log_regret else {}), **options}
    labels = loading.named(only) or None
    asked = Asked(options, regret, labels, partial, target, together, take_partial="partial=True")
    notes: list[str] = []
    with closing(Waiting(quiet=quiet)) as waiting:
        found, incomplete = drawings(results, asked, plug_in, waiting, notes)
        figures = [drawing.drawn(notes) for drawing in found]
    incomplete.raise_any(partial="partial=True")
    for drawing, figure in zip(found, figures, strict=True):
        for path, content in drawing.files(forms, notes, figure).items() if target is not None else ():
            atomic.write_asked(path, content, str(path))
        # Matplotlib shows figures in notebooks that pyplot made; this one looks there as it does in its file.
        vars(figure)["_repr_png_"] = given(drawing.rendered, figure, "png")
    for note in [] if quiet else dict.fromkeys(notes):
        waiting.say(f"note: {note}")
    return figures[0] if len(figures) == 1 else figures


def _drawing(experiments: Sequence[Experiment], asked: Asked) -> Drawing:
    """The figure that the specs of experiments ask for, all of them in one."""
    regret = choose_definition(experiments, asked.regret)
    mixed = version_notes(experiments)
    if mixed and not asked.partial:
        raise IncompleteResults(
            "\n  ".join(["these results cannot share a figure:", *mixed])
            + "\n`duelbench run` with the older spec computes its runs again;"
            f" {asked.take_partial} draws them as they are, and says so"
        )
    options = [options_of(experiment.results.spec, asked.options) for experiment in experiments]
    first, own, alone = experiments[0], options[0], len(experiments) == 1
    is_another = own.kind != options_of(first.results.spec).kind  # which does not replace the spec's figure
    names = ", ".join(experiment.name for experiment in experiments)
    if not alone and any(each.kind != "regret" for each in options):
        raise InputError(f"only figures of the kind 'regret' can be drawn together ({names})")
    requests = []
    for experiment, each in zip(experiments, options, strict=True):
        if not alone and "columns" not in asked.options:
            each = each.model_copy(update={"columns": None})  # that of the spec is about its own panels
        title = _title(experiment, each, is_another) if alone else each.title or None
        stamp = "mixed trace versions" if mixed else None
        requests.append(Request(experiment, each, regret, title, asked.only, stamp))
    drawable = Drawable(requests, asked.together)
    usual_place = first.results.folder / f"{first.name}{f'-{own.kind}' if is_another else ''}.png"
    about = _provenance(experiments, regret, own)
    return Drawing(asked.output or usual_place, drawable.draw, lambda: drawable.numbers, about, own.frame)


def _title(experiment: Experiment, options: KindOptions, is_another: bool) -> str | None:
    """The title of a figure: that of its options, or the experiment's; for another kind with what that one shows."""
    if options.title is not None:
        return options.title or None
    return f"{experiment.title}: {kinds.module_of(options.kind).TITLE}" if is_another else experiment.title


def _provenance(experiments: Sequence[Experiment], definition: str, options: KindOptions) -> dict[str, str]:
    """Title and description of a figure, for the metadata of its files; without dates."""
    versions = sorted({env.get("duelbench", "unknown") for e in experiments for env in e.environments})
    band = getattr(options, "band", None)
    what = options.kind if band is None else f"{options.kind}, band {band}"
    specs = ", ".join(f"{experiment.name} (spec SHA-256 {experiment.spec_sha256})" for experiment in experiments)
    return {
        "title": "; ".join(dict.fromkeys(experiment.title for experiment in experiments)),
        "description": f"Cumulative {definition} regret, {what}, of {specs}; "
        f"runs by duelbench {', '.join(versions)}, figure by duelbench {VERSION}",
    }
