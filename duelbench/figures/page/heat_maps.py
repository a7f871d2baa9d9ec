"""Small heat maps over pairs of arms for a page: a pixel for each pair, so that hundreds of arms take few kilobytes."""

import base64
import io
from typing import Any

import numpy as np

SIDE, MARGIN, ABOVE = 150, 24, 8
"""Of the square, of what names the arms beside and below it, and of the edge above, in pixels."""

MOST_TICKS = 6


def preference_map(P: np.ndarray) -> str:
    """The probabilities that row beats column as SVG, coloured as by ``duelbench show --plot``."""
    return _svg(_coloured(P, "RdBu"))


def duel_map(counts: np.ndarray, horizon: int) -> str:
    """Mean duels of each pair as SVG: first arm in rows, second in columns, on a log scale from 1 to ``horizon``.

    What is 0 stays empty.
    """
    shades = np.log(np.maximum(counts, 1.0)) / max(np.log(horizon), 1.0)
    pixels = _coloured(shades, "viridis")
    pixels[counts == 0] = 0
    return _svg(pixels)


def scale(horizon: int) -> str:
    """The scale of `duel_map` in HTML."""
    ramp = _image(_coloured(np.linspace(0.0, 1.0, 64)[np.newaxis], "viridis"))
    words = f"{horizon:,} duels, on a logarithmic scale; empty: never"
    return f'<p class="scale">1 or fewer <img alt="from dark to light" src="{ramp}"> {words}</p>'


def _coloured(values: np.ndarray, palette: str) -> np.ndarray:
    """Values in [0, 1] as (rows, columns, 4) bytes."""
    from matplotlib import colormaps

    return np.asarray(colormaps[palette](values, bytes=True))


def _image(pixels: np.ndarray) -> str:
    """Pixels as the address of a picture that holds it."""
    from matplotlib.image import imsave

    buffer = io.BytesIO()
    nothing: Any = {"Software": None}
    imsave(buffer, pixels, format="png", metadata=nothing)
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _svg(pixels: np.ndarray) -> str:
    n_arms = len(pixels)
    step = -(-n_arms // MOST_TICKS)
    width, height = MARGIN + SIDE, ABOVE + SIDE + MARGIN
    square = f'x="{MARGIN}" y="{ABOVE}" width="{SIDE}" height="{SIDE}"'
    names = []
    for arm in range(0, n_arms, step):
        place = (arm + 0.5) * SIDE / n_arms
        names += [
            f'<text x="{MARGIN - 4}" y="{ABOVE + place + 4:.1f}" text-anchor="end">{arm}</text>',
            f'<text x="{MARGIN + place:.1f}" y="{ABOVE + SIDE + 14}" text-anchor="middle">{arm}</text>',
        ]
    return (
        f'<svg class="map" width="{width}" height="{height}" viewBox="0 0 {width} {height}" aria-hidden="true">'
        f'<rect {square}/><image {square} preserveAspectRatio="none" href="{_image(pixels)}"/>{"".join(names)}</svg>'
    )
