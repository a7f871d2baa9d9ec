"""Whatever a file holds, `load` returns a spec or raises `InputError`, and does neither slowly."""

import cProfile

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from duelbench.errors import InputError
from duelbench.spec.experiment_spec import ExperimentSpec
from duelbench.spec.load import load
from tests.spec.conftest import completed
from tests.spec.test_canonical import SPECS

FRAGMENTS = ["*b", "&b ", "<<: ", "!!python/name:os.system ", "\t", "---\n", "? ", "{", "}", "[", "]", ": ", "- ", "'"]
FRAGMENTS += ['"', "\\U0011ffff", "no", "010", "1e999999999", "-", "\ufeff", "\r", "\x00", "\x85", "#", "|\n", "%", "~"]
FRAGMENTS += ["../", "/dev/zero", "9" * 5000, "horizon", "\ud800"]


def outcome(path, content: bytes) -> ExperimentSpec | None:
    """What `load` returns, or None where it refuses with a message; any other exception is a failure."""
    path.write_bytes(content)
    try:
        return load(path)
    except InputError as error:
        assert error.exit_code == 2
        str(error).encode("utf-8")
        assert "Traceback" not in str(error)
        return None


@settings(
    derandomize=True, max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_mutated_specs_are_loaded_or_refused(folder, data):
    text = completed(data.draw(st.sampled_from(SPECS)))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 8)))
        text = text[:start] + data.draw(st.sampled_from(FRAGMENTS)) + text[end:]
    outcome(folder / "spec.yaml", text.encode("utf-8", "surrogatepass"))


# Long lists of mistakes and of what is right, a long word, many levels, many scales: as long as the limits allow.
HEAVY = {
    "unknown algorithms": "algorithms: [" + "rucbx, " * 1000 + "]",
    "the same algorithm": "algorithms: [" + "rucb, " * 1000 + "]",
    "missing matrices": "problems: [" + ", ".join(f"m{k}.csv" for k in range(1000)) + "]",
    "unknown families": "problems: [" + "{family: lineal}, " * 1000 + "]",
    "long lists": "matrix: {family: cyclic-blocks, sizes: [" + "4095, " * 4096 + "]}",
    "a long number": "horizon: " + "9" * 1_000_000,
    "nested lists": "[" * 1_000_000,
    "the same mistakes at every scale": completed(
        f"algorithms: [{', '.join(f'rucb{k}x' for k in range(900))}]\nscales:\n"
        + "".join(f"  s{k}: {{runs: 2}}\n" for k in range(20))
    ),
}
MOST_CALLS = 10**7
"""Python and C functions that may be called to read a file: a few for each character of the longest one."""


@pytest.mark.thorough
@pytest.mark.parametrize("kind", HEAVY)
def test_no_file_is_much_work(folder, kind):
    path = folder / "spec.yaml"
    outcome(path, completed("algorithms: [rucbx]").encode())  # imports are no work of the file's
    profile = cProfile.Profile()
    assert profile.runcall(outcome, path, HEAVY[kind].encode()) is None
    assert sum(entry.callcount for entry in profile.getstats()) < MOST_CALLS
