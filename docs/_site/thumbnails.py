"""Make the pictures of the gallery and of the pages on figures from the figures in a folder of results.

python docs/_site/thumbnails.py results
"""

import re
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

PAGE = Path(__file__).parents[1] / "gallery.md"
FOLDER = PAGE.parent / "images" / "gallery"
WIDTH = 1240
"""In pixels; less where a picture would be too large."""
COLOURS = 256
MOST_BYTES = 120_000


def thumbnail(picture: Image.Image, width: int = WIDTH) -> bytes:
    """Return a PNG file of at most `MOST_BYTES` with few colours, the same bytes for the same picture."""
    width = min(width, picture.width)
    size = (width, round(picture.height * width / picture.width))
    small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    file = BytesIO()
    # Maximum coverage keeps the colours of thin lines; others choose by area, and give two algorithms one colour.
    few = small.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
    few.save(file, "PNG", optimize=True)
    return file.getvalue() if len(file.getvalue()) <= MOST_BYTES else thumbnail(picture, width * 9 // 10)


def shown() -> list[str]:
    """The experiments whose pictures the gallery shows."""
    return re.findall(r"\(images/gallery/([\w-]+)\.png\)", PAGE.read_text(encoding="utf-8"))


def main(results: Path) -> None:
    """Make the pictures of all figures that lie in ``results``; the others stay as they are."""
    for name in shown():
        figure = results / name / f"{name}.png"
        if figure.exists():
            with Image.open(figure) as picture:
                (FOLDER / figure.name).write_bytes(thumbnail(picture))
        print(f"{name}: {'made' if figure.exists() else f'left as it is, for there is no {figure}'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
