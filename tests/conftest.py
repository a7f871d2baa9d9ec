"""Fixtures of several rooms."""

import sys

import pytest

from duelbench.algorithms import registry
from duelbench.simulation import trial
from duelbench.spec import fitting


@pytest.fixture
def load(monkeypatch):
    """``load(path)`` loads a plug-in as a new process would, which knows nothing of earlier ones."""

    def load_as_new(name: object) -> list[str]:
        for module in [name for name in sys.modules if name.startswith("duelbench_plug_in_")]:
            del sys.modules[module]
        for known in (registry.named_plug_ins, registry._named, registry._home, registry._codes):
            known.clear()
        fitting._answers.clear()
        return registry.load_plug_in(str(name))

    for module, name in (
        (registry, "named_plug_ins"),
        (registry, "_named"),
        (registry, "_home"),
        (registry, "_codes"),
        (fitting, "_answers"),
        (trial, "_verdicts"),
    ):
        monkeypatch.setattr(module, name, {})
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield load_as_new
    for module in [name for name in sys.modules if name.startswith("duelbench_plug_in_")]:
        del sys.modules[module]
