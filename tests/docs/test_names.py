"""What the pages name in code spans exists: names, functions, files, tests, and options of commands.

Nothing here says where something is: a name counts wherever the project has it, and so do file names without a folder.
"""

import ast
import builtins
import importlib
import re
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import typer

from duelbench.cli.app import app
from tests.docs.test_readme import PAGES, ROOT

PAGES = [*PAGES, *sorted((ROOT / "matrices").glob("*.md")), *sorted((ROOT / "tests").rglob("*.md"))]

FOREIGN = {"DataFrame.to_csv", "pipeline_class"}
"""Names of packages that the project does not need."""

YOURS = {"commit.py", "x.yaml", "OUT.csv", "data/urvoy2013_curves.csv"}
"""Files that a reader makes or has."""

FILE = re.compile(r"[\w./-]+\.(py|csv|yaml|yml|jsonl|json|md|npz|npy|png|pdf|svg|toml|mk|txt|cfg)")
NAME = re.compile(r"_\w+|[a-z]\w*_\w*")
DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
CALL = re.compile(r"([A-Za-z_][\w.]*)\(.*\)")


class Code:
    """What a Python file defines, and everything else that it names or says."""

    def __init__(self, path: Path) -> None:
        self.stem = path.parent.name if path.stem == "__init__" else path.stem
        self.words: set[str] = set()
        self.functions: set[str] = set()
        self.classes: dict[str, set[str]] = {}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            self._take(node)

    def _take(self, node: ast.AST) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.functions.add(node.name)
            self.words |= {node.name, *(argument.arg for argument in ast.walk(node) if isinstance(argument, ast.arg))}
        elif isinstance(node, ast.ClassDef):
            parts = {part.target.id for part in node.body if isinstance(part, ast.AnnAssign) and _is_name(part.target)}
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            self.classes[node.name] = parts | methods
            self.words |= {node.name, *parts}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self.words.add(node.id)
        elif isinstance(node, ast.keyword) and node.arg:
            self.words.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self.words.add(node.value)


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


@cache
def files() -> tuple[Path, ...]:
    """The files of the project, relative to its folder."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return tuple(Path(line) for line in listed.stdout.splitlines() if (ROOT / line).is_file())
    folders = ("duelbench", "tests", "docs", "configs", "matrices")
    below = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    return tuple(path.relative_to(ROOT) for path in [*below, *(path for path in ROOT.glob("*") if path.is_file())])


@cache
def project() -> tuple[Code, ...]:
    """The code of the package."""
    return tuple(Code(ROOT / path) for path in files() if path.suffix == ".py" and path.parts[0] == "duelbench")


@cache
def helpers() -> tuple[Code, ...]:
    """The code of the tests, which pages name as well; but for this file, which names what must not exist."""
    own = Path(__file__).relative_to(ROOT)
    return tuple(
        Code(ROOT / path) for path in files() if path.suffix == ".py" and path.parts[0] == "tests" and path != own
    )


def keys_and_columns() -> set[str]:
    """Names in the specs that ship."""
    text = "\n".join((ROOT / path).read_text(encoding="utf-8") for path in files() if path.suffix == ".yaml")
    return set(re.findall(r"\w+", text))


def spans(text: str) -> list[str]:
    """The code spans of a page, each in one line; blocks of code are left out."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]


def blocks(text: str) -> str:
    return "\n".join(re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL))


def is_word(name: str) -> bool:
    """Whether some file of the project defines, takes or says it."""
    return any(name in code.words for code in (*project(), *helpers())) or name in keys_and_columns()


def is_private_name(name: str, page: Path, text: str) -> bool:
    """Whether some file defines it; on the page of an algorithm, one of the files that the page names."""
    stems = {Path(span).stem for span in spans(text) if span.endswith(".py") and page.parent.name == "algorithms"}
    known = {code.stem for code in project()} & stems
    return any(name in code.words for code in project() if not known or code.stem in known)


def is_importable(name: str) -> bool:
    """Whether a dotted name leads from a module to something in it."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ImportError:
            continue
        for part in parts[k:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def is_dotted_name(name: str) -> bool:
    """Whether there is such a part of a package, of a module, or of a class or something that is called like one."""
    if name in FOREIGN or is_importable(name):
        return True
    owner, _, part = name.rpartition(".")
    owner = owner.rpartition(".")[2]
    for code in (*project(), *helpers()):
        if code.stem == owner and part in code.words:
            return True
        if any(part in parts for known, parts in code.classes.items() if owner in (known, known.lower())):
            return True
    return hasattr(getattr(np.random, owner, None), part)


def is_function(name: str) -> bool:
    last = name.rpartition(".")[2]
    known = any(last in code.functions for code in (*project(), *helpers()))
    foreign = any(hasattr(place, last) for place in (builtins, np.random, np.random.Generator))
    return known or foreign or is_dotted_name(name)


def is_file(name: str, page: Path, text: str) -> bool:
    """Whether the project has the file, makes it, or the page's own code does; a lone name may lie anywhere."""
    if name in YOURS or name.startswith(("../shared", "results/")):
        return True
    if "/" in name:
        places = (ROOT, ROOT / "duelbench", page.parent)
        return any((place / name).exists() for place in places)
    return any(path.name == name for path in files()) or is_word(name) or name in blocks(text)


