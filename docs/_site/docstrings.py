"""NumPy docstrings as Markdown, and the pages of Python names that are made of them."""

import inspect
import re
import textwrap
import types
from collections.abc import Iterator
from functools import cached_property
from typing import Any

ENTRIES = ("Parameters", "Returns", "Raises", "Yields", "Attributes")
"""Sections that are lists of names, each with a description below it."""


def page(title: str, introduction: str, names: dict[str, Any]) -> str:
    """A page of Python names: name as it is written by who uses it -> the thing."""
    return "\n\n".join([f"# {title}", introduction, *(_entry(name, thing) for name, thing in names.items())]) + "\n"


def _entry(name: str, thing: Any) -> str:
    """A name with its signature, its docstring, and the methods and properties of a class."""
    parts = [f"## `{name}`"]
    if callable(thing) and not isinstance(thing, types.ModuleType):
        parts.append(_signature(name, thing))
    parts.append(as_markdown(thing.__doc__ or ""))
    if inspect.isclass(thing):
        for member, function in _members(thing):
            shown = f"{name.rpartition('.')[2]}.{member}"
            parts.append(f"### `{shown}`")
            if callable(function):
                parts.append(_signature(shown, function))
            parts.append(as_markdown(function.__doc__))
    return "\n\n".join(parts)


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """The methods and properties that a class defines for its users."""
    for name, member in vars(cls).items():
        function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if not name.startswith("_") and isinstance(function, (types.FunctionType, property, cached_property)):
            yield name, function


def _signature(name: str, function: Any) -> str:
    """A call with all parameters, one a line where there are many."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name not in ("self", "cls")]
    shown = [str(p.replace(annotation=p.empty)) for p in parameters]
    first_keyword = next((k for k, p in enumerate(parameters) if p.kind == p.KEYWORD_ONLY), None)
    if first_keyword is not None and not any(p.kind == p.VAR_POSITIONAL for p in parameters):
        shown.insert(first_keyword, "*")
    call = f"{name}({', '.join(shown)})"
    if len(call) > 88:
        call = f"{name}(\n" + "".join(f"    {one},\n" for one in shown) + ")"
    return f"```python\n{call}\n```"


def as_markdown(docstring: str) -> str:
    """A NumPy docstring as Markdown: sections with bold titles, entries as lists, examples as code.

    Examples
    --------
    >>> print(as_markdown('''Half of x.
    ...
    ... Parameters
    ... ----------
    ... x : float
    ...     In duels.
    ... '''))
    Half of x.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    -   `x` : float
    <BLANKLINE>
        In duels.
    """
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    shown = [_prose(parts[0])]
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        shown += [f"**{title}**", _entries(text) if title in ENTRIES else _prose(text)]
    return "\n\n".join(part for part in shown if part)


def _entries(text: str) -> str:
    """A list of names with types and descriptions."""
    entries = re.split(r"^(?=\S)", text.strip(), flags=re.MULTILINE)[1:]
    return "\n\n".join(map(_one, entries))


def _one(entry: str) -> str:
    head, _, body = entry.partition("\n")
    name, colon, kind = head.partition(" : ")
    description = _prose(inspect.cleandoc(body)) if body.strip() else ""
    return "\n\n".join([f"-   `{name}`{colon}{kind}", *([textwrap.indent(description, "    ")] if description else [])])


def _prose(text: str) -> str:
    """Paragraphs; examples become blocks of code, references a list."""
    text = re.sub(r"(\[\d+\])_", r"\1", text.strip())
    text = re.sub(r"^\.\. (\[\d+\])", r"\\\1", text, flags=re.MULTILINE)
    return "\n\n".join(_paragraph(paragraph) for paragraph in re.split(r"\n\n+", text))


def _paragraph(paragraph: str) -> str:
    if paragraph.startswith(">>>"):
        return f"```pycon\n{paragraph}\n```"
    return re.sub(r"::$", ":", paragraph)
