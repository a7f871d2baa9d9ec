"""Drawings have the numbers of their figures, say what they are of, fit their page, and are the same every time."""

import csv
import io
import re
import sys
from itertools import combinations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import duelbench
from duelbench.bandits.statistics.curves import summarise
from duelbench.errors import IncompleteResults, InputError
from duelbench.experiments.drawing import spare_other_data
from duelbench.experiments.figures import kinds
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.style import style_of, styles_of
from duelbench.experiments.figures.figure import Drawable, Request, options_of
from duelbench.experiments.figures.frame import Frame, framed
from duelbench.experiments.figures.kinds import regret as regret_kind
from duelbench.experiments.figures.kinds.sweep import _set_axes as set_axes
from duelbench.experiments.figures.numbers import as_csv
from duelbench.experiments.figures.scene import Scene
from duelbench.experiments.results.experiments import load_experiments
from duelbench.experiments.spec.figure_key import read_figure
from tests.experiments.figures.made_up import SPEC, figure_of, make_results
from tests.selection import quick

ABOUT = {"title": "a title", "description": "by hand"}
CAST = ("d-ts", "rucb", "rmed1", "ccb", "random")
ROUNDS = np.array([1, 3, 10, 31, 100, 316, 1000])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_results(tmp_path_factory.mktemp("made-up"), runs=8, regret="[copeland, borda]")


@pytest.fixture(scope="module")
def experiment(folder):
    (loaded,) = load_experiments([folder])
    return loaded


def words(figure):
    return figure.legends[0].get_title().get_text().replace("\n", " ")


# --- every kind ---

OF_RUNS = [kind for kind in kinds.names() if kind not in ("sweep", "exploration", "waiting", "error")]


@pytest.mark.parametrize("kind", OF_RUNS)
def test_every_kind_is_drawn_with_a_panel_for_each_problem_and_says_how_many_runs(kind, experiment, tmp_path):
    drawn = figure_of(experiment, kind)
    with framed(Frame()):
        figure = drawn.draw()
        notes = canvas.settle(figure)
    assert notes == [] and figure.axes
    titles = " ".join(axes.get_title() for axes in figure.axes)
    assert kind == "bars" or ("two" in titles and "cycle" in titles)
    text = as_csv(drawn.numbers)
    assert list(csv.DictReader(io.StringIO(text)))
    (tmp_path / "x.csv").write_text(text)
    spare_other_data(tmp_path / "x.png")  # known as the numbers of a figure


@pytest.mark.parametrize(
    ("kind", "column"), [("regret", "mean"), ("accuracy", "accuracy"), ("survival", "share"), ("quantiles", "median")]
)
def test_the_line_of_an_algorithm_has_its_colour_and_the_numbers_of_the_csv(kind, column, experiment):
    drawn = figure_of(experiment, kind, only=["D-TS"])
    rows = [row for row in csv.DictReader(io.StringIO(as_csv(drawn.numbers))) if row["problem"] == "two"]
    line = drawn.draw().axes[0].lines[0]
    heights = line.get_ydata().tolist()[: -1 if kind == "survival" else None]  # steps go on to the end of the axis
    assert heights[-len(rows) :] == pytest.approx([float(row[column]) for row in rows])
    assert line.get_color() == style_of("d-ts").colour and {row["label"] for row in rows} == {"D-TS"}


@pytest.mark.parametrize("kind", ["regret", "distribution"])
def test_spec_command_and_python_ask_for_the_same_figure(kind, tmp_path, experiment):
    said = make_results(tmp_path, spec=SPEC + f"figure: {{{{kind: {kind}}}}}\n", runs=8)
    duelbench.plot(said, tmp_path / "1.csv", quiet=True)
    duelbench.plot(experiment.results.folder, tmp_path / "2.csv", kind=kind, quiet=True)
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    assert (
        options_of({"identify": {}}).kind == "waiting" and options_of({"identify": {}, "budget": [1]}).kind == "error"
    )


