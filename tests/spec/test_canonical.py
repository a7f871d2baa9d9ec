"""The canonical form leaves nothing to defaults and loads as the same spec."""

import json

import hypothesis.strategies as st
import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from duelbench.errors import InputError
from duelbench.spec.experiment_spec import ExperimentSpec
from duelbench.spec.load import load
from tests.spec.conftest import completed


def as_yaml(document: dict) -> str:
    """YAML with the keys in their order, which is the order of problems."""
    return yaml.safe_dump(document, sort_keys=False)


SPECS = [
    "",
    "name: no-shuffle\ntitle: 'yes: \"really\" ☂'\nshuffle_arms: no\nfeedback_delay: 7\nruns: 3",
    f"seed: {2**128 - 1}\nhorizon: 1e15\ncheckpoints: [1, 2, 1e9]",
    "problems: {'no': good.csv, b: ./cycle.csv}\nregret: [copeland, borda]\nbounds: [ecw, copeland]",
    "algorithms:\n  - rucb\n  - rucb: {alpha: 1e10, variant: arxiv}\n  - d-ts: {label: 'off', horizons: 10}",
    "algorithms: [random, rucb, ccb, rmed1, d-ts, d-ts-plus]",
    "matrix: {family: linear, n_arms: 1e1}",
    "problems:\n  a: {family: random, winners: unique, seed: 3, n_arms: 6}\n"
    "  b: {family: cyclic-blocks, sizes: [1, 3]}\n  c: good.csv\n"
    "  d: {family: submatrix, matrix: cycle.csv, n_arms: 2}\n  e: {family: utility, link: logit}",
    "algorithms: [rucb, {rucb: {shuffle_arms: no, label: fixed}}]",
    "identify: {target: condorcet, delta: 0.1}\nalgorithms: [savage-condorcet, {rucb: {stop: {rule: e-condorcet}}}]",
    "matrix: {family: linear}\nidentify: {target: top-k, k: 2, by: borda}\nalgorithms:\n"
    "  - random: {stop: {rule: borda, intervals: union}}",
    "identify: {target: borda, epsilon: 0.01}\nalgorithms: [random]\nbudget: [2K, 7]",
    "problems: [{family: linear}, {family: bradley-terry, utilities: [1, 0.5, -1], seed: 2}, good.csv]",
]


def reloaded(spec: ExperimentSpec, dump) -> ExperimentSpec:
    """The spec after a round trip through a file beside its own."""
    path = spec.source.with_name("again.yaml")
    path.write_text(dump(spec.canonical()), encoding="utf-8")
    return load(path)


@pytest.mark.parametrize("text", SPECS)
@pytest.mark.parametrize("dump", [as_yaml, json.dumps])
def test_the_canonical_form_loads_as_an_equal_spec(loaded, text, dump):
    spec = loaded(text)
    again = reloaded(spec, dump)
    assert again == spec
    assert again.canonical() == spec.canonical()
    assert again.checkpoints == spec.checkpoints


def test_the_canonical_form_leaves_nothing_to_defaults(loaded):
    canonical = loaded("").canonical()
    assert set(canonical) == {
        *("name", "title", "matrix", "horizon", "runs", "seed", "shuffle_arms", "feedback_delay"),
        *("regret", "checkpoints", "bounds", "algorithms"),
    }
    assert canonical["algorithms"][0]["rucb"]["alpha"] == 0.51
    assert canonical["algorithms"][0]["rucb"]["horizons"] == [10_000]


def test_order_of_keys_comments_and_spelling_do_not_matter(loaded):
    one = loaded("runs: 1e2\nhorizon: 1e4\nseed: 5 # a comment\nalgorithms: [{rucb: {alpha: 0.510}}]")
    other = loaded("seed: 5\nhorizon: 10_000\nalgorithms:\n- rucb\nruns: 100")
    assert one.canonical() == other.canonical()


@settings(
    derandomize=True,
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    horizon=st.integers(1, 10**15),
    runs=st.integers(1, 10**6),
    seed=st.integers(0, 2**128 - 1),
    alpha=st.floats(0.5, 1e300, exclude_min=True),
    label=st.text(min_size=1, max_size=20),
    data=st.data(),
)
def test_any_spec_survives_the_round_trip(folder, horizon, runs, seed, alpha, label, data):
    rule = data.draw(st.one_of(st.integers(1, 1000), st.lists(st.integers(1, horizon), min_size=1, unique=True)))
    document = {
        "horizon": horizon,
        "runs": runs,
        "seed": seed,
        "checkpoints": sorted(rule) if isinstance(rule, list) else rule,
        "algorithms": [{"rucb": {"alpha": alpha, "label": f"x{label}x"}}],
    }
    path = folder / "spec.yaml"
    path.write_text(completed(as_yaml(document)), encoding="utf-8")
    try:
        spec = load(path)
    except InputError as error:
        # The text may hold what no label can: control characters, line ends.
        assert ".label: " in str(error) or "control character" in str(error)
        return
    assert spec.entries[0].parameters["alpha"] == alpha
    assert (spec.horizon, spec.runs, spec.seed) == (horizon, runs, seed)
    assert reloaded(spec, as_yaml) == spec
