"""What is asked of figures, and figures that can be drawn."""

import contextlib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.errors import InputError, nearest_or_all
from duelbench.figures.drawing.canvas import FORMATS, PGF, font_notes, render, settle
from duelbench.figures.frame import USUAL_FRAME, Frame, framed
from duelbench.figures.options import FigureOptions
from duelbench.results.manifest import Results
from duelbench.spec.figure_key import BOUNDS, ENDS, FORMS, KINDS, PANELS
from duelbench.statistics.curves import BANDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_BEGINNINGS = (
    *(b"problem,algorithm,label,", b"problem,panel,algorithm,label,round,"),
    *(b"statistic,algorithm,label,",),
    b"problem,a,b,definition,",
)
"""With these the numbers of all figures begin."""

_WITHOUT_TIME = ("distribution", "duels", "aggregate", "waiting", "error-map")


def _all_but(*kinds: str) -> tuple[str, ...]:
    return tuple(kind for kind in KINDS if kind not in kinds)


_LACKING: Mapping[str, tuple[str, Collection[str]]] = {
    "--from": ("time axis", ("bars", "sweep", "self-duels", "survival", *_WITHOUT_TIME)),
    "--log-regret": ("regret axis to change", ("self-duels", "survival", "accuracy", *_WITHOUT_TIME)),
    "--ymax": ("upright axis of regret", ("survival", "accuracy", "error", *_WITHOUT_TIME)),
    "--band": (
        "band to choose",
        ("survival", "quantiles", "bars", "self-duels", "accuracy", "relative", "error", *_WITHOUT_TIME),
    ),
    "--reference": ("algorithm that regret is relative to", _all_but("relative", "aggregate")),
    "--bound": ("bound that regret is relative to", _all_but("relative")),
    "--form": ("form to choose", _all_but("distribution")),
    "--columns": ("panels in several columns", ("bars", "aggregate")),
    "--panels": ("panels to choose", _all_but("regret")),
    "--single-runs": ("lines of single runs", _all_but("regret")),
    "--together": ("axes to share with other experiments", _all_but("regret")),
    "--legend ends": ("lines whose ends have names", _all_but(*ENDS)),
}
"""Option -> what it is about, and the kinds of figures that have none."""

_LONGEST_BEGINNING = max(map(len, _BEGINNINGS))


@dataclass(frozen=True)
class Asked:
    """What is asked of figures, beside what their specs say; None where nothing is.

    Parameters
    ----------
    regret, band, log_regret, first_round, ymax, only
        As for `plot`.
    partial : bool
        Whether results that are not complete are drawn.
    output : Path, optional
        Of the one figure of all experiments.
    exploration, beside
        As for `plot`.
    take_partial : str
        How one asks for ``partial``.
    kind, reference, bound, form
        As for `plot`.
    frame : Frame
        The page that figures are for.
    title : str, optional
        In place of the experiment's; empty for none.
    columns, panels, single_runs, together
        As for `plot`.

    Raises
    ------
    InputError
        When one of them cannot be.
    """

    regret: str | None
    band: str | None
    log_regret: bool
    first_round: int | None
    ymax: float | None
    only: Sequence[str] | None
    partial: bool
    output: Path | None
    exploration: bool = False
    beside: str | None = None
    take_partial: str = "--allow-partial"
    kind: str | None = None
    frame: Frame = USUAL_FRAME
    title: str | None = None
    columns: int | None = None
    panels: str | None = None
    single_runs: int | None = None
    together: bool = False
    reference: str | None = None
    bound: str | None = None
    form: str | None = None

    def __post_init__(self) -> None:
        if self.band is not None and self.band not in BANDS:
            raise InputError(f"--band {self.band}: no band is called so{nearest_or_all(self.band, BANDS)}")
        if self.ymax is not None and not (isinstance(self.ymax, Real) and 0 < self.ymax < math.inf):
            raise InputError(f"--ymax {self.ymax}: must be a positive number of duels")
        if self.first_round is not None and not (isinstance(self.first_round, Integral) and self.first_round >= 1):
            raise InputError(f"--from {self.first_round}: rounds are whole numbers from 1")
        if self.kind is not None and self.kind not in KINDS:
            raise InputError(f"--kind {self.kind}: no kind of figure is called so{nearest_or_all(self.kind, KINDS)}")
        if self.bound is not None and self.bound not in BOUNDS:
            raise InputError(f"--bound {self.bound}: no bound is called so{nearest_or_all(self.bound, BOUNDS)}")
        if self.form is not None and self.form not in FORMS:
            raise InputError(f"--form {self.form}: no form is called so{nearest_or_all(self.form, FORMS)}")
        if self.reference is not None and self.bound is not None:
            raise InputError("--reference and --bound exclude each other: regret is divided by one of them")
        if self.kind is not None and self.exploration:
            raise InputError("--kind: --exploration draws figures of a kind of its own")
        if self.beside is not None and not self.exploration:
            raise InputError("--beside: published curves stand beside those of --exploration only")
        if self.panels is not None and self.panels not in PANELS:
            raise InputError(f"--panels {self.panels}: no panels are called so{nearest_or_all(self.panels, PANELS)}")
        for option, number, most in (("columns", self.columns, 6), ("single-runs", self.single_runs, 10**6)):
            if number is not None and not (isinstance(number, Integral) and 1 <= number <= most):
                raise InputError(f"--{option} {number}: must be a whole number from 1 to {most}")
        if self.exploration:
            for option in ("--columns", "--panels", "--single-runs", "--together", "--legend ends"):
                if self._given()[option]:
                    raise InputError(f"{option}: a figure of exploration has no {_LACKING[option][0]}")

    def _given(self) -> dict[str, bool]:
        """Which of the options are given that not every kind of figure has."""
        return {
            "--from": self.first_round is not None,
            "--log-regret": self.log_regret,
            "--ymax": self.ymax is not None,
            "--band": self.band is not None,
            "--reference": self.reference is not None,
            "--bound": self.bound is not None,
            "--form": self.form is not None,
            "--columns": self.columns is not None,
            "--panels": self.panels is not None,
            "--single-runs": self.single_runs is not None,
            "--together": self.together,
            "--legend ends": self.frame.legend == "ends",
        }

    def title_of(self, usual: str | None) -> str | None:
        """The title of a figure, by default the ``usual`` one; None for none."""
        return usual if self.title is None else self.title or None

    def over(self, options: FigureOptions) -> FigureOptions:
        """The options of a spec with those of the command line over them.

        Raises
        ------
        InputError
            When some of the latter are no options of the kind of figure, naming all of them.
        """
        given = self._given()
        wrong = [
            f"{option}: a figure of the kind '{options.kind}' has no {lacking}"
            for option, (lacking, kinds) in _LACKING.items()
            if given[option] and options.kind in kinds
        ]
        if wrong:
            raise InputError("\n".join(wrong))
        if self.band is not None:
            options = replace(options, band=str(self.band))
        if self.reference is not None or self.bound is not None:
            options = replace(options, reference=self.reference, bound=self.bound)
        if self.form is not None:
            options = replace(options, form=self.form)
        if self.log_regret:
            options = replace(options, y_scale="log")
        if self.ymax is not None:
            low = options.y[0] if options.y and options.y[0] < self.ymax else 0
            options = replace(options, y=(low, self.ymax))
        return replace(
            options,
            columns=self.columns or options.columns,
            panels=self.panels or options.panels,
            single_runs=self.single_runs or options.single_runs,
            frame=self.frame.over(options.frame),
        )

    def having(self, opened: Sequence[Results]) -> tuple[Sequence[Results], list[str]]:
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
                hint = nearest_or_all(label, known)
                raise InputError(f"--only {label}: no algorithm of these results has that label{hint}")
            if lacking := [folder for folder, own in labels.items() if label not in own]:
                notes.append(f"--only {label}: no algorithm of {', '.join(lacking)} has that label")
        return [results for results in opened if labels[str(results.folder)].intersection(self.only)], notes


