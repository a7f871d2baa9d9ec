"""What a judge is shown of an arm: its name, a text, a picture, or a page of HTML."""

import struct
import warnings
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from duelbench.errors import InputError
from duelbench.live.arms import Arm

PICTURES = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
"""Endings of files -> the type by which a browser knows them."""

PAGES = {".htm": "text/html; charset=utf-8", ".html": "text/html; charset=utf-8"}
"""The same of files that are shown in a frame of their own."""

SVG = "http://www.w3.org/2000/svg"
"""The namespace of drawings."""


@dataclass(frozen=True)
class Exhibit:
    """What is shown of an arm.

    Parameters
    ----------
    kind : str
        ``name``, ``text``, ``picture`` or ``page``.
    text : str
        Of the first two.
    path : Path, optional
        Of the others. The file is read whenever a browser asks for it.
    media_type : str
        Of that file.
    """

    kind: str
    text: str = ""
    path: Path | None = None
    media_type: str = ""


def exhibit(arm: Arm) -> Exhibit:
    """What is shown of an arm: its content alone where it has one, for a name may sway the judge.

    Raises
    ------
    InputError
        If its file cannot be read, is a picture that no browser can show, or is neither a picture nor HTML nor a text
        in UTF-8.

    Examples
    --------
    >>> exhibit(Arm("tea"))
    Exhibit(kind='name', text='tea', path=None, media_type='')
    >>> exhibit(Arm("prompt 1", "Be brief.")).text
    'Be brief.'
    """
    if arm.path is None:
        return Exhibit("name", arm.name) if arm.text is None else Exhibit("text", arm.text)
    what = f"the arm {arm.name!r}: {arm.path}"
    ending = arm.path.suffix.lower()
    try:
        if ending in PICTURES:
            if why := _fault(arm.path, ending):
                raise InputError(f"{what} is no picture that can be shown: {why}; fix or remove it")
            return Exhibit("picture", path=arm.path, media_type=PICTURES[ending])
        if ending in PAGES:
            return Exhibit("page", path=arm.path, media_type=PAGES[ending])
        return Exhibit("text", arm.path.read_text(encoding="utf-8") if arm.text is None else arm.text)
    except UnicodeDecodeError as error:
        endings = ", ".join([*PICTURES, *PAGES])
        raise InputError(
            f"{what} is not a text in UTF-8; pictures and pages are known by an ending, {endings}"
        ) from error
    except OSError as error:
        raise InputError(f"{what} cannot be read: {error.strerror}") from error


def _fault(path: Path, ending: str) -> str:
    """What is wrong with a picture: it is empty, ends too soon, or holds something else; empty where nothing is."""
    if path.stat().st_size == 0:
        return "it is empty"
    return _fault_of_svg(path) if ending == ".svg" else _fault_of_pixels(path, ending)


def _fault_of_pixels(path: Path, ending: str) -> str:
    from PIL import Image

    Image.init()
    formats = {kind: PICTURES[kind].removeprefix("image/").upper() for kind in PICTURES}
    known = [name for name in formats.values() if name in Image.OPEN]
    if formats[ending] not in known:
        return ""  # this Pillow cannot read it, and a browser may
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=known) as picture:
                picture.load()
    except Image.DecompressionBombError:
        return ""  # very large, and yet a picture
    except Image.UnidentifiedImageError:
        return "it holds something else"
    except (OSError, SyntaxError, ValueError, struct.error) as error:
        return str(error)
    return ""


def _fault_of_svg(path: Path) -> str:
    """The same of a drawing: XML whose outermost element is ``svg``."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError, ValueError, LookupError) as error:
        return str(error)
    if root.tag == f"{{{SVG}}}svg":
        return ""
    lacking = f', which must say xmlns="{SVG}"' if root.tag == "svg" else ""
    return f"its outermost element is {root.tag}{lacking}"