def test_incomplete_results_are_refused_or_stamped(tmp_path):
    results = make_results(tmp_path, regret="borda")
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    with pytest.raises(IncompleteResults, match="3 of 4 runs of D-TS on two"):
        duelbench.plot(results, quiet=True)
    (loaded,) = load_experiments([results], allow_partial=True)
    for kind in ("regret", "survival", "duels"):
        figure = figure_of(loaded, kind, "borda").draw()
        assert any(text.get_text().startswith("partial: ") for text in figure.axes[0].texts), kind


def test_what_has_no_runs_is_in_the_legend_and_counted(tmp_path):
    results = make_results(tmp_path, runs=4)
    for name in ("two", "cycle"):
        for path in (results / name / "d-ts").iterdir():
            path.unlink()
    (loaded,) = load_experiments([results], allow_partial=True)
    for kind in ("bars", "survival", "regret"):
        figure = figure_of(loaded, kind).draw()
        labels = [text.get_text() for text in figure.legends[0].get_texts()]
        assert any(label.startswith("D-TS (0 of ") for label in labels), (kind, labels)
    assert "no runs of D-TS" in words(figure_of(loaded, "duels").draw())


REFUSED = [
    ({"kind": "survivl"}, "survival"),
    ({"kind": "sweep"}, "needs the key 'sweep'"),
    ({"kind": "waiting"}, "needs the key 'identify'"),
    ({"kind": "bars", "x": [10, None]}, "x: is not an option of the kind 'bars', only of"),
    ({"y": [5, 5]}, "y: must increase"),
    ({"y": [0, 5], "y_scale": "log"}, "y: must start above 0"),
    ({"columns": True}, "columns: must be a number"),
    ({"columns": "1.5"}, "columns: must be a whole number, got '1.5'"),
    ({"columns": 9}, "columns: must be at most 6"),
    ({"pool": "maybe"}, "pool: must be yes or no, got 'maybe'"),
    ({"y": [-10, -5]}, "y: must end above 0"),
    ({"kind": "bars", "normalise_to": "Foo"}, "normalise_to: 'Foo' is not the label of an algorithm"),
    ({"kind": "survival", "band": "sem"}, "band"),
    ({"kind": "duels", "normalise_to": "D-TS"}, "normalise_to"),
    ({"kind": "distribution", "form": "boxes"}, "box"),
    ({"only": ["NOSUCH"]}, "NOSUCH"),
    ({"widht": "3in"}, "width"),
    ({"kind": "exploration"}, "still explores"),
    ({"style": "iee"}, "ieee"),
    ({"legend": "bellow"}, "below"),
    ({"width": "3.25"}, "width"),
    ({"height": "70in"}, "height"),
    ({"font_size": 2}, "font_size"),
]


@pytest.mark.parametrize(("options", "word"), REFUSED, ids=lambda value: str(value))
def test_what_a_figure_does_not_have_is_refused_with_the_option_that_asks_for_it(options, word, folder, tmp_path):
    with pytest.raises(InputError, match=word):
        duelbench.plot(folder, tmp_path / "x.png", quiet=True, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["accuracy", "distribution", "regret", "survival"])
def test_the_panel_of_a_problem_without_runs_is_empty(kind, tmp_path):
    results = make_results(tmp_path)
    for path in (results / "cycle").glob("*/*.npz"):
        path.unlink()
    (loaded,) = load_experiments([results], allow_partial=True)
    full, empty = figure_of(loaded, kind).draw().axes
    assert full.lines and not empty.lines and len(empty.get_xticks()) == 0
    assert [text.get_text() for text in empty.texts] == ["partial: 0 of 8 runs"]


def test_too_many_panels_are_refused(experiment, monkeypatch):
    monkeypatch.setattr("duelbench.experiments.figures.drawing.canvas.MAX_PANELS", 1)
    with pytest.raises(InputError, match="at most 1 panels, not 2"):
        figure_of(experiment).draw()


# --- the figure of regret, of curves made up here ---


