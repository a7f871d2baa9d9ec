"""The canonical form leaves nothing to defaults and loads as the same spec."""

import json
from typing import get_args

import pytest
import yaml

from duelbench.bandits.statistics.curves import BANDS
from duelbench.experiments.figures import kinds
from duelbench.experiments.figures.figure import options_of
from duelbench.experiments.figures.options import Band
from duelbench.experiments.results.cells import cells
from duelbench.experiments.spec.experiment_spec import ExperimentSpec
from duelbench.experiments.spec.load import load


def as_yaml(document: dict) -> str:
    """YAML with the keys in their order, which is the order of problems."""
    return yaml.safe_dump(document, sort_keys=False)


TWO = "matrix: cycle.csv\nhorizon: 1e3\nruns: 2\nalgorithms: [rucb, d-ts]\n"
BATCHES = f"{TWO}sweep: {{over: feedback_batch, values: [1, 10]}}\n"
DELAYS = f"{TWO}sweep: {{over: feedback_delay, values: [0, 1, 10]}}\n"
SPECS = [
    "",
    "name: no-shuffle\ntitle: 'yes: \"really\" ☂'\nshuffle_arms: no\nfeedback_batch: 7\nruns: 3",
    f"seed: {2**128 - 1}\nhorizon: 1e15\ncheckpoints: [1, 2, 1e9]",
    "algorithms: [rucb: {alpha: 1e300, label: '☂: \"#'}]",
    "problems: {'no': good.csv, b: ./cycle.csv}\nregret: [copeland, borda]\nbounds: [ecw, copeland]",
    "algorithms:\n  - rucb\n  - rucb: {alpha: 1e10, variant: arxiv}\n  - d-ts: {label: 'off', horizons: 10}",
    "algorithms: [random, rucb, ccb, {rucb: {shuffle_arms: no, label: fixed}}]",
    "problems:\n  a: {family: random, winners: unique, seed: 3, n_arms: 6}\n"
    "  b: {family: cyclic-blocks, sizes: [1, 3]}\n  c: good.csv\n"
    "  d: {family: submatrix, matrix: cycle.csv, n_arms: 2}\n  e: {family: utility, link: logit}",
    "problems: [{family: linear, n_arms: 1e1}, {family: bradley-terry, utilities: [1, 0.5, -1], seed: 2}, good.csv]",
    "problem: {means: [0.9, 0.5 x 2], decision: rigged, m: 1, names: [a, b, c]}\nalgorithms: [savage]",
    "problems: {x: {P: [[0.5, '0.6'], [0.4, 0.5]], names: [a, b]}, y: [[0.5, 0.6], [0.4, 0.5]]}",
    # Identification
    "identify: {target: condorcet, delta: 0.1}\nalgorithms: [savage-condorcet, {rucb: {stop: {rule: e-condorcet}}}]",
    "matrix: {family: linear}\nidentify: {target: top-k, k: 2, by: borda}\n"
    "algorithms: [random: {stop: {rule: borda, intervals: union}}]",
    "identify: {target: borda, epsilon: 0.01}\nalgorithms: [random]\nbudget: [2K, 7]",
    # Worlds
    "world: {segments: [good.csv, good.csv], starts: random, least: 3, timeline: scaled, per_run: true}",
    "world: {segments: [good.csv, {family: linear, n_arms: 2}], starts: [1, 7], timeline: scaled}",
    "world: {drift: {from: good.csv, to: good.csv, steps: 6}, corruption: {budget: 3}}",
    "world: {segments: [good.csv, good.csv], repeat: [30, 20], corruption: {rounds: [5, 60], share: 0.25}}",
    "worlds:\n  a: {segments: {family: changing-winner, count: 3, p_min: 0.7, seed: 4}, starts: random}\n"
    "  b: {segments: {family: geom-btl, count: 2, n_arms: 3}, timeline: scaled, corruption: {rounds: [1, 9]}}",
    "runs: {until: 2%, most: 50}",
    # Sweeps
    TWO + "sweep: {over: rucb.alpha, values: [0.6, 0.7]}",
    "matrix: {family: random, winners: unique, seed: 7}\nsweep: {over: n_arms, values: [3, 5], games: 2}",
    "matrix: {family: cyclic-blocks}\nsweep: {over: sizes, values: [[1, 3], [3, 3]]}",
    # Figures
    TWO + "figure: {kind: regret, x: [100, 1e4], y: [0, 2.5], y_scale: linear, band: iqr, columns: 2, pool: yes}",
    TWO + "figure: {kind: bars, statistic: mean, normalise_to: D-TS}",
    TWO + "figure: {kind: self-duels, run: 1}",
    TWO + "figure: {kind: distribution, form: box, x: [1, 1e4], columns: 1}",
    TWO + "bounds: [ecw]\nfigure: {kind: quantiles, y: [1, 4]}",
    BATCHES + "figure: {x_scale: log, band: none}",
    DELAYS,
    "feedback_delay: 7",
]


def reloaded(spec: ExperimentSpec, dump) -> ExperimentSpec:
    """The spec after a round trip through a file beside its own."""
    path = spec.source.with_name("again.yaml")
    path.write_text(dump(spec.canonical()), encoding="utf-8")
    return load(path)


@pytest.mark.parametrize("text", SPECS)
def test_the_canonical_form_loads_as_an_equal_spec(loaded, text):
    spec = loaded(text)
    for dump in (as_yaml, json.dumps):
        again = reloaded(spec, dump)
        assert again == spec
        assert json.dumps(again.canonical()) == json.dumps(spec.canonical())
        assert again.checkpoints == spec.checkpoints
        assert [cell.identity for cell in cells(again)] == [cell.identity for cell in cells(spec)]
    if "figure" in text:
        assert options_of(spec.canonical()).kind in kinds.names()


def test_the_canonical_form_leaves_nothing_to_defaults(loaded):
    canonical = loaded("").canonical()
    assert set(canonical) == {
        *("name", "title", "matrix", "horizon", "runs", "seed", "shuffle_arms", "feedback_batch"),
        "feedback_delay",
        *("regret", "checkpoints", "bounds", "algorithms"),
    }
    assert canonical["algorithms"][0]["rucb"]["alpha"] == 0.51
    assert canonical["algorithms"][0]["rucb"]["horizons"] == [10_000]


def test_specs_are_equal_when_they_ask_for_the_same(loaded, folder):
    one = loaded("runs: 1e2\nhorizon: 1e4\nseed: 5 # a comment\nalgorithms: [{rucb: {alpha: 0.510}}]")
    other = loaded("seed: 5\nhorizon: 10_000\nalgorithms:\n- rucb\nruns: 100")
    assert one == other and one.canonical() == other.canonical()
    spec = loaded("problems: [good.csv]")
    assert spec == loaded("problems: {good: good.csv}") != loaded("problems: [cycle.csv]")
    (folder / "good.csv").write_text("0.5,0.8\n0.2,0.5\n")
    assert loaded("problems: [good.csv]") != spec
    plain, drawn = loaded(TWO), loaded(f"{TWO}figure: {{kind: bars}}\n")
    assert [cell.identity for cell in cells(plain)] == [cell.identity for cell in cells(drawn)]
    assert set(get_args(Band)) == set(BANDS)
