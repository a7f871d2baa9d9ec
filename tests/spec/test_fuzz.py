"""Whatever a file holds, `load` returns a spec or raises `InputError`, and does neither slowly."""

import cProfile

import hypothesis.strategies as st
import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from duelbench.errors import InputError
from duelbench.spec.experiment_spec import ExperimentSpec
from duelbench.spec.load import load
from tests import selection
from tests.spec.conftest import completed

quick = settings(
    derandomize=True,
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

SEEDS = [
    completed(""),
    completed("name: a\ntitle: b\nruns: 1e2\nseed: 3\nshuffle_arms: no\nregret: [copeland, strong]\nbounds: ecw"),
    completed("problems:\n  a: good.csv\n  b: &b cycle.csv\ncheckpoints: [1, 10]\nfeedback_delay: 2"),
    completed("problems:\n  a: {family: random, seed: 3, n_arms: 6}\n  b: {family: cyclic-blocks, sizes: [1, 3]}"),
    completed("problems: [{source: mslr-informational, arms: [1, 2]}, {family: submatrix, matrix: cycle.csv}]"),
    completed("sweep: {over: feedback_delay, values: [1, 10]}\nfigure: {kind: sweep, y: [0, 5], band: iqr}"),
    completed("matrix: {family: random}\nsweep: {over: n_arms, values: [3, 4], games: 2}\nscales: {a: {runs: 1}}"),
    completed("algorithms:\n  - rucb: {alpha: 0.8, label: x, horizons: [10]}\n  - ccb\n  - random:\n"),
]
FRAGMENTS = [
    "*b",
    "&b ",
    "<<: ",
    "!!python/name:os.system ",
    "\t",
    "---\n",
    "? ",
    "{",
    "}",
    "[",
    "]",
    ": ",
    "- ",
    "'",
]
FRAGMENTS += [
    '"',
    "\\U0011ffff",
    "no",
    "010",
    "1e999999999",
    "-",
    "\ufeff",
    "\r",
    "\x00",
    "\x85",
    "#",
    "|\n",
    "%",
    "~",
]
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


@quick
@given(content=st.binary(max_size=200))
def test_arbitrary_bytes_are_refused(folder, content):
    assert outcome(folder / "spec.yaml", content) is None


@quick
@given(text=st.text(max_size=200))
def test_arbitrary_text_is_refused(folder, text):
    assert outcome(folder / "spec.yaml", text.encode("utf-8", "surrogatepass")) is None


@quick
@given(data=st.data())
def test_mutated_specs_are_loaded_or_refused(folder, data):
    text = data.draw(st.sampled_from(SEEDS))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 8)))
        text = text[:start] + data.draw(st.sampled_from(FRAGMENTS)) + text[end:]
    outcome(folder / "spec.yaml", text.encode("utf-8", "surrogatepass"))


KEYS = [
    "name",
    "title",
    "matrix",
    "problems",
    "horizon",
    "runs",
    "seed",
    "shuffle_arms",
    "feedback_delay",
    "regret",
]
KEYS += [
    "checkpoints",
    "bounds",
    "algorithms",
    "alpha",
    "label",
    "horizons",
    "rucb",
    "family",
    "source",
    "arms",
    "sizes",
    "n_arms",
    "linear",
    "random",
]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.dates(),
    st.text(max_size=8),
    st.sampled_from(KEYS),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS) | LEAVES, inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(quick, max_examples=100)
@given(tree=st.dictionaries(st.sampled_from(KEYS), TREES, max_size=8))
def test_random_trees_are_refused(folder, tree):
    assert (
        outcome(folder / "spec.yaml", yaml.safe_dump(tree, allow_unicode=True).encode("utf-8", "surrogatepass")) is None
    )


# Each is as long as the limits allow.
HEAVY = {
    "unknown keys": "\n".join(f"horizo{k}: 1" for k in range(4_900)),
    "unknown algorithms": "algorithms: [" + "rucbx, " * 1000 + "]",
    "the same algorithm": "algorithms: [" + "rucb, " * 1000 + "]",
    "missing matrices": "problems: [" + ", ".join(f"m{k}.csv" for k in range(1000)) + "]",
    "unknown families": "problems: [" + "{family: lineal}, " * 1000 + "]",
    "the same family": "problems: [" + "{family: flat}, " * 1000 + "]",
    "long lists": "matrix: {family: cyclic-blocks, sizes: [" + "4095, " * 4096 + "]}",
    "unknown regret definitions": "regret: [" + "copel, " * 9_900 + "]",
    "a long number": "horizon: " + "9" * 1_000_000,
    "a small number": "horizon: 0." + "0" * 1_000_000 + "1",
    "a large exponent": "horizon: 1e" + "9" * 1_000_000,
    "empty lines": "\n" * 1_000_000,
    "nested lists": "[" * 1_000_000,
    "the same mistakes at every scale": completed(
        "algorithms: ["
        + ", ".join(f"rucb{k}x" for k in range(900))
        + "]\nscales:\n"
        + "".join(f"  s{k}: {{runs: 2}}\n" for k in range(20))
    ),
}


MOST_CALLS = 10**7
"""Python and C functions that may be called to read a file: a few for each character of the longest one."""


QUICK = (
    "unknown algorithms",
    "the same algorithm",
    "missing matrices",
    "unknown families",
    "long lists",
    "a long number",
    "nested lists",
    "the same mistakes at every scale",
)
"""Long lists of mistakes and of what is right, a long word, many levels, many scales."""


@pytest.mark.parametrize("kind", selection.quick(HEAVY, *QUICK))
def test_no_file_is_much_work(folder, kind):
    path = folder / "spec.yaml"
    outcome(path, completed("algorithms: [rucbx]").encode())  # imports are no work of the file's
    profile = cProfile.Profile()
    assert profile.runcall(outcome, path, HEAVY[kind].encode()) is None
    assert sum(entry.callcount for entry in profile.getstats()) < MOST_CALLS