def regret_figure(*panels, only=None, stamps=None, **options):
    """Draw panels, which are lists of rows, called "a problem", "b problem" and so on."""
    tables = []
    for letter, panel in zip("abc", panels, strict=False):
        tables += [table.assign(problem=f"{letter} problem") for table in panel]
    numbers = pd.concat(tables, ignore_index=True)
    named = numbers[~numbers["algorithm"].isin(["bound", "change"])]
    styles = styles_of(zip(named["algorithm"], named["label"], strict=True))
    if only:
        numbers = numbers[numbers["label"].isin(only)]
    scene = Scene("copeland", styles, title=options.pop("title", None), stamp=stamps)
    return regret_kind.draw(numbers, read_figure({"kind": "regret", **options}), scene)


def runs(n_runs=9, slope=10.0):
    return slope * np.linspace(0.5, 1.5, n_runs)[:, None] * np.log(ROUNDS)[None, :]


def entry(algorithm="rucb", regret=None, band="ci95", planned=None, label=None, rounds=ROUNDS):
    regret = runs() if regret is None else regret
    curve = summarise(rounds, regret, band)
    names = {"algorithm": algorithm, "label": label or algorithm, "horizon": rounds[-1]}
    points = {"round": rounds, "mean": curve.mean, "band": curve.band, "low": curve.low, "high": curve.high}
    if curve.band == "none":
        points |= {"low": np.nan, "high": np.nan}
    if curve.median is not None:
        points["median"] = curve.median
    rows = pd.DataFrame({**names, **points, "runs": len(regret), "planned": planned or len(regret)})
    return rows[rows["round"] >= 10]


def restarts():
    return pd.concat(
        entry("savage-copeland", np.array([[0.0, h / 4], [0.0, h / 2]]), "sem", rounds=np.array([1, h]))
        for h in (10, 100, 1000)
    )


def bound(constant, name="lower bound"):
    names = {"algorithm": "bound", "label": name, "band": "none"}
    return pd.DataFrame({**names, "round": [10, 1000], "mean": [constant * np.log(t) for t in (10, 1000)]})


def test_time_is_logarithmic_and_regret_is_linear_from_zero_unless_asked_otherwise():
    plain = regret_figure([entry()], x=(31, None)).axes[0]
    assert (plain.get_xscale(), plain.get_yscale(), plain.get_ylim()[0], plain.get_xlim()[0]) == (
        "log",
        "linear",
        0,
        31,
    )
    names = plain.get_xlabel(), plain.get_ylabel().replace("\n", " ")
    assert names == ("round t", "cumulative Copeland regret (duels)")
    asked = regret_figure([entry()], [entry()], y_scale="log").axes[0]
    assert asked.get_yscale() == "log" and asked.get_ylim()[0] > 0
    apart = [entry(), entry("rmed1", 10 * runs())]
    assert [axes.get_yscale() for axes in regret_figure(apart, [entry()]).axes] == ["log", "linear"]
    cut = regret_figure([entry()], [entry()], y=(None, 12.5))
    assert [axes.get_ylim()[1] for axes in cut.axes] == [12.5, 12.5] and "beyond the axes: rucb" in words(cut)


def test_a_log_axis_with_one_power_of_ten_names_twos_and_fives():
    (axes,) = regret_figure([entry()], x=(20, 900)).axes
    low, high = axes.get_xlim()
    labels = [label for label in axes.get_xticklabels(minor=True) if low <= label.get_position()[0] <= high]
    assert [label.get_text() for label in labels if label.get_text()] == ["20", "50", "200", "500"]


def test_axes_reach_over_curves_and_bounds_but_not_over_what_would_flatten_them():
    top = 1.05 * summarise(ROUNDS, runs()).high[-1]
    linear = entry("random", np.tile(10.0 * ROUNDS, (9, 1)))
    for beside in ([entry(), linear], [entry(), bound(1e4)], [entry(), restarts()]):
        figure = regret_figure(beside)
        assert figure.axes[0].get_ylim()[1] == pytest.approx(top) and "beyond the axes" in words(figure)
    near = 1.2 * top / np.log(1000)
    bounded = regret_figure([entry(), bound(near)]).axes[0]
    assert bounded.get_ylim()[1] == pytest.approx(1.05 * near * np.log(1000))
    assert regret_figure([entry(regret=np.zeros((4, 7)))]).axes[0].get_ylim() == (0, 1.05)


