"""Claims about the figure of cumulative regret, drawn from curves made up here."""

import csv
import io
import re
import sys
from dataclasses import replace
from itertools import combinations, cycle

import matplotlib
import numpy as np
import pytest

from duelbench.figures.content.changes import Changes
from duelbench.figures.content.panels import Entry, Panel
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import CSV_COLUMNS, Options, caption, plotted_numbers, regret_figure
from duelbench.statistics.curves import of_ends, summarise

ROUNDS = np.array([1, 3, 10, 31, 100, 316, 1000])
CAST = [
    "d-ts-plus",
    "d-ts",
    "ecw-rmed",
    "rmed1",
    "rcs",
    "rucb",
    "ccb",
    "scb",
    "btm",
    "sparring",
    "savage-copeland",
]


def _runs(n_runs=4, slope=10.0, seed=0):
    factors = np.random.default_rng(seed).lognormal(0, 0.5, n_runs)
    return slope * factors[:, None] * np.log(ROUNDS)[None, :]


def _entry(algorithm="rucb", label=None, regret=None, band="ci95", planned=None):
    regret = _runs() if regret is None else regret
    planned = len(regret) if planned is None else planned
    curve = summarise(ROUNDS, regret, band)
    return Entry(algorithm, label or algorithm, curve, False, len(regret), planned)


def _restarts(algorithm="savage-copeland"):
    curves = [
        summarise(np.array([1, horizon]), np.array([[0.0, horizon / 4], [0.0, horizon / 2]]), "sem")
        for horizon in (10, 100, 1000)
    ]
    return Entry(algorithm, algorithm, of_ends(curves), True, 6, 6)


def _panel(*entries, **more):
    return Panel("a problem", "a-problem", entries or (_entry(),), **more)


def _rows(panels, options=Options(), only=None):  # noqa: B008
    return list(csv.DictReader(io.StringIO(plotted_numbers(panels, options, only))))


def _svg(panels, options=Options()):  # noqa: B008
    return canvas.render(regret_figure(panels, options), "svg", {"title": "t", "description": "d"}).decode()


def _caption(figure):
    return figure.legends[0].get_title().get_text().replace("\n", " ")


def _curve_line(axes, look_at=0):
    return [line for line in axes.lines if len(line.get_xdata()) > 2][look_at]


def test_the_line_is_the_mean_of_the_runs():
    regret = _runs()
    axes = regret_figure([_panel(_entry(regret=regret))], Options(first_round=1)).axes[0]
    np.testing.assert_array_equal(_curve_line(axes).get_ydata(), regret.mean(axis=0))
    np.testing.assert_array_equal(_curve_line(axes).get_xdata(), ROUNDS)


def test_time_is_logarithmic_and_begins_where_asked():
    axes = regret_figure([_panel()], Options(first_round=31)).axes[0]
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[0] == 31
    assert _curve_line(axes).get_xdata().tolist() == [31, 100, 316, 1000]


def test_regret_is_linear_from_zero_unless_asked_otherwise():
    plain = regret_figure([_panel()], Options()).axes[0]
    logarithmic = regret_figure([_panel()], Options(log_regret=True)).axes[0]
    assert (plain.get_yscale(), plain.get_ylim()[0]) == ("linear", 0)
    assert logarithmic.get_yscale() == "log"
    assert 0 < logarithmic.get_ylim()[0] < logarithmic.get_ylim()[1]


def test_curves_are_cut_at_ymax_in_every_panel():
    figure = regret_figure([_panel(), _panel()], Options(ymax=12.5))
    assert [axes.get_ylim()[1] for axes in figure.axes] == [12.5, 12.5]


def test_the_axes_reach_over_every_curve_and_bound():
    high = _runs(slope=50)
    panel = _panel(_entry("rucb", "high", high), _entry("rucb", "low"), bounds=(("bound", 3.0),))
    top = regret_figure([panel], Options()).axes[0].get_ylim()[1]
    assert top == pytest.approx(1.05 * summarise(ROUNDS, high).high[-1])
    just_above = 1.5 * summarise(ROUNDS, high).high[-1] / np.log(1000)
    bounded = regret_figure([_panel(_entry(regret=high), bounds=(("bound", just_above),))], Options()).axes[0]
    assert bounded.get_ylim()[1] == pytest.approx(1.05 * just_above * np.log(1000))


