"""What a judge is shown of an arm: its name, a text, a picture, or a page of HTML."""

import struct
import warnings
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from duelbench.errors import InputError
from duelbench.judging.arms import Arm

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


@dataclass(frozen=True)
class Exhibit:
    """What is shown of an arm."""

    kind: str  # name, text, picture or page
    text: str = ""  # of the first two
    path: Path | None = None  # of the others; the file is read whenever a browser asks for it
    media_type: str = ""  # of that file


def exhibit(arm: Arm) -> Exhibit:
    """What is shown of an arm: its content alone where it has one, for a name may sway the judge.

    Raises
    ------
    InputError
        If its file cannot be read, is a picture that no browser can show, or is neither a picture nor HTML nor a text
        in UTF-8.
    """
    if arm.outputs:
        return Exhibit("text")  # another one with each question
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
    """What is wrong with a picture: it ends too soon, or holds something else; empty where nothing is."""
    from PIL import Image

    try:
        if ending == ".svg":
            tag = ElementTree.parse(path).getroot().tag
            wanted = f'svg with xmlns="{SVG}"'
            return "" if tag == f"{{{SVG}}}svg" else f"its outermost element is {tag}, and must be {wanted}"
        if ending in Image.registered_extensions():  # others a browser may know
            quiet = warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning)
            with quiet, Image.open(path) as picture:
                picture.load()
    except Image.DecompressionBombError:
        return ""  # very large, and yet a picture
    except (OSError, ElementTree.ParseError, SyntaxError, ValueError, LookupError, struct.error) as error:
        return str(error)
    return ""
