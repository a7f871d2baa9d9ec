"""Chooses how the page shows an arm: as its name, a text, a picture, or a page of HTML."""

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
"""The media type of a picture, by the ending of its file."""

PAGES = {".htm": "text/html; charset=utf-8", ".html": "text/html; charset=utf-8"}
"""The media type of a file that is shown in a frame, by its ending."""

SVG = "http://www.w3.org/2000/svg"


@dataclass(frozen=True)
class Exhibit:
    """The content of an arm on the page."""

    kind: str  # name, text, picture or page
    text: str = ""  # the name or the text, for these kinds
    path: Path | None = None  # the file of a picture or page, which is read at each request
    media_type: str = ""  # the media type of that file


def exhibit(arm: Arm) -> Exhibit:
    """Return the content of an arm on the page: its text, picture or page; its name only if it has none of these.

    A name may sway judges.

    Raises
    ------
    InputError
        If the file of the arm cannot be read, is a picture that no browser can show, or is neither a picture nor HTML
        nor a text in UTF-8.
    """
    if arm.outputs:
        return Exhibit("text")  # each question has another text
    if arm.path is None:
        return Exhibit("name", arm.name) if arm.text is None else Exhibit("text", arm.text)
    subject = f"the arm {arm.name!r}: {arm.path}"
    ending = arm.path.suffix.lower()
    try:
        if ending in PICTURES:
            fault = _fault(arm.path, ending)
            if fault:
                raise InputError(f"{subject} is no picture that can be shown: {fault}; fix or remove it")
            return Exhibit("picture", path=arm.path, media_type=PICTURES[ending])
        if ending in PAGES:
            return Exhibit("page", path=arm.path, media_type=PAGES[ending])
        return Exhibit("text", arm.path.read_text(encoding="utf-8") if arm.text is None else arm.text)
    except UnicodeDecodeError as error:
        endings = ", ".join([*PICTURES, *PAGES])
        raise InputError(
            f"{subject} is not a text in UTF-8; the file of a picture or a page must end with one of {endings}"
        ) from error
    except OSError as error:
        raise InputError(f"{subject} cannot be read: {error.strerror}") from error


def _fault(path: Path, ending: str) -> str:
    """Return the fault of a picture file, such as a missing end; empty if it has none."""
    from PIL import Image

    try:
        if ending == ".svg":
            tag = ElementTree.parse(path).getroot().tag
            if tag == f"{{{SVG}}}svg":
                return ""
            return f'its outermost element is {tag}, and must be svg with xmlns="{SVG}"'
        if ending in Image.registered_extensions():  # a browser may read other formats, too
            quiet = warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning)
            with quiet, Image.open(path) as picture:
                picture.load()
    except Image.DecompressionBombError:
        return ""  # a very large picture
    except (OSError, ElementTree.ParseError, SyntaxError, ValueError, LookupError, struct.error) as error:
        return str(error)
    return ""
