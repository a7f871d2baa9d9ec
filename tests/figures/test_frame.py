"""Claims about figures for a page: their sizes, letters, legends, greys, and texts that do not meet."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.text import Text

from duelbench.errors import InputError
from duelbench.figures.content.panels import Entry, Panel, by_algorithm
from duelbench.figures.content.together import together
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.line_ends import apart
from duelbench.figures.drawing.regret_figure import Options, plotted_numbers, regret_figure
from duelbench.figures.drawing.style import GREYS, STYLES, in_greys, styles_of
from duelbench.figures.frame import VENUES, Frame, frame_of, framed
from duelbench.spec.figure_key import STYLES as STYLES_OFFERED
from duelbench.statistics.curves import summarise
from tests.selection import quick

ROUNDS = np.unique(np.geomspace(1, 1e5, 40).astype(int))
ABOUT = {"title": "a title", "description": "a description"}
CAST = ["d-ts", "rucb", "rmed1", "ccb", "random"]


def _entry(algorithm, slope, label=None):
    regret = slope * np.linspace(0.5, 1.5, 9)[:, None] * np.log(ROUNDS)[None, :]
    return Entry(algorithm, label or f"{algorithm} so", summarise(ROUNDS, regret), False, 9, 9)


def _panels(n_panels=1, cast=CAST):
    entries = tuple(_entry(algorithm, 10.0 + k) for k, algorithm in enumerate(cast))
    return [Panel(f"problem {k}", f"problem {k}", entries, (("lower bound", 8.0),)) for k in range(n_panels)]


def _drawn(frame, n_panels=1, panels=None, **options):
    with framed(frame):
        figure = regret_figure(panels or _panels(n_panels), Options(title="A title", **options))
        notes = canvas.check_room(figure)
        figure.draw_without_rendering()
    return figure, notes


def _ticks(axis):
    low, high = sorted(axis.get_view_interval())
    return [
        label
        for minor in (False, True)
        for place, label in zip(axis.get_ticklocs(minor=minor), axis.get_ticklabels(minor=minor), strict=False)
        if low <= place <= high and label.get_text()
    ]


def _texts(figure):
    """The texts that are seen: those of ticks beyond the axes are not."""
    shown = [*figure.texts, *(text for legend in figure.legends for text in legend.findobj(Text))]
    for axes in figure.axes:
        shown += [axes.title, axes.xaxis.label, axes.yaxis.label, *_ticks(axes.xaxis), *_ticks(axes.yaxis)]
        shown += [text for text in axes.texts if text.get_gid() == "end"]
    return [text for text in shown if text.get_text()]


def _overlap(one, other):
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return across > 0.5 and min(one.y1, other.y1) - max(one.y0, other.y0) > 0.5


FRAMES = {
    "a column": (Frame(width=3.25), 1),
    "panels in a column": (Frame(width=3.25), 4),
    "ieee": (Frame(style="ieee"), 2),
    "ieee-double": (Frame(style="ieee-double", legend="ends"), 2),
    "neurips": (Frame(style="neurips"), 1),
    "neurips, panels": (Frame(style="neurips", legend="right"), 2),
    "names at line ends": (Frame(style="ieee", legend="ends"), 1),
    "a slide": (Frame(style="slides"), 1),
    "large letters": (Frame(width=6.0, font_size=14.0, legend="below"), 2),
    "usual size, names at line ends": (Frame(legend="ends"), 3),
}


@pytest.fixture(scope="module", params=quick(FRAMES, "a column", "ieee-double"))
def drawn(request):
    frame, n_panels = FRAMES[request.param]
    return frame.settled(), *_drawn(frame, n_panels)


def test_no_text_leaves_the_page_or_meets_another_or_a_panel(drawn):
    _, figure, notes = drawn
    assert notes == []
    boxes = {text: Text.get_window_extent(text) for text in _texts(figure)}  # of names at ends without their lines
    assert len(boxes) > 10
    page = figure.bbox
    for text, box in boxes.items():
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside, text
        assert not any(_overlap(box, axes.get_window_extent()) for axes in figure.axes), text
    for (one, box), (other, its) in combinations(boxes.items(), 2):
        assert not _overlap(box, its), (one, other)


def test_panels_align(drawn):
    _, figure, _ = drawn
    boxes = [axes.get_position() for axes in figure.axes]
    assert np.ptp([box.width for box in boxes]) < 1e-9 and np.ptp([box.height for box in boxes]) < 1e-9


def test_a_figure_is_as_wide_and_high_as_asked(drawn):
    frame, figure, _ = drawn
    width, height = figure.get_size_inches()
    assert frame.width in (None, width) and frame.height in (None, height)


def test_no_letters_of_a_narrow_column_are_smaller_than_seven_points():
    for frame in (Frame(width=3.25), Frame(width=3.25, font_size=7.0), Frame(style="ieee", width=3.25)):
        assert min(text.get_fontsize() for text in _texts(_drawn(frame, 2)[0])) >= 7


def test_without_a_frame_nothing_of_it_is_left():
    usual = canvas.render(regret_figure(_panels(), Options()), "png", ABOUT)
    _drawn(Frame(style="slides", greyscale=True))
    assert canvas.render(regret_figure(_panels(), Options()), "png", ABOUT) == usual


def test_the_styles_offered_are_the_styles_there_are():
    assert list(VENUES) == list(STYLES_OFFERED)


def test_lengths_have_units_and_sizes_are_sane():
    assert frame_of(width="8.89cm").width == pytest.approx(3.5)
    assert frame_of(width="89 mm").width == pytest.approx(89 / 25.4)
    assert frame_of(width="252pt").width == pytest.approx(252 / 72.27)
    with pytest.raises(InputError) as caught:
        frame_of("iee", "3.25", "70in", 2, "bellow")
    assert str(caught.value).split("\n") == [
        "--style iee: no style is called so (did you mean 'ieee'?)",
        "--legend bellow: no legend is called so (did you mean 'below'?)",
        "--width 3.25: must be a length with its unit (in, cm, mm, pt), as in 3.25in or 8cm",
        "--height 70in: must be from 1 to 40 inches, and is 70",
        "--font-size 2: must be a number of points from 4 to 72",
    ]


def test_a_figure_without_room_for_its_panels_is_refused_and_one_without_room_for_a_text_says_so():
    with pytest.raises(InputError, match="has no room for its panels: choose a larger"):
        _drawn(Frame(width=2.0, height=1.0, font_size=14.0))
    with pytest.raises(InputError, match="legend right: the legend is"):
        _drawn(Frame(width=2.5, legend="right"))
    with pytest.raises(InputError, match="6 names find no room beside a panel"):
        _drawn(Frame(width=4.0, height=1.6, legend="ends", font_size=12.0))
    panel = Panel("p", "p", (_entry("rucb", 9.0, "W" * 60),))
    notes = _drawn(Frame(width=3.0), panels=[panel])[1]
    assert len(notes) == 1 and "cuts texts off" in notes[0]


@pytest.mark.parametrize("size", [30.0, 60.0])
def test_letters_too_large_for_the_usual_size_are_refused_without_a_warning(size, recwarn):
    width = f"{17 * size / 72:.1f}"
    with pytest.raises(InputError, match=rf"has no room for its panels: choose a larger --width .*takes {width} in"):
        _drawn(Frame(font_size=size))
    assert not recwarn.list
    assert _drawn(Frame(font_size=size, width=float(width)))[1] == [], "the width that it names has room"


def test_letters_somewhat_larger_than_usual_have_room():
    assert _drawn(Frame(font_size=14.0))[1] == []


def test_the_legend_stands_where_asked():
    beside = {place: _drawn(Frame(legend=place), 2)[0] for place in ("right", "below", "best", "ends", "none")}
    right = beside["right"].legends[0].get_window_extent()
    assert right.x0 > max(axes.get_window_extent().x1 for axes in beside["right"].axes)
    below = beside["below"].legends[0].get_window_extent()
    assert below.y1 < min(axes.get_window_extent().y0 for axes in beside["below"].axes)
    assert len(beside["best"].axes[0].get_legend().get_texts()) == 6 and not beside["best"].legends[0].get_texts()
    for place in ("best", "ends"):
        assert beside[place].legends[0].get_title().get_text().startswith("mean of 9 runs")
    assert beside["none"].legends == []


def test_names_stand_at_the_ends_in_the_order_of_the_lines():
    figure, _ = _drawn(Frame(legend="ends"), 2)
    for axes in figure.axes:
        names = sorted((text for text in axes.texts if text.get_gid() == "end"), key=lambda text: text.xyann[1])
        assert [text.get_text() for text in names] == ["lower bound: 8 log t", *(f"{name} so" for name in CAST)]
        ends = {line.get_label(): line.get_ydata()[-1] for line in axes.lines}
        for text in names:
            shown = axes.transData.inverted().transform(axes.transAxes.transform(text.xy))[1]
            assert shown == pytest.approx(ends[text.get_text()])


def _plainly_apart(wanted, heights, room):
    """All places on a grid of halves, tried out for three texts."""
    order = sorted(range(len(wanted)), key=lambda k: (wanted[k], -k))
    grid = np.arange(0, room + 0.25, 0.5)
    best = None
    for places in np.array(np.meshgrid(*[grid] * len(wanted))).T.reshape(-1, len(wanted)):
        ends = [(places[k] - heights[k] / 2, places[k] + heights[k] / 2) for k in order]
        if ends[0][0] < 0 or ends[-1][1] > room or any(one[1] > other[0] for one, other in pairwise(ends)):
            continue
        cost = sum((places - np.array(wanted)) ** 2)
        best = min(best, (cost, tuple(places))) if best else (cost, tuple(places))
    return best[0]


@pytest.mark.parametrize("wanted", [(1, 1, 9), (5, 5, 5), (0, 0, 10), (10, 10, 9), (2, 4, 3), (9, 10, 0)])
def test_names_are_pushed_no_further_than_must_be(wanted):
    heights = [2.0, 2.0, 2.0]
    places = apart([float(place) for place in wanted], heights, 10.0)
    assert sum((np.array(places) - wanted) ** 2) <= _plainly_apart(wanted, heights, 10.0) + 1e-9
    ends = sorted((place - 1, place + 1) for place in places)
    assert ends[0][0] >= 0 and ends[-1][1] <= 10
    assert all(one[1] <= other[0] + 1e-9 for one, other in pairwise(ends))


def _lightness(colour):
    """CIE L* of a grey, 0 to 100."""
    channel = int(colour[1:3], 16) / 255
    linear = channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
    return 116 * linear ** (1 / 3) - 16 if linear > 0.008856 else 903.3 * linear


def test_grey_neighbours_differ_in_lightness_and_all_stand_out_from_paper():
    shades = [_lightness(grey) for grey in GREYS]
    assert all(abs(one - other) >= 18 for one, other in pairwise([*shades, shades[0]]))
    assert all(abs(one - other) >= 9 for one, other in combinations(shades, 2))
    assert max(shades) <= 66
    assert all(grey[1:3] == grey[3:5] == grey[5:7] for grey in GREYS)


def test_curves_of_one_grey_differ_in_dashes_or_marker():
    looks = in_greys(styles_of((algorithm, algorithm) for algorithm in STYLES))
    for one, other in combinations(looks.values(), 2):
        assert (one.colour, one.dash, one.marker) != (other.colour, other.dash, other.marker)


def test_a_figure_in_greyscale_has_no_colour():
    figure, _ = _drawn(Frame(greyscale=True))
    for line in figure.axes[0].lines:
        assert line.get_color()[1:3] == line.get_color()[3:5] == line.get_color()[5:7]
    for band in figure.axes[0].collections:
        assert np.ptp(band.get_facecolor()[0][:3]) < 1e-9


def test_a_panel_per_algorithm_has_the_others_behind_and_all_the_numbers():
    panels = by_algorithm(_panels(2))
    assert [panel.title for panel in panels[:2]] == ["d-ts so on problem 0", "rucb so on problem 0"]
    figure, _ = _drawn(Frame(), panels=panels)
    assert len(figure.axes) == 10
    for axes, panel in zip(figure.axes, panels, strict=True):
        colours = [line.get_color() for line in axes.lines]
        assert colours.count("#B8B8B8") == 4 and len(colours) == 6
        front = next(line for line in axes.lines if line.get_label() == panel.in_front)
        assert front.get_color() == STYLES[panel.in_front.removesuffix(" so")].colour
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    with pytest.raises(InputError, match="61 panels are too many"):
        by_algorithm([Panel("p", "p", tuple(_entry("rucb", 1.0, str(k)) for k in range(61)))])


def test_experiments_share_axes_and_their_labels_are_told_apart():
    one, other = _panels(cast=["d-ts", "rucb"]), _panels(cast=["d-ts", "ccb"])
    panels, only = together({"first": one, "second": other}, ["d-ts so", "ccb so"])
    assert [entry.label for entry in panels[0].entries] == ["d-ts so (first)", "rucb so", "d-ts so (second)", "ccb so"]
    assert sorted(only) == ["ccb so", "d-ts so (first)", "d-ts so (second)"]
    assert panels[0].bounds == (("lower bound", 8.0),)
    two = [Panel("b", "b", other[0].entries, (("lower bound", 9.0),))]
    assert together({"first": one, "second": two})[0][0].bounds == (
        ("lower bound (first)", 8.0),
        ("lower bound (second)", 9.0),
    )
    by_problem = together({"first": _panels(2), "second": _panels(1)})[0]
    assert [len(panel.entries) for panel in by_problem] == [10, 5]


def test_the_numbers_do_not_depend_on_the_frame():
    plain = plotted_numbers(_panels(), Options())
    with framed(Frame(style="ieee", greyscale=True)):
        assert plotted_numbers(_panels(), Options()) == plain


def test_a_pgf_picture_is_the_same_every_time_and_shows_what_means_something_to_latex():
    label = r"R&D_1 {a} #2 \x $5 100% ~ ^"
    panel = Panel("p", "p", (_entry("rucb", 9.0, label),))

    def made():
        with framed(Frame(style="ieee")):
            return canvas.render(regret_figure([panel], Options()), "pgf", ABOUT).decode()

    text = made()
    assert text == made()
    assert r"R\&D\_1 \{a\} \#2 \textbackslash{}x \$5 100% \textasciitilde{} ^" in text
    assert r"\pgfqpoint{3.500000in}" in text and r"\usepackage{pgf}" in text
    assert "DejaVu" not in text and "STIX" not in text
    assert text.count("{") == text.count("}")


def test_a_pgf_picture_of_pixels_is_refused():
    with canvas.house_style():
        grid = canvas.new_grid(1, None)
        grid.panels[0].imshow([[0, 1]])
    with pytest.raises(InputError, match=r"a .pgf file cannot hold a map of pixels"):
        canvas.render(grid.figure, "pgf", ABOUT)


def test_a_stamp_fits_into_a_small_panel():
    panels = [Panel("p", str(k), (_entry("rucb", 9.0), _entry("d-ts", 8.0)), mixed_versions=True) for k in range(4)]
    figure, _ = _drawn(Frame(width=3.5), panels=panels, columns=2)
    for axes in figure.axes:
        stamp = next(text for text in axes.texts if text.get_gid() == "stamp")
        box, panel = Text.get_window_extent(stamp), axes.get_window_extent()
        assert panel.x0 <= box.x0 and box.x1 <= panel.x1
