"""The results of experiments on one page: figure, table and matrices in an HTML file that needs no other."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from duelbench import markup
from duelbench.figures.table import USUAL_COLUMNS, Row, bound_lines, kinds_of, text_cells, text_columns
from duelbench.version import VERSION

_STYLE = """
body { max-width: 68rem; margin: 2rem auto; padding: 0 1rem; color: #262626; background: #fff;
       font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin-top: 3rem; } h2 { font-size: 1.1rem; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #e4e4e4; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: #666; } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.warning { color: #b2182b; font-weight: bold; }
""".strip()


@dataclass(frozen=True)
class Section:
    """What the page says of one experiment.

    Parameters
    ----------
    title : str
    svg : str
        The figure.
    rows : sequence of Row
    settings : mapping
        Name -> value of what was asked for.
    matrices : mapping
        Problem -> its matrix' facts, name -> value.
    warnings : sequence of str
        What is not whole.
    columns : sequence of str
        Of the table: keys of `duelbench.figures.table.COLUMNS`.
    """

    title: str
    svg: str
    rows: Sequence[Row]
    settings: Mapping[str, str]
    matrices: Mapping[str, Mapping[str, str]]
    warnings: Sequence[str] = ()
    columns: Sequence[str] = USUAL_COLUMNS


def page(sections: Sequence[Section]) -> str:
    """The page as HTML: it loads nothing, runs nothing and is the same for the same results.

    Examples
    --------
    >>> section = Section("A < B", "<svg></svg>", [], {"runs": "100"}, {"cyclic": {"arms": "4"}})
    >>> "<h1>A &lt; B</h1>" in page([section])
    True
    """
    title = escape(", ".join(section.title for section in sections))
    body = "\n".join(_section(section, f"s{number}-") for number, section in enumerate(sections))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="duelbench {VERSION}">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _section(section: Section, prefix: str) -> str:
    parts = [f"<h1>{escape(section.title)}</h1>"]
    parts += [f'<p class="warning">{escape(warning)}</p>' for warning in section.warnings]
    parts += [f"<figure>\n{inline_svg(section.svg, prefix)}\n</figure>"]
    parts += ["<h2>Regret after round t, in duels</h2>", _table(section.rows, section.columns)]
    parts += [f"<p>{escape(line)}</p>" for line in bound_lines(section.rows)]
    parts += ["<h2>Experiment</h2>", _facts(section.settings)]
    for problem, facts in section.matrices.items():
        parts += [f"<h2>Matrix {escape(problem)}</h2>", _facts(facts)]
    return "\n".join(parts)


def inline_svg(svg: str, prefix: str) -> str:
    """An SVG file as a part of a page, its ids made different from those of other figures by ``prefix``.

    Examples
    --------
    >>> inline_svg('<?xml version="1.0"?><svg><path id="a"/><use xlink:href="#a"/></svg>', "s0-")
    '<svg><path id="s0-a"/><use xlink:href="#s0-a"/></svg>'
    """
    element = svg[svg.index("<svg") :].rstrip()
    return re.sub(r'( id="|xlink:href="#|url\(#)', rf"\g<1>{prefix}", element)


def _table(rows: Sequence[Row], chosen: Sequence[str]) -> str:
    lines = [text_cells(row, kinds_of(rows), chosen) for row in rows]
    return f'<div class="scroll">{markup.table(text_columns(rows, chosen), lines)}</div>'


def _facts(facts: Mapping[str, str]) -> str:
    lines = [f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()]
    return "\n".join(["<dl>", *lines, "</dl>"])