def test_a_bound_far_above_all_curves_does_not_flatten_them_and_is_named():
    figure = regret_figure([_panel(bounds=(("bound", 1e4), ("low", 3.0)))], Options())
    assert figure.axes[0].get_ylim()[1] == pytest.approx(1.05 * summarise(ROUNDS, _runs()).high[-1])
    assert _caption(figure).endswith("; beyond the axes: bound")
    logarithmic = regret_figure([_panel(bounds=(("bound", 1e4),))], Options(log_regret=True))
    assert logarithmic.axes[0].get_ylim()[1] > 1e4 * np.log(1000) and "beyond" not in _caption(logarithmic)


def test_the_line_between_quartiles_is_the_median_and_the_csv_has_it():
    outlier = np.array([[1.0] * 7, [2.0] * 7, [3.0] * 7, [4.0] * 7, [100.0] * 7])
    panel = _panel(_entry(regret=outlier, band="iqr"), _entry("ccb", band="iqr"))
    axes = regret_figure([panel], Options()).axes[0]
    assert set(_curve_line(axes).get_ydata()) == {3.0}
    row = _rows([panel])[0]
    assert [row[name] for name in ("mean", "median", "low", "high")] == ["22.0", "3.0", "2.0", "4.0"]
    assert "median" not in _rows([_panel(_entry())])[0]


def test_the_axes_follow_the_lines_and_markers_beyond_them_are_named():
    figure = regret_figure([_panel(_entry("rucb"), _restarts())], Options())
    (axes,) = figure.axes
    assert axes.get_ylim()[1] == pytest.approx(1.05 * summarise(ROUNDS, _runs()).high[-1])
    assert 37.5 < axes.get_ylim()[1] < 375
    # 375 duels at horizon 1000 are above the axes, 37.5 at horizon 100 are not.
    assert _caption(figure).endswith("; beyond the axes: savage-copeland")
    alone = regret_figure([_panel(_restarts())], Options())
    assert alone.axes[0].get_ylim()[1] > 375 and "beyond" not in _caption(alone)


def test_in_a_world_that_changes_the_axes_hold_the_markers_and_their_intervals_too():
    world = replace(_panel(_entry("rucb"), _restarts()), changes=Changes((100,), "the world changes"))
    figure = regret_figure([world], Options())
    assert figure.axes[0].get_ylim()[1] == pytest.approx(1.05 * _restarts().curve.high[-1])
    assert "beyond" not in _caption(figure)
    assert regret_figure([world], Options(ymax=20)).axes[0].get_ylim()[1] == 20


def test_nothing_stands_at_a_height_that_is_not_in_the_data():
    (axes,) = regret_figure([_panel(_entry("rucb"), _restarts(), _entry("random"))], Options(ymax=20)).axes
    heights = {float(y) for line in axes.lines for y in line.get_ydata() if line.get_marker() not in ("None", "_")}
    means = (summarise(ROUNDS, _runs()).since(10), _restarts().curve)
    assert heights == {float(y) for curve in means for y in curve.line}
    assert not axes.texts


def test_what_is_cut_off_is_named_with_its_panels():
    high, low = _panel(_entry("rucb"), _entry("ccb", regret=_runs(slope=1))), _panel(_entry("ccb"), _restarts())
    panels = [replace(high, title="high"), replace(low, title="low"), replace(low, title="lower")]
    words = _caption(regret_figure(panels, Options(ymax=25)))
    assert words.endswith("; beyond the axes: rucb in high, ccb in low and lower, savage-copeland in low and lower")


def test_the_uniform_baseline_leaves_the_axes_to_those_that_learn():
    linear = np.tile(10.0 * ROUNDS, (4, 1))
    beside = regret_figure([_panel(_entry("random", regret=linear), _entry("rucb"))], Options()).axes[0]
    alone = regret_figure([_panel(_entry("random", regret=linear))], Options()).axes[0]
    assert beside.get_ylim()[1] < 1000
    assert alone.get_ylim()[1] == pytest.approx(1.05 * 10_000)


def test_a_panel_without_regret_still_has_axes():
    axes = regret_figure([_panel(_entry(regret=np.zeros((4, 7))))], Options()).axes[0]
    assert axes.get_ylim() == (0, 1.05)
    logarithmic = regret_figure([_panel(_entry(regret=np.zeros((4, 7))))], Options(log_regret=True)).axes[0]
    assert logarithmic.get_ylim()[0] > 0


