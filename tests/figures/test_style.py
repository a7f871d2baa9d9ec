"""Claims about looks: every algorithm is known by its own, in colour and in grey."""

import subprocess
import sys
from itertools import combinations

import pytest

from duelbench.algorithms.registry import BUILT_IN
from duelbench.figures.drawing.style import COLOURS, DASHES, MARKERS, STYLES, style_of, styles_of

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
WU_AND_LIU_WITH_CONDORCET = [name.replace("savage-copeland", "savage-condorcet") for name in WU_AND_LIU]
KOMIYAMA = ["random", "savage-copeland", "rucb", "rmed1", "ccb", "ecw-rmed", "cw-rmed"]
ZOGHI = ["rucb", "rankel-copeland", "pbr-copeland", "scb", "savage-copeland", "ccb"]
URVOY = ["random", "savage-copeland", "savage-condorcet", "savage-borda", "interleaved-filter", "btm"]
AGRAWAL = ["rucb", "d-ts", "d-ts-pure", "sup-klucb"]


def test_every_built_in_algorithm_has_a_look_of_its_own():
    assert set(BUILT_IN) <= set(STYLES)


def test_no_two_algorithms_share_dashes_and_marker():
    pairs = [(style.dash, style.marker) for style in STYLES.values()]
    assert len(set(pairs)) == len(pairs)


def test_looks_use_known_colours_dashes_and_markers():
    for style in STYLES.values():
        assert style.colour in COLOURS.values()
        assert style.dash in DASHES
        assert style.marker in MARKERS


@pytest.mark.parametrize("cast", [WU_AND_LIU, WU_AND_LIU_WITH_CONDORCET, KOMIYAMA, ZOGHI, URVOY, AGRAWAL])
def test_the_algorithms_of_a_papers_figure_have_different_colours(cast):
    colours = [STYLES[algorithm].colour for algorithm in cast]
    assert len(set(colours)) == len(colours)


def _luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_colour_stands_out_from_white_paper():
    for colour in COLOURS.values():
        assert 1.05 / (_luminance(colour) + 0.05) > 2


def test_strangers_get_a_look_that_no_algorithm_has():
    taken = {(style.dash, style.marker) for style in STYLES.values()}
    for number in range(200):
        style = style_of(f"my-algorithm-{number}")
        assert (style.dash, style.marker) not in taken


def test_a_strangers_look_is_the_same_in_every_process():
    code = "from duelbench.figures.drawing.style import style_of; print(style_of('my-own'))"
    shown = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert shown == {f"{style_of('my-own')}\n"}


def test_entries_of_one_algorithm_share_the_marker_and_nothing_else_of_importance():
    labels = [f"alpha {k}" for k in range(6)]
    looks = styles_of([("rucb", label) for label in labels])
    assert looks["rucb", "alpha 0"] == style_of("rucb")
    assert {style.marker for style in looks.values()} == {style_of("rucb").marker}
    for one, other in combinations(looks.values(), 2):
        assert one.dash != other.dash
        assert one.fill != other.fill


def test_a_look_does_not_depend_on_the_other_algorithms_of_the_figure():
    alone = styles_of([("ccb", "CCB")])
    among = styles_of([("rucb", "RUCB"), ("d-ts", "D-TS"), ("ccb", "CCB"), ("rucb", "RUCB")])
    assert alone["ccb", "CCB"] == among["ccb", "CCB"]