@cache
def options() -> dict[tuple[str, ...], set[str]]:
    """The options of every command, by its words."""

    def below(command, words):
        yield words, {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
        for name, other in getattr(command, "commands", {}).items():
            yield from below(other, (*words, name))

    return dict(below(typer.main.get_command(app), ()))


def has_options(span: str) -> bool:
    """Whether the command that a span begins with has the options in it; any command, where it names none."""
    words = span.removeprefix("duelbench ").split()
    named = [known for known in options() if known and tuple(words[: len(known)]) == known]
    allowed = options()[max(named, key=len)] if named else set().union(*options().values())
    return set(re.findall(r"(?<!\S)--?[a-z][\w-]*", span)) <= allowed


def missing(span: str, page: Path, text: str) -> bool:
    """Whether a code span names something that does not exist."""
    if "::" in span or re.fullmatch(r"tests/[\w/]+\.py", span):
        path, _, name = span.partition("::")
        defined = {word for code in helpers() for word in code.functions}
        return (bool(path) and not is_file(path, page, text)) or (bool(name) and name not in defined)
    if re.search(r"(?<!\S)--?[a-z]", span) and not span.startswith(("pytest", "python", "pip")):
        return not has_options(span)
    if "<" in span or span.startswith(("~", "$", "http")):
        return False
    if FILE.fullmatch(span):
        return not is_file(span, page, text)
    if re.fullmatch(r"[\w./-]+/", span):
        return not is_file(span, page, text)
    if called := CALL.fullmatch(span):
        return not is_function(called[1])
    if DOTTED.fullmatch(span):
        return not is_dotted_name(span)
    if span.startswith("_") and NAME.fullmatch(span):
        return not is_private_name(span, page, text)
    return bool(NAME.fullmatch(span)) and span not in FOREIGN and not is_word(span)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page):
    text = page.read_text(encoding="utf-8")
    gone = [span for span in dict.fromkeys(spans(text)) if missing(span, page, text)]
    assert not gone, f"{page.relative_to(ROOT)} names what does not exist: {', '.join(gone)}"


@pytest.mark.parametrize(
    "span",
    [
        *("_close_the_step", "savage._acept", "exploration.radiuss", "Decision.bounds", "duelbench.simulat"),
        *("lower_bounds_of(P)", "rng.randoms()", "np.no_such_name", "nothing.py", "tests/nothing.py", "no-folder/"),
        *("tests/docs/test_names.py::test_nothing", "--no-such-option", "run --bounds", "duelbench show --dry-run"),
    ],
)
def test_what_does_not_exist_is_noticed(span):
    assert missing(span, ROOT / "README.md", "")


@pytest.mark.parametrize(
    "span",
    [
        *(
            "feedback_delay",
            "duelbench.simulate",
            "Algorithm.self_duel_probability",
            "trace.decisions",
            "Generator.integers",
            "rng.random()",
        ),
        *("duelbench/errors.py", "cyclic.csv", "manifest.json", "run --dry-run", "duelbench show MATRIX --bounds"),
    ],
)
def test_what_exists_is_not_missing(span):
    assert not missing(span, ROOT / "README.md", "")


def test_the_page_of_an_algorithm_names_what_its_own_files_define():
    page = ROOT / "docs" / "algorithms" / "rucb.md"
    assert missing("_add_missing", page, "`rucb.py`")
    assert not missing("_add_missing", page, "`cw_rmed.py`")


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "algorithms").glob("*.md")), ids=lambda page: page.stem)
def test_the_modules_of_an_algorithm_are_in_the_folder_that_its_page_names(page):
    named = re.search(r"Modules?:?\s.*?(?=\n\n)", page.read_text(encoding="utf-8"), re.DOTALL)
    if named is None:
        pytest.skip("the page names no module")
    folder = ROOT
    for span in spans(named.group()):
        if span.endswith("/"):
            folder = ROOT / span
        elif span.endswith(".py"):
            place = ROOT / span if "/" in span else folder / span
            assert place.is_file(), f"{page.name}: {span}"
            folder = place.parent
