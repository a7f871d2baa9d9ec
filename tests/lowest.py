"""The lowest versions that pyproject.toml allows, as constraints for pip: ``python tests/lowest.py``."""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(project: Path = PROJECT) -> list[str]:
    """One line ``name==version`` for each dependency that has a lowest version, those of extras and groups included."""
    declared = tomllib.loads(project.read_text(encoding="utf-8"))
    lists = [
        declared["project"]["dependencies"],
        *declared["project"].get("optional-dependencies", {}).values(),
        *declared.get("dependency-groups", {}).values(),
    ]
    found = (re.fullmatch(r"([\w.-]+)(?:\[.*\])?>=([\w.]+)", line) for dependencies in lists for line in dependencies)
    return [f"{match[1]}=={match[2]}" for match in found if match]


if __name__ == "__main__":
    print("\n".join(lowest()))
