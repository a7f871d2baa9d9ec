"""``duelbench doctor`` says what belongs in a report of a fault, also where things do not work."""

import json
from importlib import metadata

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.cli.doctor import described, diagnosis
from duelbench.kernels import decorators
from duelbench.simulation import simulate


def test_the_text_has_a_line_for_each_fact(monkeypatch):
    monkeypatch.setenv("DUELBENCH_LOCAL", "a value")
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 0
    facts = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert facts["numpy"] == metadata.version("numpy")
    assert facts["OMP_NUM_THREADS"] == "3" and facts["DUELBENCH_LOCAL"] == "a value"
    assert facts["memory"] == "unknown" or float(facts["memory"].removesuffix(" GiB")) > 0
    assert facts["compiled"].split()[:2] in (["code", "ok"], ["code", "off:"])
    assert {"duelbench", "python", "numba", "scipy", "joblib", "matplotlib", "pandas", "cores", "cache"} <= facts.keys()


def test_json_is_one_document_without_secrets(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "hidden")
    done = CliRunner().invoke(app, ["doctor", "--json"])
    found = json.loads(done.stdout)
    assert "hidden" not in done.stdout
    assert found["machine"]["cores"] >= 1 and found["versions"]["joblib"] == metadata.version("joblib")
    assert found["cache"]["bytes"] >= 0
    assert found["compiled"].startswith(("ok", "off"))


def test_what_does_not_work_is_told_in_one_line(monkeypatch):
    def break_off(*_, **__):
        raise RuntimeError("LLVM is\nnot there")

    monkeypatch.setattr(simulate, "simulate", break_off)
    facts = diagnosis()
    assert facts["compiled"] == "RuntimeError: LLVM is not there"
    assert described(facts)[-1].split(maxsplit=2)[2] == facts["compiled"]


@pytest.mark.parametrize(
    ("wanted", "said"), [("/nowhere/cache", "/nowhere/cache cannot be written; "), (None, "there is no home folder; ")]
)
def test_a_cache_that_cannot_be_written_is_named(monkeypatch, tmp_path, wanted, said):
    monkeypatch.setattr(decorators, "cache_folder", lambda: tmp_path / "versions")
    monkeypatch.setattr(decorators, "user_cache", lambda: wanted)
    (tmp_path / "code.nbc").write_bytes(bytes(2_000_000))
    (line,) = (line for line in described(diagnosis()) if line.startswith("cache "))
    assert line.split(maxsplit=1)[1] == f"{said}{tmp_path}, 2.0 MB, serves until the process ends"


def test_what_is_not_installed_is_said(monkeypatch):
    monkeypatch.setattr("duelbench.cli.doctor.LIBRARIES", ("no-such-library",))
    facts = diagnosis()
    assert facts["versions"]["no-such-library"] is None
    assert any(line.split() == ["no-such-library", "not", "installed"] for line in described(facts))
