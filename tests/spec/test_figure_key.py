"""The ``figure`` of a spec: checked, kept in the manifest, and of no influence on what is run."""

import json

import pytest
import yaml

from duelbench.errors import InputError
from duelbench.figures.options import options_of
from duelbench.results.cells import cells
from duelbench.spec.figure_key import BANDS as OFFERED
from duelbench.spec.figure_key import KINDS
from duelbench.spec.load import load
from duelbench.spec.schema import schema
from duelbench.statistics.curves import BANDS
from tests.spec.draft7 import is_valid

TOP = "matrix: cycle.csv\nhorizon: 1e3\nruns: 2\nalgorithms: [rucb, d-ts]\n"
SWEEP = "sweep: {over: feedback_delay, values: [1, 10]}\n"


@pytest.fixture
def loaded(folder):
    def read(text):
        (folder / "spec.yaml").write_text(text)
        return load(folder / "spec.yaml")

    return read


GOOD = [
    "figure: {kind: regret, x: [100, 1e4], y: [0, 2.5], y_scale: linear, band: iqr, columns: 2, pool: yes}",
    "figure: {y: [0.1, 1e6], y_scale: log, x_scale: linear}",
    "figure: {kind: bars, statistic: mean, normalise_to: D-TS}",
    "figure: {kind: self-duels, run: 1}",
    "figure: {kind: survival, x: [10, 1e5], y: [1e-4, 1], columns: 2}",
    "figure: {kind: quantiles, x: [10, 1e3], y: [0, 500], y_scale: linear, columns: 1}",
    "figure: {kind: distribution, form: box, x: [1, 1e4], columns: 1}",
    "figure: {kind: distribution, x_scale: linear, x: [0, 100]}",
    "figure: {kind: accuracy, x: [10, 1e3], y: [0.5, 1], columns: 2}",
    "figure: {kind: relative, reference: D-TS, y_scale: log}",
    "bounds: [ecw]\nfigure: {kind: relative, bound: ecw, y: [0, 4]}",
    "figure: {kind: duels, columns: 2}",
    "figure: {kind: aggregate, reference: RUCB}",
    f"{SWEEP}figure: {{x_scale: log, band: none}}",
    f"{SWEEP}figure: {{kind: regret}}",
]


@pytest.mark.parametrize("text", GOOD)
def test_a_figure_survives_the_round_trip_and_the_schema_accepts_it(loaded, text):
    spec = loaded(f"{TOP}{text}\n")
    canonical = json.loads(json.dumps(spec.canonical()))
    assert loaded(json.dumps(canonical)) == spec
    assert is_valid(canonical, schema())
    assert options_of(canonical).kind in KINDS


def test_a_figure_changes_no_run(loaded):
    plain, drawn = loaded(TOP), loaded(f"{TOP}figure: {{kind: bars}}\n")
    assert [cell.identity for cell in cells(plain)] == [cell.identity for cell in cells(drawn)]


def test_the_bands_offered_are_the_bands_there_are():
    assert list(OFFERED) == list(BANDS)


MISTAKES = [
    ("figure: bars", "5:9 figure: must be keys, as in '{kind: regret, y: [0, 500]}', not text"),
    ("figure: {kind: bar}", "5:16 figure.kind: 'bar' is not a kind of figure (did you mean 'bars'?)"),
    ("figure: {kind: sweep}", "5:16 figure.kind: needs the key 'sweep' in the spec"),
    ("figure: {knd: bars}", "5:10 figure.knd: unknown key 'knd' (did you mean 'kind'?)"),
    ("figure: {run: 1}", "5:10 figure.run: is no option of the kind 'regret', only of self-duels"),
    ("figure: {kind: bars, pool: yes}", "5:22 figure.pool: is no option of the kind 'bars', only of regret"),
    ("figure: {y: 5}", "5:13 figure.y: must be the two ends of the axis, as in '[0, 500]'"),
    ("figure: {y: [5, 1]}", "5:13 figure.y: must increase, but 1 stands after 5"),
    ("figure: {x: [0, 100]}", "5:13 figure.x: must begin above 0 on a logarithmic axis, not at 0"),
    ("figure: {y: [0, 9], y_scale: log}", "5:13 figure.y: must begin above 0 on a logarithmic axis, not at 0"),
    ("figure: {band: ci90}", "5:16 figure.band: 'ci90' is not a band"),
    ("figure: {columns: 7}", "5:19 figure.columns: must be at most 6, got '7'"),
    ("figure: {kind: bars, normalise_to: RUBC}", "5:36 figure.normalise_to: 'RUBC' is no label of an algorithm (did"),
    ("figure: {kind: survival, y: [0, 1]}", "5:29 figure.y: must begin above 0 on a logarithmic axis, not at 0"),
    ("figure: {kind: quantiles, y: [0, 9]}", "5:30 figure.y: must begin above 0 on a logarithmic axis, not at 0"),
    ("figure: {kind: survival, band: sem}", "5:26 figure.band: is no option of the kind 'survival', only of regret, "),
    ("figure: {kind: relative, reference: RUBC}", "5:37 figure.reference: 'RUBC' is no label of an algorithm (did"),
    ("figure: {kind: relative, bound: ecw}", "5:33 figure.bound: needs 'bounds: [ecw]' in the spec"),
    (
        "figure: {kind: relative, bound: ecw, reference: RUCB}",
        "5:26 figure.bound: cannot stand beside 'reference': regret is divided by one of them",
    ),
    ("figure: {kind: distribution, form: violin}", "5:36 figure.form: 'violin' is not a form of distribution"),
    ("figure: {kind: distribution, y: [0, 1]}", "5:30 figure.y: is no option of the kind 'distribution', only of"),
    ("figure: {kind: accuracy, band: sem}", "5:26 figure.band: is no option of the kind 'accuracy', only of regret"),
    ("figure: {kind: aggregate, columns: 2}", "5:27 figure.columns: is no option of the kind 'aggregate', only of"),
    ("figure: {kind: self-duels, run: 2}", "5:33 figure.run: must be below the number of runs, 2, for runs are"),
]


@pytest.mark.parametrize("line, expected", MISTAKES)
def test_a_mistake_has_its_place(loaded, folder, line, expected):
    with pytest.raises(InputError) as caught:
        loaded(f"{TOP}{line}\n")
    message = str(caught.value).replace(f"{folder}/", "").splitlines()
    assert message[0].startswith(f"spec.yaml:{expected}")
    assert len(message) == 2


def test_editors_know_the_options():
    for wrong in ({"kind": "bar"}, {"knd": 1}, {"y": 5}, {"y": [1, 2, 3]}, {"columns": 0}, {"pool": "maybe"}):
        assert not is_valid(yaml.safe_load(TOP) | {"horizon": 10, "figure": wrong}, schema())
