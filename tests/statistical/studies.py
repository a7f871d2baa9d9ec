"""The studies that pages of docs quote, as modules: scripts of docs/studies that import each other by their names."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "docs" / "studies"


def study(name: str) -> ModuleType:
    """The script of that name."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module(name)
