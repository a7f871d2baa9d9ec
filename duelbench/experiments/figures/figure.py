"""Figures of experiments: read options, make the numbers of a kind, and draw them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.common import style_sheet
from duelbench.errors import IncompleteResults, InputError
from duelbench.experiments.figures import kinds
from duelbench.experiments.figures.changes import DIFFERENT, Changes
from duelbench.experiments.figures.drawing.over_time import BOUND, CHANGE
from duelbench.experiments.figures.drawing.style import Key, chosen, styles_of
from duelbench.experiments.figures.frame import framed
from duelbench.experiments.figures.numbers import joined
from duelbench.experiments.figures.options import PAGE, KindOptions, LabelStyle
from duelbench.experiments.figures.scene import Scene, groups
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.experiments import Experiment
from duelbench.experiments.results.samples import at_every_value
from duelbench.experiments.results.settings import in_words, played
from duelbench.experiments.spec.figure_key import read_figure, usual_kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


@dataclass(frozen=True)
class Request:
    """The wanted figure of an experiment."""

    experiment: Experiment
    options: KindOptions
    regret: str  # the definition of regret to show
    title: str | None = None
    only: Sequence[str] | None = None  # labels to draw; by default all
    stamp: str | None = None  # a warning to write across every panel, besides those about missing runs


def written_in(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the figure in a resolved spec as they were written, with the kind.

    Examples
    --------
    >>> written_in({}), written_in({"sweep": {}, "figure": {"y": [0, 5]}})
    ({'kind': 'regret'}, {'kind': 'sweep', 'y': [0, 5]})
    """
    usual = usual_kind("sweep" in spec, "identify" in spec, "budget" in spec)
    return {"kind": usual, **spec.get("figure", {})}


def options_of(
    spec: Mapping[str, Any], changes: Mapping[str, Any] | None = None, folder: Path | None = None
) -> KindOptions:
    """The options of a figure in a resolved spec, as a manifest holds it, with ``changes`` that take precedence.

    The path of a style sheet in the spec starts at ``folder``, one in the changes at the working folder.

    If the changes have another ``kind``, only the spec's options that are in `PAGE` apply; if they have another style,
    the spec's sizes do not apply.

    Raises
    ------
    InputError
        When options are wrong or unknown for the kind of figure; names all of them.

    Examples
    --------
    >>> options_of({}).kind, options_of({"sweep": {}}).kind, options_of({"figure": {"y": [0, 5]}}).y
    ('regret', 'sweep', (0, 5))
    >>> other = options_of({"figure": {"y": [0, 5], "font_size": 7}}, {"kind": "survival", "style": "ieee"})
    >>> other.kind, other.y, other.style, other.font_size
    ('survival', None, 'ieee', None)
    """
    changes = {name: value for name, value in (changes or {}).items() if value is not None}
    written = written_in(spec)
    if changes.get("kind", written["kind"]) != written["kind"]:
        written = {name: value for name, value in written.items() if name in PAGE}
    left_out = ("width", "height", "font_size") if "style" in changes else ()
    kept = {name: value for name, value in written.items() if name not in left_out}
    if folder is not None and (own_sheet := style_sheet.of_figure(kept, folder)):
        kept["style"] = str(own_sheet)
    if isinstance(changes.get("styles"), Mapping):
        looks = dict(kept.get("styles", {}))
        for label, look in changes["styles"].items():
            looks[label] = {**looks.get(label, {}), **look} if isinstance(look, Mapping) else look
        changes["styles"] = looks
    options: KindOptions = read_figure({**kept, **changes})
    labels = [entry["label"] for algorithm in spec.get("algorithms", ()) for entry in algorithm.values()]
    mistakes = [f"{'.'.join(where)}: {message}" for where, message in options.misfits({**spec, "labels": labels})]
    sheet = options.frame.sheet
    if sheet is not None and (why := style_sheet.mistake(Path(sheet))):
        mistakes.append(f"style: {why}")
    if mistakes:
        raise InputError("\n".join(mistakes))
    return options


