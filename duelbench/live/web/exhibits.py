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

    Parameters
    ----------
    arm : Arm

    Returns
    -------
    Exhibit

    Raises
    ------
    InputError
        If its file cannot be read, or is neither a picture nor HTML nor a text in UTF-8.

    Examples
    --------
    >>> exhibit(Arm("tea"))
    Exhibit(kind='name', text='tea', path=None, media_type='')
    >>> exhibit(Arm("prompt 1", "Be brief.")).text
    'Be brief.'
    """
    if arm.path is None:
        return Exhibit("name", arm.name) if arm.text is None else Exhibit("text", arm.text)
    ending = arm.path.suffix.lower()
    if ending in PICTURES:
        return Exhibit("picture", path=arm.path, media_type=PICTURES[ending])
    if ending in PAGES:
        return Exhibit("page", path=arm.path, media_type=PAGES[ending])
    return Exhibit("text", _text(arm, arm.path) if arm.text is None else arm.text)


def _text(arm: Arm, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        endings = ", ".join([*PICTURES, *PAGES])
        raise InputError(
            f"the arm {arm.name!r}: {path} is not a text in UTF-8; pictures and pages are known by an ending, {endings}"
        ) from error
    except OSError as error:
        raise InputError(f"the arm {arm.name!r}: {path} cannot be read: {error.strerror}") from error


def check_picture(arm: Arm) -> None:
    """Refuse a picture that no browser can show; what is no picture passes.

    Parameters
    ----------
    arm : Arm

    Raises
    ------
    InputError
        If the file is empty, ends too soon, or holds something else than its ending says.
    """
    ending = "" if arm.path is None else arm.path.suffix.lower()
    if arm.path is None or ending not in PICTURES:
        return
    why = "it is empty" if _size(arm, arm.path) == 0 else (_fault_of_svg if ending == ".svg" else _fault)(arm.path)
    if why:
        raise InputError(f"the arm {arm.name!r}: {arm.path} is no picture that can be shown: {why}; mend or remove it")


def _size(arm: Arm, path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise InputError(f"the arm {arm.name!r}: {path} cannot be read: {error.strerror}") from error


def _fault(path: Path) -> str:
    """What is wrong with a picture of pixels; empty where nothing is."""
    from PIL import Image

    Image.init()
    formats = [PICTURES[ending].removeprefix("image/").upper() for ending in PICTURES]
    known = [name for name in formats if name in Image.OPEN]
    if PICTURES[path.suffix.lower()].removeprefix("image/").upper() not in known:
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


SVG = "http://www.w3.org/2000/svg"
"""The namespace of drawings."""


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
