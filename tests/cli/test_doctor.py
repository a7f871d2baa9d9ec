"""``duelbench doctor`` says what belongs in a report of a fault, also where things do not work."""

from importlib import metadata

from duelbench.bandits.kernels import decorators
from duelbench.bandits.simulation import simulate
from duelbench.cli.doctor import described, diagnosis
from duelbench.common import system
from tests.cli.commands import document, done


def test_the_facts_are_those_of_the_machine_and_hold_no_secrets(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("MY_TOKEN", "hidden")
    facts = dict(line.split(maxsplit=1) for line in done("doctor").stdout.splitlines())
    assert facts["numpy"] == metadata.version("numpy") and facts["OMP_NUM_THREADS"] == "3"
    assert {"duelbench", "python", "numba", "scipy", "cores", "memory", "cache", "compiled"} <= facts.keys()
    found = document("doctor")
    assert "hidden" not in str(found) + str(facts)
    assert found["machine"]["cores"] >= 1 and found["versions"]["joblib"] == metadata.version("joblib")


def test_what_does_not_work_is_told_in_one_line(here, monkeypatch):
    def break_off(*_, **__):
        raise RuntimeError("LLVM is\nnot there")

    monkeypatch.setattr(simulate, "simulate", break_off)
    monkeypatch.setattr(decorators, "cache_folder", lambda: here / "versions")
    monkeypatch.setattr(decorators, "user_cache", lambda: "/nowhere/cache")
    monkeypatch.setattr(system, "user_cache", lambda: "/nowhere/cache")
    monkeypatch.setattr("duelbench.cli.doctor.LIBRARIES", ("no-such-library",))
    facts = diagnosis()
    assert facts["compiled"] == "RuntimeError: LLVM is not there"
    assert facts["versions"]["no-such-library"] is None
    (line,) = (line for line in described(facts) if line.startswith("cache "))
    assert "/nowhere/cache cannot be written" in line and str(here) in line