def test_an_axis_holds_an_algorithm_that_would_not_be_seen_at_all():
    low = entry(regret=0.01 * runs())
    for options in ({"y_scale": "linear"}, {"y_scale": "linear", "panels": "algorithm"}):
        figure = regret_figure([low, restarts()], **options)
        assert figure.axes[-1].get_ylim()[1] > 375, options


def test_horizons_run_again_are_markers_and_bounds_are_straight_in_log_time():
    (axes,) = regret_figure([restarts(), bound(27.55)]).axes
    data, _, bars = axes.containers[0].lines
    assert data.get_linestyle() == "None" and data.get_ydata().tolist() == [3.75, 37.5, 375.0]
    # 2.5 and 5 duels at horizon 10: standard deviation 1.25 sqrt 2, standard error 1.25.
    assert bars[0].get_segments()[0][:, 1].tolist() == pytest.approx([2.5, 5.0])
    drawn = next(line for line in axes.lines if "bound" in str(line.get_label()))
    np.testing.assert_allclose(drawn.get_ydata(), 27.55 * np.log(drawn.get_xdata()), rtol=1e-12)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([entry()], "mean of 9 runs, band: 95% confidence interval of the mean"),
        ([entry(band="iqr")], "median of 9 runs, band: quartiles of the runs (25% to 75%)"),
        ([entry(regret=runs(7))], "mean of 7 runs, band: smallest to largest run"),
        ([entry(regret=runs(1))], "a single run, no band"),
        (
            [entry(regret=runs(1), planned=300), entry("ccb", regret=runs(277), planned=300)],
            "mean of 1 to 277 runs, band:",
        ),
    ],
)
def test_the_caption_says_the_band_and_the_number_of_runs(entries, said):
    assert words(regret_figure(entries)).startswith(said)


def test_missing_runs_and_mixed_versions_are_said_in_the_figure():
    figure = regret_figure([entry(), entry("ccb")], [entry(planned=10), entry("ccb")], stamps="mixed trace versions")
    assert "rucb (9 of 10 runs in b problem)" in [text.get_text() for text in figure.legends[0].get_texts()]
    first, second = (" ".join(text.get_text() for text in axes.texts) for axes in figure.axes)
    assert "partial: 18 of 19 runs" in second and "mixed trace versions" in second and "partial" not in first


def test_an_algorithm_looks_the_same_whatever_is_drawn_beside_it():
    cast = [entry(algorithm) for algorithm in CAST]
    looks = set()
    for figure in (regret_figure([entry("rucb")]), regret_figure(cast, only=["rucb"]), regret_figure(cast)):
        line = next(line for line in figure.axes[0].lines if line.get_label() == "rucb")
        looks.add((line.get_color(), str(line._dash_pattern), line.get_marker()))
    assert len(looks) == 1


def test_a_panel_per_algorithm_has_the_others_behind():
    figure = regret_figure([entry(algorithm) for algorithm in CAST], panels="algorithm")
    assert [axes.get_title() for axes in figure.axes] == list(CAST)
    for axes, algorithm in zip(figure.axes, CAST, strict=True):
        front = next(line for line in axes.lines if line.get_label() == algorithm)
        assert front.get_color() == style_of(algorithm).colour
        assert [line.get_color() for line in axes.lines].count("#B8B8B8") == len(CAST) - 1


def test_experiments_share_panels_and_their_labels_are_told_apart(tmp_path):
    folders = [make_results(tmp_path / name, name, runs=8) for name in ("first", "second")]
    requests = [Request(loaded, read_figure({"kind": "regret"}), "copeland") for loaded in load_experiments(folders)]
    figure = Drawable(requests, together=True).draw()
    assert [axes.get_title() for axes in figure.axes] == ["two", "cycle"]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["D-TS (first)", "RUCB & co (first)", "D-TS (second)", "RUCB & co (second)"]
    requests = [Request(**{**vars(request), "only": ["D-TS"]}) for request in requests]
    labels = [text.get_text() for text in Drawable(requests, together=True).draw().legends[0].get_texts()]
    assert labels == ["D-TS (first)", "D-TS (second)"]


