"""Every algorithm is known by its look, in colour and in grey."""

import subprocess
import sys
from itertools import combinations, pairwise

import pytest

from duelbench.experiments.figures.drawing.style import COLOURS, GREYS, built_in, in_greys, style_of, styles_of

WU_AND_LIU = [
    "btm",
    "savage-copeland",
    "rucb",
    "rcs",
    "sparring",
    "ccb",
    "scb",
    "rmed1",
    "ecw-rmed",
    "d-ts",
    "d-ts-plus",
]
OF_PAPERS = {
    "wu2016": WU_AND_LIU,
    "wu2016, Condorcet": [name.replace("savage-copeland", "savage-condorcet") for name in WU_AND_LIU],
    "komiyama2016": ["random", "savage-copeland", "rucb", "rmed1", "ccb", "ecw-rmed", "cw-rmed"],
    "zoghi2015": ["rucb", "rankel-copeland", "pbr-copeland", "scb", "savage-copeland", "ccb"],
    "urvoy2013": ["random", "savage-copeland", "savage-condorcet", "savage-borda", "interleaved-filter", "btm"],
    "agrawal2019": ["rucb", "d-ts", "d-ts-pure", "sup-klucb"],
}


def test_an_algorithm_with_a_style_has_dashes_and_a_marker_that_no_other_has():
    taken = {(style.dash, style.marker) for style in built_in().values()}
    assert len(taken) == len(built_in())
    strangers = [style_of(f"my-algorithm-{number}") for number in range(200)]
    assert not {(style.dash, style.marker) for style in strangers} & taken


@pytest.mark.parametrize("paper", OF_PAPERS)
def test_the_algorithms_of_a_papers_figure_have_different_colours(paper):
    assert len({style_of(algorithm).colour for algorithm in OF_PAPERS[paper]}) == len(OF_PAPERS[paper])


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_and_greys_stand_out_from_white_paper_and_greys_from_each_other():
    for colour in [*COLOURS.values(), *GREYS]:
        assert 1.05 / (luminance(colour) + 0.05) > 2
    shades = [116 * luminance(grey) ** (1 / 3) - 16 for grey in GREYS]  # CIE L*, 0 to 100
    assert all(abs(one - other) >= 18 for one, other in pairwise([*shades, shades[0]]))
    looks = in_greys(styles_of((algorithm, algorithm) for algorithm in built_in()))
    assert len({(one.colour, one.dash, one.marker) for one in looks.values()}) == len(looks)


def test_the_look_of_a_plug_in_is_the_same_in_every_process():
    code = "from duelbench.experiments.figures.drawing.style import style_of; print(style_of('my-own'))"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": "1"}, capture_output=True, text=True)
    assert done.stdout == f"{style_of('my-own')}\n"


def test_entries_of_one_algorithm_share_the_marker_and_nothing_else_and_others_change_nothing():
    looks = styles_of([("rucb", f"alpha {k}") for k in range(6)])
    assert looks["rucb", "alpha 0"] == style_of("rucb")
    assert {style.marker for style in looks.values()} == {style_of("rucb").marker}
    assert all(one.dash != other.dash and one.fill != other.fill for one, other in combinations(looks.values(), 2))
    among = styles_of([("rucb", "RUCB"), ("d-ts", "D-TS"), ("ccb", "CCB"), ("rucb", "other")])
    assert among["ccb", "CCB"] == styles_of([("ccb", "CCB")])["ccb", "CCB"]


@pytest.mark.parametrize(
    "algorithms",
    [
        ["rucb-until-e-condorcet", "rucb-until-e-bets", "rucb"],
        ["round-robin", "ws-s", "scb", "nts"],
        [*(f"my-{k}" for k in range(30)), *list(built_in())[:30]],
        ["rucb"] * 30,
    ],
    ids=["stopping rules", "built-in", "plug-ins", "parameters"],
)
def test_no_two_entries_of_a_figure_are_alike_with_lines_or_without_in_colour_or_in_grey(algorithms):
    looks = styles_of((algorithm, f"number {k}") for k, algorithm in enumerate(algorithms)).values()
    for names in (("marker", "fill", "colour"), ("marker", "fill", "dash")):
        assert len({tuple(getattr(look, name) for name in names) for look in looks}) == len(algorithms)