def test_each_problem_has_a_panel_with_its_own_regret_axis():
    small, large = _panel(_entry(regret=_runs(slope=1))), _panel(_entry(regret=_runs(slope=1000)))
    figure = regret_figure([small, large], Options())
    tops = [axes.get_ylim()[1] for axes in figure.axes]
    assert tops[1] > 100 * tops[0]


def test_axes_are_named_with_the_definition_and_the_units():
    axes = regret_figure([_panel()], Options(regret="weak")).axes[0]
    assert axes.get_xlabel() == "round t"
    assert axes.get_ylabel().replace("\n", " ") == "cumulative weak regret (duels)"


def test_horizons_run_again_are_markers_with_error_bars_that_nothing_joins():
    axes = regret_figure([_panel(_restarts())], Options()).axes[0]
    (container,) = axes.containers
    data, caps, bars = container.lines
    assert data.get_linestyle() == "None"
    assert data.get_marker() == "h"
    assert data.get_ydata().tolist() == [3.75, 37.5, 375.0]
    # 2.5 and 5 duels at horizon 10: standard deviation 1.25 sqrt 2, standard error 1.25.
    segments = bars[0].get_segments()
    assert segments[0][:, 1].tolist() == pytest.approx([2.5, 5.0])
    assert len(caps) == 2


def test_bounds_are_straight_lines_in_log_time():
    panel = _panel(bounds=(("lower bound", 27.55), ("ECW bound", 49.66)))
    axes = regret_figure([panel], Options()).axes[0]
    first, second = axes.lines[1:3]
    for line, constant in ((first, 27.55), (second, 49.66)):
        np.testing.assert_allclose(line.get_ydata(), constant * np.log(line.get_xdata()), rtol=1e-12)
    legend = axes.figure.legends[0]
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["rucb", "lower bound: 27.55 log t", "ECW bound: 49.66 log t"]


BAND_WORDS = {
    "ci95": "mean of 8 runs, band: 95% confidence interval of the mean",
    "sem": "mean of 8 runs, band: ± 1 standard error of the mean",
    "std": "mean of 8 runs, band: ± 1 standard deviation of the runs",
    "iqr": "median of 8 runs, band: quartiles of the runs (25% to 75%)",
    "none": "mean of 8 runs, no band",
    "range": "mean of 8 runs, band: smallest to largest run",
}


@pytest.mark.parametrize("band", BAND_WORDS)
def test_the_legend_says_the_band_and_the_number_of_runs(band):
    figure = regret_figure([_panel(_entry(regret=_runs(8), band=band))], Options())
    words = figure.legends[0].get_title().get_text().replace("\n", " ")
    assert words == BAND_WORDS[band]


def test_the_legend_says_where_runs_are_too_few_for_an_interval():
    few, many = _entry(regret=_runs(7)), _entry("ccb", regret=_runs(8))
    assert caption([few]) == "mean of 7 runs, band: smallest to largest run"
    assert caption([few, many, many]) == (
        "mean of 8 runs, band: 95% confidence interval of the mean; with fewer than 8 runs: smallest to largest run"
    )


def test_one_run_is_called_one_run():
    assert caption([_entry(regret=_runs(1))]) == "a single run, no band"


def test_entries_with_another_number_of_runs_say_so():
    entries = [_entry("rucb"), _entry("ccb"), _entry("scb", regret=_runs(2)), _entry("rcs", regret=_runs(1))]
    legend = regret_figure([_panel(*entries)], Options()).legends[0]
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["rucb", "ccb", "scb (2 runs)", "rcs (1 run)"]


def test_a_caption_of_runs_that_are_not_whole_says_their_range():
    entries = [_entry(label=f"{n}", regret=_runs(n), planned=300) for n in (1, 1, 50, 277)]
    assert caption(entries).startswith("mean of 1 to 277 runs, band:")
    assert caption([*entries, _entry(regret=_runs(300))]).startswith("mean of 300 runs, band:")
    none = Entry("ccb", "none", summarise(np.zeros(0, np.int64), np.zeros((1, 0)), "none"), False, 0, 300)
    assert caption([*entries, none]).startswith("mean of 1 to 277 runs")


