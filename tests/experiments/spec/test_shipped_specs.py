"""The specs under ``configs`` load, can be planned, have names of their own and tell editors where the schema is."""

import shutil

import pytest
import yaml

from duelbench.data.datasets import data_folder
from duelbench.experiments.results.cells import cells
from duelbench.experiments.spec.load import load
from tests.experiments.spec.test_schema import as_in_an_editor
from tests.optional_data import FOLDER, ROOT

SHIPPED = sorted((ROOT / "configs").rglob("*.yaml"))
MSLR = FOLDER / "data" / "mslr"


@pytest.mark.parametrize("part", range(4))
def test_shipped_specs_load_and_are_planned_and_the_schema_accepts_them(monkeypatch, tmp_path, accepts, part):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if MSLR.exists():
        shutil.copytree(MSLR, data_folder() / "mslr", ignore=lambda _, names: [n for n in names if n[-4:] != ".npz"])
    for path in SHIPPED[part::4]:
        text = path.read_text(encoding="utf-8")
        assert accepts(as_in_an_editor(text)), path
        named = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
        assert (path.parent / named).resolve() == ROOT / "configs" / "spec.schema.json"
        if "mslr-" not in text or MSLR.exists():
            assert len(cells(load(path))) > 0, path


def test_the_names_of_shipped_specs_are_different():
    names = [yaml.safe_load(path.read_text(encoding="utf-8"))["name"] for path in SHIPPED]
    assert len(set(names)) == len(names) > 10
