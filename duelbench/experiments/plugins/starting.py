"""Writes a first algorithm, spec or judge, which work unchanged, from the templates in this folder."""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from string import Template

from duelbench.bandits import third_party
from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import condorcet_winner, copeland_winners
from duelbench.common import shipped
from duelbench.common.atomic import write_asked
from duelbench.errors import InputError
from duelbench.experiments.spec.naming import folder_name, slug

COMPARES = {
    "TITLE": "a language model says which of two texts is better.",
    "ARMS": "outputs.csv",
    "NOTE": "",
    "IMPORTS_OF_RUNS": "",
    "CONSTANTS_OF_RUNS": "",
    "RUNS": "",
    "ANSWER": "decide(question)",
}
"""The parts of the template for a judge that compares texts as they are."""

RUNS_PROMPTS = {
    "TITLE": "runs two prompts on an input, and a language model says which output is better.",
    "ARMS": "prompts.yaml",
    "NOTE": """

Write inputs into inputs.txt, one a line. A prompt has {input} where the input goes, or the input follows it. Each
prompt runs once on each input: OUTPUTS keeps the outputs, as a file that `duelbench live` can compare, too.""",
    "IMPORTS_OF_RUNS": "import random\n",
    "ANSWER": "compare_outputs(question)",
}
"""The parts that differ for a judge that runs both prompts first."""

FAMILY = "{family: arithmetic, n_arms: 5}"


def write_algorithm(id: str, compiled: bool = False, force: bool = False) -> Path:
    """Write a first plug-in into the working folder; the file is named after the id, with ``_`` for ``-``.

    Raises
    ------
    InputError
        If the name is not allowed, or the file exists and ``force`` is False.
    """
    path = Path(f"{_checked(id).replace('-', '_')}.py")
    if id in registry.ids():
        raise InputError(f"'{id}': there is an algorithm with this id already; choose another name")
    if _is_library(path.stem):
        raise InputError(f"'{id}': {path} would hide the module {path.stem}; choose another name")
    values = {
        "ID": id,
        "TITLE": id.replace("-", " ").capitalize(),
        "FILE": str(path),
        "CONSTANT": path.stem.upper(),
        "NAMES": "Algorithm, Parameter, kernel" if compiled else "Algorithm, Parameter",
        "KERNEL": "@kernel\n" if compiled else "",
        "COMPILED": str(compiled),
        "PLAIN_COMMENT": "" if compiled else "  # plain Python, in which all of NumPy can be used",
        "ARRAYS": " All arrays are made here: compiled code makes none." if compiled else "",
    }
    return _written(path, _filled("algorithm.py.template", values), force)


def write_spec(name: str, matrix: Path | None = None, force: bool = False) -> Path:
    """Write a first spec into the working folder, for a matrix file or, by default, for a family of matrices.

    Raises
    ------
    InputError
        If the name is not allowed, the matrix cannot be read, or the file exists and ``force`` is False.
    """
    path = Path(f"{_checked(name)}.yaml")
    has_winner, note, place = True, "see `duelbench list families`", FAMILY
    if matrix is not None:
        loaded = PreferenceMatrix.load(matrix)
        winner = condorcet_winner(loaded)
        has_winner = winner is not None
        origin = "comes with duelbench" if shipped.matrix_file(str(matrix)) else "relative to this file"
        winners = f"Condorcet winner {winner}"
        if not has_winner:
            winners = f"no Condorcet winner, Copeland {', '.join(map(str, copeland_winners(loaded)[:5]))}"
        note = f"{origin}; {winners}"
        relative = Path(os.path.relpath(Path(matrix), Path.cwd())).as_posix()
        place = relative if re.fullmatch(r"[A-Za-z0-9_./-]+", relative) else json.dumps(relative)
    values = {
        "NAME": name,
        "MATRIX": place,
        "NOTE": note,
        "REGRET": "[copeland, weak]" if has_winner else "[copeland]",
        "CONDORCET": "" if has_winner else "# ",
    }
    return _written(path, _filled("spec.yaml.template", values), force)


def write_judge(name: str, runs_prompts: bool = False, force: bool = False) -> Path:
    """Write a judge for `duelbench live --exec` into the working folder; it compares texts, or runs prompts first.

    Raises
    ------
    InputError
        If the name is not allowed, or the file exists and ``force`` is False.
    """
    path = Path(f"{_checked(name).replace('-', '_')}.py")
    if _is_library(path.stem):
        raise InputError(f"'{name}': {path} would hide the module {path.stem}; choose another name")
    values = dict(COMPARES, FILE=str(path))
    if runs_prompts:
        constants = f'INPUTS = "inputs.txt"\nOUTPUTS = "{path.stem}_outputs.jsonl"\n'
        values |= {**RUNS_PROMPTS, "CONSTANTS_OF_RUNS": constants, "RUNS": _filled("judge_runs.py.template", {})}
    return _written(path, _filled("judge.py.template", values), force)


def _filled(template: str, values: dict[str, str]) -> str:
    return Template(Path(__file__).with_name(template).read_text(encoding="utf-8")).substitute(values)


def _checked(name: str) -> str:
    """Return the name if an algorithm and a file can have it; refuse others."""
    try:
        if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
            return folder_name(name, f"'{name}'")
    except ValueError as error:
        raise InputError(str(error)) from None
    suggestion = re.sub(r"[^a-z0-9]+", "-", slug(Path(name).stem, "")).strip("-0123456789")
    hint = f" (did you mean '{suggestion}'?)" if suggestion else ""
    raise InputError(f"'{name}': use small letters, digits and single hyphens; the first is a letter{hint}")


def _is_library(module: str) -> bool:
    """Return whether a file of this name would hide a library."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    origin = getattr(spec, "origin", None)
    return module in sys.stdlib_module_names or (origin is not None and third_party.is_library(origin))


def _written(path: Path, text: str, force: bool) -> Path:
    if path.is_dir():
        raise InputError(f"{path} is a folder; choose another name")
    if path.exists() and not force:
        raise InputError(f"{path} already exists; choose another name, or overwrite it with --force")
    write_asked(path, text.encode(), f"{path}:")
    return path
