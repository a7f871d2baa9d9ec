"""One look per algorithm: the same colour, dashes and marker in every figure, unless two in it are alike.

The colours are those of Okabe and Ito without the yellow, which is faint on white, and five dark or muted ones [1]_,
[2]_. Twelve colours are more than a colour-blind eye tells apart, and a grey printer loses them all, so dashes and
marker name the algorithm too: no two of `built_in` share both.

References
----------
.. [1] M. Okabe, K. Ito, "Color Universal Design: How to make figures and presentations that are friendly to
   colorblind people", 2008.
.. [2] P. Tol, "Colour Schemes", SRON technical note, 2021 (the scheme called muted).
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.registry import UNTIL
from duelbench.experiments.figures.frame import current
from duelbench.experiments.figures.options import DASHES_OF

if TYPE_CHECKING:
    from duelbench.experiments.figures.options import LabelStyle

Key = tuple[str, str]
"""An algorithm's id and its label."""

COLOURS = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "pink": "#CC79A7",
    "wine": "#882255",
    "indigo": "#332288",
    "olive": "#999933",
    "grey": "#888888",
    "brown": "#8C510A",
}

DASHES: dict[str, tuple[float, ...]] = {
    "solid": (),
    "dashed": (5.0, 1.6),
    "dotted": (1.1, 1.3),
    "dash-dot": (5.0, 1.4, 1.1, 1.4),
    "long": (8.0, 3.0),
    "dash-dot-dot": (5.0, 1.3, 1.1, 1.3, 1.1, 1.3),
}
"""Lengths of ink and gap in line widths, from the start of the line."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "d", "*")
"""Matplotlib's codes of markers with an inside, so that variants can have it empty."""

_SHADES = ((255, 0.45), (0, 0.4), (255, 0.65), (0, 0.65))
"""White or black, which is mixed into the colours of variants, and its share."""

GREYS = ("#000000", "#7A7A7A", "#3C3C3C", "#A0A0A0", "#5A5A5A")
"""Colours of curves in grey, in turn: the lightness of neighbours differs by at least 18 of 100."""

HATCHES = ("", "//", "..", "xx", "--", "\\\\", "o", "++")
"""Matplotlib's codes of patterns by which grey bars are told apart."""

_MOST_ATTEMPTS = 1000
"""Attempts to find a style that no other algorithm of the figure has."""

_FILLS = ("full", "none", "left", "top", "right", "bottom")


@dataclass(frozen=True)
class Style:
    """The look of a curve."""

    colour: str  # `#rrggbb`
    dash: str  # A key of `DASHES`
    marker: str  # one of `MARKERS`, or any of Matplotlib's if the user chose it
    fill: str = "full"  # which part of the marker is filled (Matplotlib's `fillstyle`)
    width: float | None = None  # of the line, in points; by default that of the style sheet


@cache
def built_in() -> dict[str, Style]:
    """Algorithm id -> its look, chosen so that algorithms of one paper's figure differ (`Algorithm.look`)."""
    looks = {id: registry.get(id).look for id in registry.BUILT_IN}
    return {id: Style(COLOURS[look[0]], *look[1:]) for id, look in looks.items() if look is not None}


def style_of(algorithm: str, attempt: int = 0) -> Style:
    """The look of an algorithm, of a plug-in too: the same one on every machine.

    One that is not in `built_in` gets dashes and a marker that none of these has, chosen by the SHA-256 of its id. For
    figures in which that look is taken there are further attempts.

    Examples
    --------
    >>> style_of("d-ts-plus").colour
    '#D55E00'
    >>> style_of("my-own") == style_of("my-own")
    True
    """
    if attempt == 0 and algorithm in built_in():
        return built_in()[algorithm]
    fixed = set() if attempt else {(style.dash, style.marker) for style in built_in().values()}
    free = [(dash, marker) for dash in DASHES for marker in MARKERS if (dash, marker) not in fixed]
    number = int.from_bytes(hashlib.sha256(algorithm.encode()).digest()[:8], "big") + attempt
    number, which = divmod(number, len(free))
    return Style(list(COLOURS.values())[(number + attempt) % len(COLOURS)], *free[which])