@dataclass(frozen=True)
class Drawing:
    """A figure that can be drawn, and its numbers.

    Parameters
    ----------
    base : Path
        The file that it becomes, whatever its ending.
    draw : callable
        Returns the Matplotlib figure.
    numbers : callable
        Returns exactly the numbers in it, as CSV.
    about : mapping
        Its title and description.
    frame : Frame
        The page that it is for.
    """

    base: Path
    draw: "Callable[[], Figure]"
    numbers: Callable[[], str]
    about: Mapping[str, str]
    frame: Frame = USUAL_FRAME

    def drawn(self, notes: list[str]) -> "Figure":
        """The figure in its frame; ``notes`` are told what it has no room for."""
        with framed(self.frame):
            figure = self.draw()
            notes += [note for note in settle(figure) if note not in notes]
        return figure

    def rendered(self, figure: "Figure", form: str) -> bytes:
        """The figure that `drawn` returned, as the bytes of a file."""
        with framed(self.frame):
            return render(figure, form, self.about)

    def files(self, forms: Sequence[str], notes: list[str], figure: "Figure | None" = None) -> dict[Path, bytes]:
        """The files with these endings: path -> bytes; of ``figure`` where it is drawn already.

        ``notes`` are told which characters they lack; in an SVG file the viewer's fonts have them.
        """
        spare_other_data(self.base)
        pictures = [form for form in forms if form != "csv"]
        figure = figure or (self.drawn(notes) if pictures else None)
        if figure and {"png", "pdf"}.intersection(forms):
            with framed(self.frame):
                notes += [note for note in font_notes(figure) if note not in notes]
        files = {self.base.with_suffix(f".{form}"): self.rendered(figure, form) for form in pictures if figure}
        return {**files, self.base.with_suffix(".csv"): self.numbers().encode()}


def forms_of(output: Path | None, formats: Sequence[str] = ()) -> tuple[str, ...]:
    """The endings of the files to write: of ``output`` and the ``formats``; always with csv."""
    known = (*FORMATS, PGF, "csv")
    for form in formats:
        if form not in known:
            raise InputError(f"--format {form}: no format is called so{nearest_or_all(form, known)}")
    if output is None:
        return tuple(dict.fromkeys([*(formats or ("png", "pdf")), "csv"]))

    form = output.suffix.lower().removeprefix(".")
    if output.is_dir() or form not in known:
        endings = ", ".join(f".{ending}" for ending in known)
        raise InputError(f"--output {output}: name a file that ends with one of {endings}")
    spare_other_data(output)
    return tuple(dict.fromkeys([form, *formats, "csv"]))


def spare_other_data(figure: Path) -> None:
    """Refuse to write the numbers of a figure over a file that is none of such numbers, a matrix say.

    Parameters
    ----------
    figure : Path
        The numbers go beside it, with the ending ``.csv``.

    Raises
    ------
    InputError
        Naming the file that would be lost.

    Examples
    --------
    >>> spare_other_data(Path("no such folder/figure.png"))
    """
    numbers = figure.with_suffix(".csv")
    if not numbers.exists():
        return
    beginning = b""
    if numbers.is_file():  # not a pipe, whose writer would be waited for
        with contextlib.suppress(OSError), open(numbers, "rb") as file:
            beginning = file.read(_LONGEST_BEGINNING)
    if not beginning.startswith(_BEGINNINGS):
        raise InputError(
            f"{numbers} is there and holds no numbers of a figure, whose place it has: choose another name with"
            " --output"
        )
