"""Scales replace keys of a spec and keep their results apart."""

import json

from duelbench.experiments.spec.load import load
from tests.experiments.spec.conftest import completed

QUICK = completed("name: big\ntitle: A title\nruns: 100\nscales:\n  quick: {runs: 2, horizon: 1e3}\n  tiny: {runs: 1}")
QUICK += "horizon: 1e4\n"


def written(folder, text):
    path = folder / "spec.yaml"
    path.write_text(text)
    return path


def test_a_scale_replaces_its_keys_and_no_others_and_names_its_results(folder):
    path = written(folder, QUICK)
    paper, quick, tiny = load(path), load(path, "quick"), load(path, "tiny")
    assert [(spec.runs, spec.horizon) for spec in (paper, quick, tiny)] == [(100, 10**4), (2, 10**3), (1, 10**4)]
    assert paper.problems == quick.problems
    assert [(spec.name, spec.title) for spec in (paper, quick)] == [
        ("big", "A title"),
        ("big-quick", "A title (quick)"),
    ]
    assert "scales" not in quick.canonical()
    assert load(written(folder, json.dumps(quick.canonical()))) == quick
    assert load(written(folder, completed("scales: {quick: {runs: 1}}")), "quick").name == "spec-quick"


def test_problems_matrices_and_worlds_replace_each_other(folder):
    two = "{problems: [good.csv, cycle.csv]}"
    scales = f"scales: {{one: {{matrix: cycle.csv}}, two: {two}, world: {{worlds: {{a: {{segments: [good.csv]}}}}}}}}"
    path = written(folder, f"matrix: good.csv\nhorizon: 100\nalgorithms: [random]\n{scales}\n")
    names = {scale: [problem.name for problem in load(path, scale).problems] for scale in ("one", "two", "world")}
    assert names == {"one": [""], "two": ["good", "cycle"], "world": ["a"]}


def test_the_ends_of_axes_are_those_of_the_full_size(folder):
    figure = "figure: {kind: regret, y: [0, 500], x: [10, 1e4], band: iqr}"
    scales = "scales:\n  quick: {horizon: 1e3}\n  own: {horizon: 1e3, figure: {y: [0, 5]}}"
    path = written(folder, f"matrix: good.csv\nhorizon: 1e4\nalgorithms: [rucb]\n{figure}\n{scales}\n")
    whole, quick, own = (load(path, scale).canonical()["figure"] for scale in (None, "quick", "own"))
    assert (whole["y"], quick) == ([0, 500], {"kind": "regret", "band": "iqr"})
    assert own == {"y": [0, 5]}


def test_horizons_beyond_the_scales_end_with_it(folder):
    algorithms = "algorithms: [{savage-copeland: {horizons: [100, 1e3, 1e4]}}]"
    scales = "scales:\n  short: {horizon: 500}\n  shorter: {horizon: 100}"
    path = written(folder, f"matrix: good.csv\nhorizon: 1e4\n{algorithms}\n{scales}\n")
    horizons = [load(path, scale).entries[0].horizons for scale in (None, "short", "shorter")]
    assert horizons == [(100, 1000, 10_000), (100, 500), (100,)]
