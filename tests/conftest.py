"""Which tests run compiled, and fixtures that several packages share.

Numba is switched off unless ``NUMBA_DISABLE_JIT=0`` says otherwise: everything is interpreted, nothing waits for a
compiler, and traces are the same to the last bit. Tests marked ``compiled`` need Numba and run in a second step.
"""

import os
import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background; programs of the tests must hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as by nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # before anything imports Numba; processes that tests start inherit it

import numpy as np
import pytest

from duelbench.bandits import opened_files
from duelbench.bandits.algorithms import registry
from duelbench.experiments.plugins import trial
from duelbench.experiments.spec import fitting

FAMILIES = {id: place.partition(":")[0].rpartition(".")[2] for id, place in registry.BUILT_IN.items()}
"""Id of an algorithm -> the file that it stands in."""


def pytest_collection_modifyitems(items):
    """Skip what needs Numba where it is off; let one process run all compiled tests of an algorithm."""
    if os.environ["NUMBA_DISABLE_JIT"] != "0":
        items[:] = [item for item in items if item.get_closest_marker("compiled") is None]
        return
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        family = FAMILIES.get(str(parameters.get("id")), item.path.stem.removeprefix("test_"))
        if family in FAMILIES.values():
            item.add_marker(pytest.mark.xdist_group(family))


@pytest.fixture(autouse=True)
def _floating_point_errors_pass():
    """Compiled code does not warn of a division by zero; interpreted kernels shall not either."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def load(monkeypatch):
    """``load(path)`` loads a plug-in as a new process would, which knows nothing of earlier ones."""

    def load_as_new(name: object) -> list[str]:
        for module in [name for name in sys.modules if name.startswith("duelbench_plug_in_")]:
            del sys.modules[module]
        for known in (registry.named_plug_ins, registry._named, registry._home_modules, registry._digests):
            known.clear()
        fitting._answers.clear()
        opened_files.kept.clear()
        return registry.load_plug_in(str(name))

    for module, name in (
        (registry, "named_plug_ins"),
        (registry, "_named"),
        (registry, "_home_modules"),
        (registry, "_digests"),
        (fitting, "_answers"),
        (trial, "_mistakes"),
        (opened_files, "kept"),
    ):
        monkeypatch.setattr(module, name, {})
    monkeypatch.setattr(trial, "_observed", set())
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield load_as_new
    for module in [name for name in sys.modules if name.startswith("duelbench_plug_in_")]:
        del sys.modules[module]


@pytest.fixture
def untried(monkeypatch):
    """No trials: for algorithms that are ours but for how they start."""
    monkeypatch.setenv(trial.VARIABLE, "1")
