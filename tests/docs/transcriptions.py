"""The literal transcriptions on the pages of the algorithms: copied from the oracles, so that both say the same.

A page shows what stands between two lines, which name the file::

    <!-- transcription: tests/conformance/literal/rucb.py -->
    <!-- end of transcription -->

After a change of an oracle fill the pages again::

    python -m tests.docs.transcriptions [ID ...]
"""

import ast
import inspect
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.conformance import test_literal, test_scalar_literal

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "algorithms"
BLOCK = re.compile(r"(<!-- transcription: (\S+) -->\n).*?(<!-- end of transcription -->\n)", re.DOTALL)
MAKERS: dict[str, list[Callable[..., Any]]] = {
    id: [registry[id].make for registry in (test_literal.ORACLES, test_scalar_literal.ORACLES) if id in registry]
    for id in (*test_literal.ORACLES, *test_scalar_literal.ORACLES)
}
"""What makes the oracles of an algorithm: one where it duels, one on scalar bandits."""


def oracle_of(make: Callable[..., Any]) -> type:
    """The class of the oracles that ``make`` makes: itself, or what it is a partial call of."""
    made = make.func if isinstance(make, partial) else make
    assert isinstance(made, type)
    return made


def oracles(id: str) -> dict[str, str]:
    """The oracles of an algorithm: file, from the root of the project -> class.

    Examples
    --------
    >>> oracles("rucb")
    {'tests/conformance/literal/rucb.py': 'RUCB'}
    """
    classes = [oracle_of(make) for make in MAKERS[id]]
    return {Path(inspect.getfile(one)).relative_to(ROOT).as_posix(): one.__name__ for one in classes}


def excerpt(source: str, name: str) -> str:
    """A definition of a module, all others of the module that it uses, and the imports that these use.

    Examples
    --------
    >>> print(excerpt("import math, os\\nE = math.e\\ndef f(): return 1\\ndef g(): return E\\n", "g"))
    import math, os
    <BLANKLINE>
    E = math.e
    <BLANKLINE>
    <BLANKLINE>
    def g(): return E
    """
    body = ast.parse(source).body
    binds = {node: _bound_by(node) for node in body}
    wanted = {name}
    shown: set[ast.stmt] = set()
    while more := {node for node in body if node not in shown and wanted & binds[node]}:
        shown |= more
        for node in more:
            wanted |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    imports = [ast.get_source_segment(source, node) for node in body if node in shown and _is_import(node)]
    rest = [_text(source, node) for node in body if node in shown and not _is_import(node)]
    return "\n\n\n".join(rest) if not imports else "\n\n\n".join(["\n".join(map(str, imports)), *rest])


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _bound_by(node: ast.stmt) -> set[str]:
    """The names that a statement of a module gives something to."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _text(source: str, node: ast.stmt) -> str:
    """The lines of a statement, decorators and a comment at its end included."""
    decorators = getattr(node, "decorator_list", [])
    first = decorators[0].lineno if decorators else node.lineno
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


def filled(id: str, page: str) -> str:
    """The page of an algorithm with its transcriptions as they are now.

    Raises
    ------
    ValueError
        The page does not have one block for each file of its oracles.
    """
    classes = oracles(id)
    files = [file for _, file, _ in BLOCK.findall(page)]
    if sorted(files) != sorted(classes):
        raise ValueError(f"{id}.md: has blocks for {files}, needs {list(classes)}")

    def block(found: re.Match[str]) -> str:
        text = excerpt((ROOT / found[2]).read_text(encoding="utf-8"), classes[found[2]])
        return f"{found[1]}```python\n{text}\n```\n{found[3]}"

    return BLOCK.sub(block, page)


def main(ids: list[str]) -> None:
    """Fill the pages of these algorithms, or of all."""
    for id in ids or MAKERS:
        path = PAGES / f"{id}.md"
        path.write_text(filled(id, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