# --- the page ---

FRAMES = quick(
    [Frame(), Frame(width=3.25), Frame(style="ieee-double", legend="right"), Frame(style="slides", legend="below")],
    Frame(),
    Frame(width=3.25),
)
LONG = "A label that is as long as a label of an algorithm with three parameters can be"


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: f"{frame.style} {frame.width} {frame.legend}")
def test_no_panel_legend_or_title_overlaps_another_or_leaves_the_page(frame):
    label = LONG if frame == Frame() else "short"
    rows = [*(entry(algorithm) for algorithm in CAST), entry("btm", label=label)]
    with framed(frame):
        figure = regret_figure(rows, rows, title="A title that needs more than one line of the page " * 3)
        assert canvas.settle(figure) == []
        figure.draw_without_rendering()
    width, _ = figure.get_size_inches()
    assert frame.settled().width in (None, width)
    page = figure.bbox
    boxes = [axes.get_tightbbox() for axes in figure.axes] + [legend.get_window_extent() for legend in figure.legends]
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    for box in boxes:
        assert page.x0 - 1 <= box.x0 and box.x1 <= page.x1 + 1 and page.y0 - 1 <= box.y0 and box.y1 <= page.y1 + 1
    if frame.width == 3.25:
        assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) >= 7


def test_lengths_have_units_and_what_has_no_room_is_refused():
    for length, inches in (("8.89cm", 3.5), ("252pt", 252 / 72.27), (3.25, 3.25)):
        assert options_of({}, {"width": length}).frame.width == pytest.approx(inches)
    with framed(Frame(width=2.0, height=1.0, font_size=14.0)), pytest.raises(InputError, match="no room"):
        canvas.settle(regret_figure([entry()]))


# --- the files ---


@pytest.mark.parametrize("form", canvas.FORMATS)
def test_files_are_the_same_every_time_and_have_their_origin_and_no_date(form):
    def made():
        return canvas.render(regret_figure([entry(), restarts()], title="A title"), form, ABOUT)

    data = made()
    assert made() == data
    assert b"by hand" in data and b"duelbench" in data
    assert not re.search(rb"CreationDate|ModDate|<dc:date>|tIME", data)


def test_signs_that_mean_something_to_formulas_or_latex_are_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # importing it now is an error
    label = r"R&D_1 {a} #2 \x $5 100% or $6"
    settings = {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}
    svg, pgf = (canvas.render(regret_figure([entry(label=label)]), form, ABOUT).decode() for form in ("svg", "pgf"))
    assert "$5 100% or $6" in svg and r"R\&D\_1 \{a\} \#2 \textbackslash{}x \$5" in pgf
    assert {name: matplotlib.rcParams[name] for name in settings} == settings, "settings of others are left alone"


def test_a_frame_changes_no_numbers_and_greyscale_has_no_colour(experiment):
    plain = as_csv(figure_of(experiment).numbers)
    grey = figure_of(experiment, style="ieee", greyscale=True)
    assert as_csv(grey.numbers) == plain
    for line in grey.draw().axes[0].lines:
        assert line.get_color()[1:3] == line.get_color()[3:5] == line.get_color()[5:7]


def test_a_log_axis_of_less_than_a_decade_has_a_tick_at_each_value_of_a_sweep():
    axes = Figure().subplots()
    rows = pd.DataFrame({"mean": [1.0, 2.0]})
    set_axes(axes, rows, {0.51: 0.51, 0.8: 0.8}, read_figure({"kind": "sweep", "x_scale": "log"}))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.51", "0.8"]
    assert not len(axes.get_xticks(minor=True))


# --- mathematics ---

FORMULA = r"RUCB & co, $\\alpha = 0.51$ for $5"


