"""Names of folders: those that specs and problems can have, and the folder of a label."""

import re
import unicodedata

MAX_LENGTH = 80

FOLDER_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
"""The names that `folder_name` accepts, apart from its exceptions."""

_DEVICES = {"con", "prn", "aux", "nul"} | {f"{port}{k}" for port in ("com", "lpt") for k in range(1, 10)}
"""Names of devices on Windows, with any ending."""

_OURS = {"damaged", "failures", "set-aside"}
"""Names of other folders beside those of problems and algorithms."""

_FILE_ENDINGS = (".csv", ".html", ".json", ".md", ".npz", ".pdf", ".png", ".svg")
"""Endings of the files next to those folders."""


def folder_name(text: str, what: str = "names a folder") -> str:
    """Return ``text`` if it can name a folder on every system; else raise `ValueError` with ``what`` and the reason.

    Examples
    --------
    >>> folder_name("mslr5.v2")
    'mslr5.v2'
    >>> folder_name("../up")
    Traceback (most recent call last):
    ...
    ValueError: names a folder: use letters, digits, '-', '_' and '.', beginning with a letter or digit
    """
    if not re.fullmatch(FOLDER_NAME, text):
        raise ValueError(f"{what}: use letters, digits, '-', '_' and '.', beginning with a letter or digit")
    if len(text) > MAX_LENGTH:
        raise ValueError(f"{what}: use at most {MAX_LENGTH} characters, not {len(text)}")
    if text.endswith("."):
        raise ValueError(f"{what}: it cannot end with '.'")
    if _is_taken(text.lower()):
        raise ValueError(f"{what}: '{text}' is a reserved name; choose another")
    return text


def slug(label: str, otherwise: str = "algorithm") -> str:
    """Return the folder name of a label: lower-case ASCII letters, digits, '-' and '.', at most `MAX_LENGTH`.

    It can name a folder on every system. ``otherwise`` replaces a label without such characters. Different labels may
    become the same folder.

    Examples
    --------
    >>> slug("RUCB (alpha=0.8)"), slug("D-TS+"), slug("../../etc"), slug("ECW-RMED, Größe")
    ('rucb-alpha-0.8', 'd-ts-plus', 'etc', 'ecw-rmed-grosse')
    >>> slug("勝者", "d-ts"), slug("CON")
    ('d-ts', 'algorithm-con')
    """
    ascii_label = unicodedata.normalize("NFKD", label.replace("ß", "ss")).encode("ascii", "ignore").decode()
    # A dot remains only before a digit, as in 0.8, so that no folder has the ending of a file.
    words = re.sub(r"[^a-z0-9.]|\.(?![0-9])", "-", ascii_label.lower().replace("+", "-plus-"))
    folder = re.sub("-+", "-", words).strip("-.")[:MAX_LENGTH].strip("-.")
    if not folder:
        return "algorithm" if otherwise == "algorithm" else slug(otherwise)
    return f"algorithm-{folder}"[:MAX_LENGTH] if _is_taken(folder) else folder


def _is_taken(name: str) -> bool:
    return name.split(".")[0] in _DEVICES or name in _OURS or name.endswith(_FILE_ENDINGS)
