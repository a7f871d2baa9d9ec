"""Small experiments for tests: a spec and its matrix in a folder, and what became of them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

import duelbench as package
from duelbench.experiments.execution.plan import Plan, make_plan
from duelbench.experiments.spec.experiment_spec import ExperimentSpec
from duelbench.experiments.spec.load import load

CYCLIC = "0.5,0.6,0.6,0.6\n0.4,0.5,0.9,0.1\n0.4,0.1,0.5,0.9\n0.4,0.9,0.1,0.5\n"
TWO = "0.5,0.7\n0.3,0.5\n"

BASE: dict[str, Any] = {
    "name": "demo",
    "matrix": "cyclic.csv",
    "horizon": 300,
    "runs": 4,
    "seed": 7,
    "shuffle_arms": False,
    "checkpoints": 5,
    "algorithms": ["rucb", "random"],
}


def write_spec(folder: Path, **changes: Any) -> Path:
    """Write `BASE` with changes (None removes a key) as YAML, and the matrices beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cyclic.csv").write_text(CYCLIC)
    (folder / "two.csv").write_text(TWO)
    content = {name: value for name, value in {**BASE, **changes}.items() if value is not None}
    path = folder / "demo.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


def spec_of(folder: Path, **changes: Any) -> ExperimentSpec:
    """The spec that `write_spec` writes."""
    return load(write_spec(folder, **changes))


def plan_of(folder: Path, **changes: Any) -> Plan:
    """What that spec has to do in ``<folder>/results``."""
    return make_plan(spec_of(folder, **changes), folder / "results" / "demo")


def play(folder: Path, jobs: int = 1, options: dict[str, Any] | None = None, **changes: Any) -> "package.Results":
    """Run that spec to its end, as `duelbench.run` does with these options."""
    return package.run(write_spec(folder, **changes), folder / "results", jobs=jobs, quiet=True, **(options or {}))


def files(folder: Path, *names: str) -> dict[str, bytes]:
    """The runs below ``<folder>/results/demo`` (or some of its folders): path -> content."""
    top = folder / "results" / "demo"
    places = [top / name for name in names] or [top]
    return {str(path.relative_to(top)): path.read_bytes() for place in places for path in place.rglob("*.npz")}


def command(*arguments: object) -> list[str]:
    """The command line of ``duelbench`` in a process of its own."""
    return [sys.executable, "-m", "duelbench", *map(str, arguments)]


def duelbench(*arguments: object, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a process of its own."""
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