def test_the_legend_says_in_which_panel_runs_are_missing():
    whole, partial = _panel(_entry(), _entry("ccb")), _panel(_entry(planned=10), _entry("ccb"))
    panels = [replace(whole, title="A"), replace(partial, title="B")]
    legend = regret_figure(panels, Options()).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["rucb (4 of 10 runs in B)", "ccb"]
    stamps = [[text.get_text() for text in axes.texts] for axes in regret_figure(panels, Options()).axes]
    assert stamps == [[], ["partial: 8 of 14 runs"]]


def test_an_incomplete_panel_is_stamped_and_its_legend_counts_the_runs():
    panel = _panel(_entry(planned=10), _entry("ccb"))
    svg = _svg([panel])
    assert "partial: 8 of 14 runs" in svg
    assert "rucb (4 of 10 runs)" in svg


def test_a_complete_figure_is_not_stamped():
    assert "partial" not in _svg([_panel()])


def test_mixed_trace_versions_are_stamped():
    assert "mixed trace versions" in _svg([_panel(mixed_versions=True)])


def test_an_algorithm_looks_the_same_whatever_stands_beside_it():
    entries = [_entry(algorithm) for algorithm in CAST]
    alone = regret_figure([_panel(_entry("rucb"))], Options()).axes[0]
    among = regret_figure([_panel(*entries)], Options()).axes[0]
    chosen = regret_figure([_panel(*entries)], Options(), only=["rucb"]).axes[0]
    lines = [_curve_line(alone), _curve_line(among, CAST.index("rucb")), _curve_line(chosen)]
    assert len({(line.get_color(), str(line._dash_pattern), line.get_marker()) for line in lines}) == 1


def test_variants_keep_their_looks_when_only_some_are_drawn():
    panel = _panel(_entry("rucb", "alpha 0.51"), _entry("rucb", "alpha 0.8"))
    both = regret_figure([panel], Options()).axes[0]
    second = regret_figure([panel], Options(), only=["alpha 0.8"]).axes[0]
    assert _curve_line(second).get_color() == _curve_line(both, 1).get_color() != _curve_line(both, 0).get_color()


# --- the page ---


def _boxes(figure):
    with canvas.house_style():
        figure.draw_without_rendering()
        panels = [axes.get_tightbbox() for axes in figure.axes]
        legend = figure.legends[0].get_window_extent()
    return panels, legend


LONG = "A label that is as long as a label of an algorithm with three parameters can be"
PAGES = {
    "one panel": (1, CAST, "A title"),
    "one panel, thirty algorithms": (1, [f"Algorithm {k}" for k in range(30)], "A title"),
    "two panels": (2, CAST, "A title"),
    "three panels": (3, CAST[:4], None),
    "four panels": (
        4,
        CAST,
        "A title that is so long that it cannot possibly fit into one line of the page " * 2,
    ),
    "six panels": (6, CAST, "A title"),
    "long labels": (
        2,
        [f"{LONG} {k}" for k in range(3)],
        "A title that is longer than its one narrow panel is wide",
    ),
    "long label, one panel": (1, [LONG], "A title that is longer than its one narrow panel is wide, by far"),
}


@pytest.mark.parametrize("page", PAGES)
def test_nothing_on_the_page_overlaps_or_leaves_it(page):
    n_panels, labels, title = PAGES[page]
    entries = [_entry(algorithm, label) for algorithm, label in zip(cycle(CAST), labels, strict=False)]
    panel = Panel("MSLR, K = 16, without a Condorcet winner (informational)", "p", tuple(entries))
    figure = regret_figure([panel] * n_panels, Options(title=title, regret="copeland-komiyama"))
    panels, legend = _boxes(figure)
    for one, other in combinations([*panels, legend], 2):
        assert not one.overlaps(other)
    if n_panels > 1 and title:
        heading = figure._suptitle.get_window_extent()
        assert not any(heading.overlaps(box) for box in panels)
        panels.append(heading)
    page_box = figure.bbox
    for box in [*panels, legend]:
        assert page_box.x0 - 1 <= box.x0 and box.x1 <= page_box.x1 + 1
        assert page_box.y0 - 1 <= box.y0 and box.y1 <= page_box.y1 + 1


def test_tick_labels_do_not_run_into_each_other():
    figure = regret_figure([_panel(_entry(regret=_runs(slope=1e6)))] * 6, Options())
    with canvas.house_style():
        figure.draw_without_rendering()
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
                assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_dollar_signs_are_shown_and_not_set_as_formulas():
    panel = _panel(_entry(label="costs $5 or $6"))
    assert "costs $5 or $6" in _svg([panel], Options(title="from $1 to $2"))