def test_mathematics_is_drawn_in_titles_legends_captions_and_for_latex_and_other_dollars_are_dollars(tmp_path):
    spec = SPEC.replace("RUCB & co", FORMULA).replace("title: {title}", "title: 'All of $t^2$ at $1'")
    (experiment,) = load_experiments([make_results(tmp_path, spec=spec)])
    figure = figure_of(experiment, "regret", panels="algorithm", xlabel="round $t$").draw()
    shown = r"RUCB & co, $\alpha = 0.51$ for \$5"
    assert shown in figure.axes[1].get_title().replace("\n", " ")
    assert figure.axes[-1].get_xlabel() == "round $t$"
    for kind in OF_RUNS:
        drawn = figure_of(experiment, kind)
        with framed(Frame(width=3.5)):  # narrow: labels are wrapped
            drawn.draw().draw_without_rendering()
    pgf = canvas.render(figure_of(experiment).draw(), "pgf", ABOUT).decode()
    assert r"RUCB \& co, $\alpha = 0.51$ for \$5" in pgf


@pytest.mark.parametrize("n_panels", [1, 2])
def test_a_title_is_bold_unless_it_has_mathematics(n_panels):
    for title, weight in (("Regret for $5", "bold"), (r"Regret of $\alpha$", "normal")):
        figure = regret_figure(*[[entry()]] * n_panels, title=title)
        heading = figure.axes[0].title if n_panels == 1 else figure._suptitle
        assert heading.get_weight() == weight


def test_a_lone_dollar_sign_beside_a_command_of_tex_is_said(folder, capsys):
    for title in (r"Regret of $\alpha", r"Regret of \alpha$ for RUCB"):
        duelbench.plot(folder, title=title)
        assert f"note: '{title}' is drawn as it is written: a dollar sign of it" in capsys.readouterr().err
    for title in (r"Regret of $\alpha$", "From $5 to $10", r"C:\new"):
        duelbench.plot(folder, title=title)
        assert "dollar" not in capsys.readouterr().err


def test_mathematics_is_never_broken_over_lines():
    long = r"as in $\frac{a + b}{c + d} = \alpha + \beta + \gamma + \delta$, which $x$$x$ for $5 and $6"
    lines = canvas.wrapped(long, 1.0)
    assert r"$\frac{a + b}{c + d} = \alpha + \beta + \gamma + \delta$" in lines and lines.count("\n") >= 2
    assert r"\$5 and" in lines.replace("\n", " ") and "$x$$x$" in lines


# --- nothing to draw, and what a sweep leaves as it is ---


@pytest.mark.parametrize("kind", ["regret", "quantiles", "survival", "distribution", "bars"])
def test_a_logarithmic_panel_without_regret_says_so(kind, tmp_path):
    (experiment,) = load_experiments([make_results(tmp_path, factor=lambda label, run: 0)])
    scale = {"y_scale": "log"} if kind in ("regret", "bars") else {}
    texts = [text.get_text() for text in figure_of(experiment, kind, **scale).draw().axes[0].texts]
    assert ("0" if kind == "bars" else "no regret") in texts


@pytest.mark.parametrize("kind", OF_RUNS)
def test_what_a_sweep_leaves_as_it_is_has_no_panel_of_its_own(kind, tmp_path):
    spec = SPEC.replace("problems: {{two: two.csv, cycle: cycle.csv}}", "matrix: two.csv").replace(
        "alpha: {alpha}, ", ""
    )
    results = make_results(tmp_path, spec=f"{spec}sweep: {{{{over: rucb.alpha, values: [0.6, 0.8]}}}}\n")
    numbers = figure_of(*load_experiments([results]), kind).numbers
    values = {"two, rucb.alpha 0.6", "two, rucb.alpha 0.8"}
    assert set(numbers["problem"]) == (values | {"two"} if kind in ("duels", "quantiles") else values)


def test_a_style_sheet_may_name_a_family_with_a_hyphen(tmp_path):
    sheet = tmp_path / "own.mplstyle"
    sheet.write_text("font.family: sans-serif\n")
    make_results(tmp_path, "demo")
    duelbench.plot(tmp_path / "results" / "demo", tmp_path / "f.png", style=str(sheet))
    assert (tmp_path / "f.png").exists()