class Drawable:
    """A figure of one or several experiments that can be drawn, and its numbers.

    Parameters
    ----------
    requests : sequence of Request
        Only figures of the kind ``regret`` can have more than one.
    together : bool
        Whether several experiments share their panels.

    Raises
    ------
    InputError
        When an option does not fit the figure.
    IncompleteResults
        When runs are missing that it needs.
    """

    def __init__(self, requests: Sequence[Request], together: bool = False) -> None:
        if requests[0].options.repeats_unswept:
            requests = [
                replace(each, experiment=replace(each.experiment, cells=at_every_value(each.experiment.cells)))
                for each in requests
            ]
        self._requests = requests
        self._together = together and len(requests) > 1
        bands = {getattr(request.options, "band", None): request.experiment.name for request in requests}
        if len(bands) > 1:
            listed = ", ".join(f"{band} of {name}" for band, name in bands.items())
            raise InputError(f"the specs have different bands ({listed}): choose one of them for the figure")
        first = requests[0]
        self._kind = kinds.module_of(first.options.kind)
        self._tables = [self._kind.numbers(Source(r.experiment, r.regret), r.options) for r in requests]
        for request, numbers in zip(requests, self._tables, strict=True):
            if request.only and not len(_only(numbers, request.only)):
                raise IncompleteResults(
                    f"{request.experiment.name}: no runs of {', '.join(request.only)} to draw; `duelbench run` its spec"
                )

    @cached_property
    def numbers(self) -> "DataFrame":
        """The numbers in the figure; with several experiments, problems are named ``experiment/problem``."""
        if len(self._requests) == 1:
            return _only(self._tables[0], self._requests[0].only)
        named = [
            numbers.assign(problem=request.experiment.name + "/" + numbers["problem"])
            for request, numbers in zip(self._requests, self._tables, strict=True)
        ]
        return _only(joined(named), self._requests[0].only)

    def draw(self) -> "Figure":
        """The Matplotlib figure."""
        first = self._requests[0]
        with framed(first.options.frame):
            if self._together:
                numbers, options, scene = self._merged()
            else:
                numbers, options, scene = self.numbers, first.options, self._scene()
            return self._kind.draw(numbers, options, scene)

    def _scene(self) -> Scene:
        """One panel for each problem of each experiment."""
        first, alone = self._requests[0], len(self._requests) == 1
        keys: dict[Key, None] = {}
        looks: dict[str, LabelStyle] = {}
        changes: dict[str, Changes] = {}
        titles: dict[str, str] = {}
        limits: dict[str, KindOptions] = {}
        for request, numbers in zip(self._requests, self._tables, strict=True):
            experiment, source = request.experiment, Source(request.experiment, request.regret)
            keys |= dict.fromkeys((cell.stored.algorithm, cell.stored.label) for cell in experiment.cells)
            looks |= request.options.styles
            problems = numbers["problem"].unique().tolist()
            for problem in problems:
                name = problem if alone else f"{experiment.name}/{problem}"
                changes[name] = source.changes(problem)
                limits[name] = request.options
                if not alone:
                    several = f": {problem}" if len(problems) > 1 else ""
                    titles[name] = f"{experiment.title}{several}"
        styles = chosen(styles_of(keys), looks)
        return Scene(first.regret, styles, first.title, first.stamp, self._note(), changes, titles, limits)

    def _note(self) -> str:
        """A note on settings that are not the default."""
        notes = []
        for request in self._requests:
            cells = (cell.stored for cell in request.experiment.cells)
            shown = played(cell for cell in cells if not request.only or cell.label in request.only)
            words = in_words(shown, request.experiment.results.question)
            if words:
                notes.append(words if len(self._requests) == 1 else f"{request.experiment.name}: {words}")
        return "; ".join(notes)

    def _merged(self) -> "tuple[DataFrame, KindOptions, Scene]":
        """One panel for each problem, with the curves of all experiments.

        If every experiment has one problem, all share one panel, whatever the problems are called. If several
        experiments have the same label, each label gets the name of its experiment, as in ``RUCB (first)``; so do
        bounds of the same name, unless their values are equal: these are one line.
        """
        names = [request.experiment.name for request in self._requests]
        scene = self._scene()
        tables = [numbers.assign(experiment=name) for name, numbers in zip(names, self._tables, strict=True)]
        whole = joined(tables)
        changes: dict[str, set[Changes]] = {}
        shared = None
        if all(table["problem"].nunique() == 1 for table in tables):
            shared = whole["problem"].iat[0]
        for name, problem in whole[["experiment", "problem"]].drop_duplicates().itertuples(index=False):
            changes.setdefault(shared or problem, set()).add(scene.changes_of(f"{name}/{problem}"))
        if shared:
            whole = whole.assign(problem=shared)
        whole = _with_distinct_bounds(_with_distinct_labels(whole))
        only = self._requests[0].only
        kept = _only(whole, only, "plain_label")
        algorithms = kept[~kept["algorithm"].isin([BOUND, CHANGE])]
        in_common = {problem: several.pop() if len(several) == 1 else DIFFERENT for problem, several in changes.items()}
        styles = styles_of(
            dict.fromkeys(zip(whole["algorithm"], whole["label"], strict=True)) if len(algorithms) else ()
        )
        looks: dict[str, LabelStyle] = {}
        for request in self._requests:
            of_request = whole[whole["experiment"] == request.experiment.name]
            plain = dict(zip(of_request["label"], of_request["plain_label"], strict=True))
            styled = request.options.styles
            looks |= {label: styled[plain[label]] for label in plain if plain[label] in styled}
        options = _common([request.options for request in self._requests])
        kept = kept.drop(columns=["experiment", "plain_label"])
        return kept, options, replace(scene, styles=chosen(styles, looks), changes=in_common, titles={}, limits={})


