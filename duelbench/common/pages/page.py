"""A page: sections with text, figures and tables, written as one HTML file that loads nothing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
from pathlib import Path
from xml.etree import ElementTree

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from duelbench.version import VERSION

Row = Sequence[str]

_NUMBER = re.compile(r"(> ?)?-?\d[\d,]*(\.\d+)?(e[-+]?\d+)?%?( of \d+|-\d+| \[.*\])?|-|")
"""A cell that sorts as the number it starts with: ``12``, ``> 3.4``, ``95%``, ``3 of 4``, ``2-5``, or no number."""


@dataclass(frozen=True)
class Figure:
    """A picture, such as an SVG file that Matplotlib has saved."""

    svg: str
    label: str  # in words, for readers who cannot see the figure


@dataclass(frozen=True)
class Table:
    """A table of plain text that sorts by clicking on a heading."""

    columns: Row
    rows: Sequence[Row]
    notes: Sequence[str] = ()  # below the table
    header: int = 0  # the column that names a row
    group: int | None = None  # a column whose equal neighbours have one heading; each such group sorts by itself

    def shown(self) -> list[int]:
        """Return the indices of the columns, without that of the group."""
        return [k for k in range(len(self.columns)) if k != self.group]

    def groups(self) -> list[tuple[str, list[Row]]]:
        """Return the heading of each group, and its rows; a single group has no heading."""
        if self.group is None:
            return [("", list(self.rows))]
        place = self.group
        groups = [(name, list(rows)) for name, rows in groupby(self.rows, key=lambda row: row[place])]
        return groups if len(groups) > 1 else [("", rows) for _, rows in groups]

    def numeric(self) -> set[int]:
        """Return the indices of the columns of numbers, which sort by size and are flush right."""
        return {k for k in self.shown() if k != self.header and all(_NUMBER.fullmatch(row[k]) for row in self.rows)}


@dataclass(frozen=True)
class Section:
    """A heading and what is below it, in the order of these fields."""

    heading: str
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    text: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    code: str = ""
    sections: "Sequence[Section]" = ()
    choice: Mapping[str, str] = field(default_factory=dict)  # menus show one at a time of the sections with a choice
    is_folded: bool = False  # shown after a click on its heading


@dataclass(frozen=True)
class Page:
    """The content of a page; every text in it is plain text."""

    title: str
    sections: Sequence[Section]
    subtitle: str = ""
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    footer: str = ""  # how the page was made

    def html(self) -> str:
        """Return the page as HTML; the same content gives the same bytes.

        Examples
        --------
        >>> "<h2>a &lt; b</h2>" in Page("Title", [Section("a < b")]).html()
        True
        """
        folder = FileSystemLoader(Path(__file__).parent)
        environment = Environment(
            loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        environment.policies["json.dumps_kwargs"] = {"sort_keys": False}  # menus have the order of a choice
        number = count()
        environment.filters["inline"] = lambda svg: Markup(_inline(svg, f"figure{next(number)}-"))
        return environment.get_template("page.html").render(page=self, version=VERSION) + "\n"


def _inline(svg: str, prefix: str) -> str:
    """Return an SVG file as an element of a page: ids that it refers to get a ``prefix``, others are removed."""
    referred = set(re.findall(r'(?:url\(|href=")#([^)"]+)', svg))
    root = ElementTree.fromstring(svg)
    for metadata in root.findall("{*}metadata"):
        root.remove(metadata)
    for element in root.iter():
        element.tag = _plain(element.tag)
        attributes = {_plain(name): value for name, value in element.attrib.items()}
        if "id" in attributes:
            name = attributes.pop("id")
            attributes |= {"id": prefix + name} if name in referred else {}
        if attributes.get("href", "").startswith("#"):
            attributes["href"] = f"#{prefix}{attributes['href'][1:]}"
        element.attrib = {name: value.replace("url(#", f"url(#{prefix}") for name, value in attributes.items()}
    root.set("style", f"--width: {root.get('width')}")
    return ElementTree.tostring(root, encoding="unicode")


def _plain(name: str) -> str:
    """Return a name without its XML namespace, which HTML does not write."""
    return name.rpartition("}")[2]
