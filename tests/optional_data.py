"""Data that is not part of the project: where it is looked for, and how a test does without."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("DUELBENCH_DATA") or ROOT.parent / "shared")


def optional(*parts: str) -> Path:
    """The path of a file or folder of the optional data; the test that asks is skipped where it is not there."""
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {Path(*parts)} in the folder that DUELBENCH_DATA names (default ../shared)")
    return path