def _only(numbers: "DataFrame", only: Sequence[str] | None, column: str = "label") -> "DataFrame":
    """The rows of some labels, and the bounds and changes of their problems."""
    if not only:
        return numbers
    is_other = numbers["algorithm"].isin([BOUND, CHANGE])
    kept = numbers[column].isin(only) & ~is_other
    problems = numbers["problem"][kept].unique()
    return numbers[kept | (is_other & numbers["problem"].isin(problems))]


def _with_distinct_labels(numbers: "DataFrame") -> "DataFrame":
    """Add the name of its experiment to each label that several experiments have; ``plain_label`` keeps the label.

    Raises
    ------
    InputError
        When two labels would still be the same.
    """
    is_other = numbers["algorithm"].isin([BOUND, CHANGE])
    homes = numbers[~is_other].groupby("label")["experiment"].nunique()
    several = numbers["label"].isin(homes[homes > 1].index) & ~is_other
    labels = numbers["label"].where(~several, numbers["label"] + " (" + numbers["experiment"] + ")")
    renamed = numbers.assign(plain_label=numbers["label"], label=labels)
    homes_now = renamed[~is_other].groupby(["problem", "label"])["experiment"].nunique()
    if (homes_now > 1).any():
        label = homes_now[homes_now > 1].index[0][1]
        raise InputError(f"together: two of the curves would be called {label}; give one of them another label")
    return renamed


def _with_distinct_bounds(numbers: "DataFrame") -> "DataFrame":
    """Keep each bound and change of a problem once; add the name of the experiment to bounds whose values differ."""
    parts = []
    for _, rows in groups(numbers, "problem"):
        is_bound, is_change = rows["algorithm"] == BOUND, rows["algorithm"] == CHANGE
        bounds = rows[is_bound]
        values = bounds.groupby(["label", "round"])["mean"].nunique().groupby("label").max()
        differ = bounds["label"].isin(values[values > 1].index)
        names = bounds["label"].where(~differ, bounds["label"] + " (" + bounds["experiment"] + ")")
        bounds = bounds.assign(label=names).drop_duplicates(["label", "round"])
        changes = rows[is_change].drop_duplicates("round")
        parts += [rows[~is_bound & ~is_change], bounds, changes]
    return joined(parts)


def _common(options: Sequence[KindOptions]) -> KindOptions:
    """The options of axes that experiments share: the ends that their specs agree on, else what fits."""
    first = options[0]
    x, y = ({getattr(each, axis, None) for each in options} for axis in ("x", "y"))
    changed: dict[str, Any] = {}
    if len(x) > 1:
        starts = [each[0] for each in x if each]
        changed["x"] = (min(starts), None) if len(starts) == len(options) and None not in starts else None
    if len(y) > 1:
        changed["y"] = None
    return first.model_copy(update=changed)
