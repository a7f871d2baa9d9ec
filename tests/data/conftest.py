"""Files that importers read."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Writes a file and returns its path."""

    def write(text: str | bytes, name: str = "data.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
