"""Commands run in an empty folder."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    """The working folder, which is new."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
