"""A folder with matrices to write specs into, and what `load` says about a wrong one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from duelbench.errors import InputError
from duelbench.experiments.spec.experiment_spec import ExperimentSpec
from duelbench.experiments.spec.load import load
from duelbench.experiments.spec.schema import schema

MATRICES = {
    "good.csv": "0.5,0.9\n0.1,0.5\n",
    "cycle.csv": "0.5,0.9,0.1\n0.1,0.5,0.9\n0.9,0.1,0.5\n",
    "no-complement.csv": "0.5,0.9\n0.2,0.5\n",
    "nan.csv": "0.5,nan\n0.1,0.5\n",
    "riged.yaml": "means: [0.5]\ndecision: riged\n",
    "own.py": 'MINE = Algorithm.of_module(__name__, "mine", "Mine")\n',
    "analysis.py": 'COLOURS = {"RUCB": "red"}\n',
}

REST = {"matrix": "matrix: good.csv", "horizon": "horizon: 1e4", "algorithms": "algorithms: [rucb]"}
"""The lines without which a spec is not complete."""


def completed(text: str) -> str:
    """``text`` with the required keys that it does not speak of, on lines of their own after it."""
    rest = [line for key, line in REST.items() if f"{key}:" not in text]
    if any(key in text for key in ("problem:", "problems:", "world:", "worlds:")):
        rest = [line for line in rest if not line.startswith("matrix")]
    if "\nbudget:" in f"\n{text}":
        rest = [line for line in rest if not line.startswith("horizon")]
    return "\n".join([text.rstrip("\n"), *rest, ""])


def without_references(whole: dict[str, Any]) -> dict[str, Any]:
    """The schema with what its references point to in their places."""

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(one) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            _, group, name = part["$ref"].split("/")
            return resolved(whole[group][name])
        return {keyword: resolved(rule) for keyword, rule in part.items() if keyword != "$defs"}

    return resolved(whole)


@pytest.fixture(scope="session")
def accepts() -> Callable[[Any], bool]:
    """Says whether the schema accepts a spec."""
    return Draft7Validator(without_references(schema())).is_valid


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the matrices above."""
    for name, content in MATRICES.items():
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.fixture
def loaded(folder: Path) -> Callable[..., ExperimentSpec]:
    """Completes a text and loads it as ``spec.yaml`` of the folder."""

    def read(text: str) -> ExperimentSpec:
        path = folder / "spec.yaml"
        path.write_text(completed(text), encoding="utf-8")
        return load(path)

    return read


@pytest.fixture
def refusal(folder: Path) -> Callable[..., list[str]]:
    """Loads a wrong spec; returns the lines of the message, with the folder's own path taken out of them."""

    def refuse(content: str | bytes) -> list[str]:
        path = folder / "spec.yaml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        before = {other: other.read_bytes() for other in folder.iterdir()}
        with pytest.raises(InputError) as caught:
            load(path)
        assert caught.value.exit_code == 2
        assert {other: other.read_bytes() for other in folder.iterdir()} == before
        return str(caught.value).replace(f"{folder}/", "").splitlines()

    return refuse
