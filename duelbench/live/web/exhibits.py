"""What a judge is shown of an arm: its name, a text, a picture, or a page of HTML."""

from dataclasses import dataclass
from pathlib import Path

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
