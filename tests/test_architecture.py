"""The layers of the package: no import runs upwards, no two files import each other, no folder is crowded.

Measured from the syntax trees, so that imports inside functions and for typing count.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from duelbench.bandits.third_party import named_by_imports

ROOT = Path(__file__).parent.parent
LAYERS = (
    ("errors", "version", "common", "bandits.parameters", "bandits.third_party", "bandits.opened_files"),
    ("bandits.kernels", "bandits.problem", "bandits.statistics"),
    ("bandits.algorithms",),
    ("bandits.simulation",),
    ("data",),
    ("experiments.spec",),
    ("experiments.results",),
    ("experiments.plugins",),
    ("experiments.execution",),
    ("experiments.figures",),
    ("experiments", "judging"),
    ("leaderboard",),
    ("cli",),
)
"""From the bottom up. Packages of one layer do not import each other, but for those of the lowest."""

ENTRANCES = {
    "duelbench": None,
    "duelbench.__main__": None,
    "duelbench.plugin": ("bandits.algorithms", "bandits.kernels"),
}
"""What a user imports or calls -> the packages that it may import, None for all. No package imports them."""

MOST_FILES = 18


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    return {_name(path.relative_to(root)): path for path in sorted((root / "duelbench").rglob("*.py"))}


def _name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(root: Path = ROOT) -> dict[str, set[str]]:
    """Module -> the modules of the product that it imports, wherever in the file it does so."""
    found = modules(root)
    return {name: set(_imported(ast.parse(path.read_text()), name, found)) for name, path in found.items()}


def _imported(tree: ast.AST, module: str, found: dict[str, Path]) -> Iterator[str]:
    for name in named_by_imports(ast.walk(tree), module):
        target = name if name in found else name.rpartition(".")[0]
        if target in found:
            yield target


def package(module: str) -> str:
    """The part of `LAYERS` that a module is in, the most exact one."""
    name = module.removeprefix("duelbench").removeprefix(".")
    parts = [part for layer in LAYERS for part in layer if name == part or name.startswith(f"{part}.")]
    return max(parts, key=len, default=name)


def offences(graph: dict[str, set[str]]) -> list[str]:
    """Imports that run upwards or across a layer, in words."""
    layer = {name: height for height, names in enumerate(LAYERS) for name in names}
    found = []
    for module, targets in sorted(graph.items()):
        for target in sorted(targets):
            here, there = package(module), package(target)
            if module in ENTRANCES:
                allowed = ENTRANCES[module]
                if allowed is not None and there and there not in allowed:
                    found.append(f"{module} imports {target}, and may import {' and '.join(allowed)} only")
                continue
            if target in ENTRANCES and target != "duelbench":
                found.append(f"{module} imports {target}")
            elif there and here != there and (layer[there] > layer[here] or layer[there] == layer[here] > 0):
                found.append(f"{module} (layer {layer[here]}) imports {target} (layer {layer[there]})")
    return found


def circle(graph: dict[str, set[str]]) -> list[str]:
    """A chain of imports that comes back to where it began; empty where there is none.

    Examples
    --------
    >>> circle({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    ['b', 'c', 'b']
    """
    try:
        TopologicalSorter({module: targets - {module} for module, targets in graph.items()}).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


def test_no_import_runs_upwards():
    assert not offences(imports()), "\n".join(offences(imports()))


def test_no_chain_of_imports_comes_back():
    assert not circle(imports()), " -> ".join(circle(imports()))


def test_every_package_has_a_layer_and_every_file_says_what_it_holds():
    known = {name for names in LAYERS for name in names}
    for module, path in modules().items():
        assert module in ENTRANCES or module == "duelbench.bandits" or package(module) in known, (
            f"{module} is in no package of LAYERS"
        )
        first = path.read_text().partition("\n")[0]
        assert first.startswith('"""') and len(first) > 15, f"{path.relative_to(ROOT)} does not say what it holds"


def test_no_folder_is_crowded():
    folders: dict[Path, int] = {}
    for path in modules().values():
        folders[path.parent] = folders.get(path.parent, 0) + (path.name != "__init__.py")
    crowded = {str(folder.relative_to(ROOT)): count for folder, count in folders.items() if count > MOST_FILES}
    assert not crowded


def test_an_import_inside_a_function_and_one_for_typing_count(tmp_path):
    root = tmp_path / "duelbench"
    (root / "bandits" / "problem").mkdir(parents=True)
    (root / "cli").mkdir()
    (root / "cli" / "app.py").write_text("")
    (root / "bandits" / "problem" / "a.py").write_text("def f():\n    from duelbench.cli import app\n    return app\n")
    (root / "bandits" / "problem" / "b.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from duelbench.cli.app import x\n"
    )
    assert len(offences(imports(tmp_path))) == 2
