"""What a judge is shown of an arm: its name, a text, a picture, or a page of HTML."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from duelbench.errors import InputError

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


class Described(Protocol):
    """An arm as its file describes it."""

    @property
    def name(self) -> str:
        """By which the session knows it."""

    @property
    def text(self) -> str | None:
        """What is to be judged, where it is a text."""

    @property
    def path(self) -> Path | None:
        """The file that is to be judged, where there is one."""


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


def exhibit(arm: Described) -> Exhibit:
    """What is shown of an arm: its content alone where it has one, for a name may sway the judge.

    Parameters
    ----------
    arm : Described

    Returns
    -------
    Exhibit

    Raises
    ------
    InputError
        If its file is missing, or is neither a picture nor HTML nor a text in UTF-8.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> exhibit(SimpleNamespace(name="tea", text=None, path=None))
    Exhibit(kind='name', text='tea', path=None, media_type='')
    >>> exhibit(SimpleNamespace(name="prompt 1", text="Be brief.", path=None)).text
    'Be brief.'
    """
    if arm.path is None:
        return Exhibit("name", arm.name) if arm.text is None else Exhibit("text", arm.text)
    if not arm.path.is_file():
        raise InputError(f"the arm {arm.name!r}: there is no file {arm.path}")
    ending = arm.path.suffix.lower()
    if ending in PICTURES:
        return Exhibit("picture", path=arm.path, media_type=PICTURES[ending])
    if ending in PAGES:
        return Exhibit("page", path=arm.path, media_type=PAGES[ending])
    return Exhibit("text", _text(arm, arm.path) if arm.text is None else arm.text)


def _text(arm: Described, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        endings = ", ".join([*PICTURES, *PAGES])
        raise InputError(
            f"the arm {arm.name!r}: {path} is not a text in UTF-8; pictures and pages are known by their endings: {endings}"
        ) from error
    except OSError as error:
        raise InputError(f"the arm {arm.name!r}: {path} cannot be read: {error.strerror}") from error
