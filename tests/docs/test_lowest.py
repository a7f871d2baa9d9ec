"""What `make test-lowest` installs."""

import re
import tomllib

from tests.lowest import PROJECT, lowest


def test_everything_that_users_install_is_tried_at_its_lowest_version():
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    assert {re.sub(r"\[.*\]", "", line).replace(">=", "==") for line in asked} <= set(lowest())


def test_extras_are_left_out_of_a_constraint_and_what_has_no_lowest_version_too(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\ndependencies = ["a-b>=2.0"]\n[project.optional-dependencies]\nx = ["c[d]>=1"]\n'
        '[dependency-groups]\ntest = ["e", "f>=3"]\n'
    )
    assert lowest(path) == ["a-b==2.0", "c==1", "f==3"]