def styles_of(entries: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Style]:
    """Looks of the entries of one figure: no two share marker and colour, marker and dashes, or (up to 12) the colour.

    Parameters
    ----------
    entries : iterable of (algorithm id, label)
        In the order of the spec. The first entry of an algorithm has the algorithm's own look, unless another algorithm
        of the figure has it; each further one, also with a stopping rule, is a variant with its hue and marker. An
        entry that appears in several panels may come several times.

    Returns
    -------
    dict
        (algorithm id, label) -> look; with the colours `GREYS` in a frame in greyscale, where dashes and markers tell
        them apart.

    Examples
    --------
    >>> looks = styles_of([("rucb", "RUCB"), ("ccb", "CCB"), ("rucb", "RUCB, alpha 0.8")])
    >>> looks["rucb", "RUCB"] == style_of("rucb"), looks["rucb", "RUCB, alpha 0.8"] == style_of("rucb")
    (True, False)
    """
    by_algorithm: dict[str, list[tuple[str, str]]] = {}
    for entry in (order := list(dict.fromkeys(entries))):
        by_algorithm.setdefault(entry[0].partition(UNTIL)[0], []).append(entry)
    looks: dict[tuple[str, str], Style] = {}
    for algorithm in sorted(by_algorithm, key=lambda algorithm: algorithm not in built_in()):
        looks[by_algorithm[algorithm][0]] = _first_free(partial(style_of, algorithm), looks.values())
    for first, *others in by_algorithm.values():
        for number, entry in enumerate(others, 1):
            looks[entry] = _first_free(partial(_variant, looks[first], number), looks.values())
    looks = {entry: looks[entry] for entry in order}
    return in_greys(looks) if current().greyscale else _in_cycle(looks)


def chosen(styles: Mapping[Key, Style], looks: "Mapping[str, LabelStyle]") -> dict[Key, Style]:
    """The looks of algorithms, with what the user chose for a label in place of it."""
    return {key: _changed(style, looks[key[1]]) if key[1] in looks else style for key, style in styles.items()}


def _changed(style: Style, look: "LabelStyle") -> Style:
    from matplotlib.colors import to_hex

    return Style(
        to_hex(look.color) if look.color else style.colour,
        DASHES_OF.get(look.linestyle, look.linestyle) if look.linestyle else style.dash,
        look.marker or style.marker,
        "full" if look.marker else style.fill,
        look.linewidth or style.width,
    )


def _in_cycle(looks: Mapping[Key, Style]) -> dict[Key, Style]:
    """The looks with what the cycle of the user's style sheet sets, such as colours, in the order of the spec."""
    from duelbench.experiments.figures.options import LabelStyle

    cycle = list(current().own.get("axes.prop_cycle", ()))
    if not cycle:
        return dict(looks)
    changed = {}
    for k, (key, style) in enumerate(looks.items()):
        turn = {name: value for name, value in cycle[k % len(cycle)].items() if name in LabelStyle.model_fields}
        if turn.get("linestyle") not in {*DASHES, *DASHES_OF}:
            turn.pop("linestyle", None)
        changed[key] = _changed(style, LabelStyle.model_construct(**turn))
    return changed


def _first_free(look_of: Callable[[int], Style], taken: Collection[Style]) -> Style:
    """The first attempt with a free colour, marker and dashes, as far as there are any.

    If all colours are taken, it differs from the others by its marker with the colour, and with the dashes.
    """
    colours = {style.colour for style in taken}
    unlike = None
    for attempt in range(_MOST_ATTEMPTS):
        look = look_of(attempt)
        if any(_share_marker(look, style) for style in taken):
            continue
        if look.colour not in colours:
            return look
        unlike = unlike or look
        if len(colours) >= len(COLOURS):
            break
    return unlike or look_of(0)


def _share_marker(look: Style, style: Style) -> bool:
    """Whether two looks have the same marker, and the same colour or dashes."""
    same_marker = (look.marker, look.fill) == (style.marker, style.fill)
    return same_marker and (look.colour == style.colour or look.dash == style.dash)


def in_greys(looks: Mapping[tuple[str, str], Style]) -> dict[tuple[str, str], Style]:
    """The looks in grey; neighbours in the order of the spec differ in lightness.

    Examples
    --------
    >>> [look.colour for look in in_greys({("rucb", "a"): style_of("rucb"), ("ccb", "b"): style_of("ccb")}).values()]
    ['#000000', '#7A7A7A']
    """
    return {entry: replace(look, colour=GREYS[k % len(GREYS)]) for k, (entry, look) in enumerate(looks.items())}


def _variant(style: Style, number: int, attempt: int = 0) -> Style:
    """Variant ``number``, from 1, of a look: the hue lighter or darker, other dashes, the marker filled otherwise."""
    dashes, number = list(DASHES), number + attempt
    rounds = number // len(_FILLS)
    return Style(
        _mixed(style.colour, *_SHADES[(number + rounds // 2 - 1) % len(_SHADES)]),
        dashes[(dashes.index(style.dash) + number + rounds) % len(dashes)],
        MARKERS[(MARKERS.index(style.marker) + rounds // len(_FILLS)) % len(MARKERS)],
        _FILLS[number % len(_FILLS)],
    )


def _mixed(colour: str, grey: int, share: float) -> str:
    channels = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(channel + share * (grey - channel)):02X}" for channel in channels)
