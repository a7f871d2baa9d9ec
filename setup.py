"""Puts specs and matrices into what is installed; everything else is said in pyproject.toml.

They are read where they are in a checkout, and in an editable installation of one.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
SHIPPED = ("configs/**/*.yaml", "matrices/**/*.*", "spec.schema.json")


class BuildWithData(build_py):
    """The package, and in its folder ``data`` what `duelbench.shipped` finds by name."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        if self.editable_mode:
            return
        data = Path(self.build_lib, "duelbench", "data")
        shutil.rmtree(data, ignore_errors=True)  # of an earlier build in this folder
        for source in (path for pattern in SHIPPED for path in ROOT.glob(pattern)):
            target = data / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


setup(cmdclass={"build_py": BuildWithData})
