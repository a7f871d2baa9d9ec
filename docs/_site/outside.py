"""Files of the repository that pages link to and that are no pages of ``docs``: what they are called in the site.

A file outside ``docs``, or a script in it, stands in the site below ``repository``. Markdown becomes a page as it is;
any other file (a spec, a matrix) a page that shows its text.
"""

import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FOLDER = "repository"
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")
CODE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
LANGUAGES = {".yaml": "yaml", ".py": "python", ".json": "json", ".cff": "yaml"}


def uri_of(path: Path) -> str:
    """Where the site has a file of the repository; a folder stands for the README in it.

    Examples
    --------
    >>> uri_of(DOCS / "statistics.md"), uri_of(ROOT / "matrices"), uri_of(ROOT / "LICENSE")
    ('statistics.md', 'repository/matrices/README.md', 'repository/LICENSE.md')
    """
    if path.is_dir():
        path = path / "README.md"
    if path.is_relative_to(DOCS) and path.suffix != ".py":
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix()
    return f"{FOLDER}/{name}" if name.endswith(".md") else f"{FOLDER}/{name}.md"


def path_of(uri: str) -> Path:
    """The file that a page of the site shows, but for the ending that a page needs."""
    prefix, _, name = uri.partition("/")
    return ROOT / name if prefix == FOLDER else DOCS / uri


def aims(markdown: str, uri: str) -> dict[str, Path]:
    """The links of a page to files of the repository: as written -> the file."""
    folder = path_of(uri).parent
    prose = CODE.sub("", markdown)
    found = {target: Path(os.path.normpath(folder / target)) for target in LINK.findall(prose) if "://" not in target}
    return {target: path for target, path in found.items() if path.exists() and path.is_relative_to(ROOT)}


def linked(markdown: str, uri: str) -> str:
    """A page whose links lead to the pages of the site; links to what does not exist are left, for MkDocs to refuse."""
    places = {target: _place(path, uri) for target, path in aims(markdown, uri).items()}

    def in_site(found: re.Match[str]) -> str:
        return places.get(found[0], found[0])

    # Every second part is a block of code.
    return "".join(part if k % 2 else LINK.sub(in_site, part) for k, part in enumerate(CODE.split(markdown)))


def _place(path: Path, uri: str) -> str:
    return Path(os.path.relpath(uri_of(path), Path(uri).parent)).as_posix()


def pages(own: dict[str, str]) -> dict[str, str]:
    """The pages for all such files that ``own`` pages, or these pages themselves, link to."""
    found: dict[str, str] = {}
    waiting = dict(own)
    while waiting:
        uri, text = waiting.popitem()
        for path in aims(text, uri).values():
            new = uri_of(path)
            if new.startswith(f"{FOLDER}/") and new not in found:
                found[new] = waiting[new] = _text(path)
    return found


def _text(path: Path) -> str:
    if path.is_dir():
        path = path / "README.md"
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    name = path.relative_to(ROOT).as_posix()
    language = LANGUAGES.get(path.suffix, "text")
    return f"---\nsearch: {{exclude: true}}\n---\n\n# {name}\n\n```{language}\n{text.rstrip()}\n```\n"