def test_matplotlibs_settings_are_left_alone():
    names = sorted(set(matplotlib.rcParams) - {"backend"})  # reading that one makes Matplotlib choose one
    before = [matplotlib.rcParams[name] for name in names]
    _svg([_panel()])
    assert [matplotlib.rcParams[name] for name in names] == before


def test_pyplot_stays_out_of_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # importing it now is an error
    assert "<svg" in _svg([_panel()])


# --- the numbers ---


def test_the_csv_has_every_point_drawn_and_no_other():
    rows = _rows([_panel(_entry(band="sem"))], Options(first_round=10))
    assert tuple(rows[0]) == CSV_COLUMNS
    axes = regret_figure([_panel(_entry(band="sem"))], Options(first_round=10)).axes[0]
    line = _curve_line(axes)
    assert [int(row["round"]) for row in rows] == line.get_xdata().tolist()
    assert [float(row["mean"]) for row in rows] == line.get_ydata().tolist()


def test_the_csv_holds_means_and_bands_worked_out_by_hand():
    regret = np.array([[1.0] * 6 + [10.0], [3.0] * 6 + [20.0]])
    rows = _rows([_panel(_entry(regret=regret, band="sem"))])
    assert rows[0] == {
        "problem": "a-problem",
        "algorithm": "rucb",
        "label": "rucb",
        "round": "10",
        "mean": "2.0",
        "low": "1.0",
        "high": "3.0",
        "runs": "2",
        "band": "sem",
    }
    assert [rows[-1][column] for column in ("round", "mean", "low", "high")] == [
        "1000",
        "15.0",
        "10.0",
        "20.0",
    ]


def test_the_csv_leaves_the_band_empty_where_there_is_none():
    row = _rows([_panel(_entry(regret=_runs(1)))])[0]
    assert (row["low"], row["high"], row["runs"], row["band"]) == ("", "", "1", "none")


def test_the_csv_has_the_bounds():
    rows = _rows([_panel(bounds=(("lower bound", 2.0),))], Options(first_round=10))
    ends = [(row["label"], int(row["round"]), float(row["mean"])) for row in rows if row["algorithm"] == "bound"]
    assert ends == [("lower bound", 10, 2 * np.log(10)), ("lower bound", 1000, 2 * np.log(1000))]


def test_the_csv_leaves_out_what_is_not_drawn():
    rows = _rows([_panel(_entry("rucb"), _entry("ccb"))], only=["ccb"])
    assert {row["label"] for row in rows} == {"ccb"}


# --- the files ---


@pytest.mark.parametrize("form", canvas.FORMATS)
def test_the_same_curves_give_the_same_bytes(form):
    panels = [_panel(_entry("rucb"), _restarts(), bounds=(("bound", 5.0),)), _panel(_entry("ccb"))]
    about = {"title": "t", "description": "d"}
    first = canvas.render(regret_figure(panels, Options(title="A title")), form, about)
    assert canvas.render(regret_figure(panels, Options(title="A title")), form, about) == first


@pytest.mark.parametrize("form", canvas.FORMATS)
def test_files_carry_their_provenance_and_no_date(form):
    data = canvas.render(regret_figure([_panel()], Options()), form, {"title": "mslr5", "description": "by hand"})
    assert b"mslr5" in data
    assert b"by hand" in data
    assert b"duelbench" in data
    assert not re.search(rb"CreationDate|ModDate|<dc:date>|tIME", data)


def test_a_bound_that_some_panels_lack_keeps_its_dashes_and_its_name():
    both = _panel(bounds=(("Condorcet lower bound", 3.0), ("lower bound", 5.0)))
    one = _panel(bounds=(("lower bound", 7.0),))
    figure = regret_figure([both, one], Options())
    first, second = figure.axes
    (alone,) = second.lines[1:]
    assert alone.get_linestyle() == first.lines[2].get_linestyle()
    assert alone._dash_pattern == first.lines[2]._dash_pattern != first.lines[1]._dash_pattern
    np.testing.assert_allclose(alone.get_ydata(), 7 * np.log(alone.get_xdata()))
    texts = [text.get_text().replace("\n", " ") for text in figure.legends[0].get_texts()]
    assert texts[1:] == ["Condorcet lower bound: 3 log t", "lower bound: C log t"]
