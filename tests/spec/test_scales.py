"""Scales replace keys of a spec, keep their results apart, and are checked with the places of their mistakes."""

import json

import pytest
import yaml

from duelbench.errors import InputError
from duelbench.spec.load import load
from duelbench.spec.schema import schema
from tests.spec.conftest import REST
from tests.spec.draft7 import is_valid


def completed(text: str) -> str:
    """``text`` with the required keys that are not at its top."""
    given = {line.split(":")[0] for line in text.splitlines()}
    return "\n".join([text, *(line for key, line in REST.items() if key not in given), ""])


QUICK = completed("name: big\ntitle: A title\nruns: 100\nscales:\n  quick: {runs: 2, horizon: 1e3}\n  tiny: {runs: 1}")


def written(folder, text):
    path = folder / "spec.yaml"
    path.write_text(text)
    return path


def test_a_scale_replaces_its_keys_and_no_others(folder):
    path = written(folder, QUICK)
    paper, quick, tiny = load(path), load(path, "quick"), load(path, "tiny")
    assert [(spec.runs, spec.horizon) for spec in (paper, quick, tiny)] == [(100, 10**4), (2, 10**3), (1, 10**4)]
    assert paper.problems == quick.problems


def test_results_of_scales_never_mix_and_their_figures_say_so(folder):
    path = written(folder, QUICK)
    assert [(load(path, scale).name, load(path, scale).title) for scale in (None, "quick")] == [
        ("big", "A title"),
        ("big-quick", "A title (quick)"),
    ]


def test_the_canonical_form_of_a_scale_is_a_plain_spec(folder):
    quick = load(written(folder, QUICK), "quick")
    assert "scales" not in quick.canonical()
    assert load(written(folder, json.dumps(quick.canonical()))) == quick


def test_a_scale_without_a_name_of_its_experiment_uses_the_files(folder):
    assert load(written(folder, completed("scales: {quick: {runs: 1}}")), "quick").name == "spec-quick"


def test_problems_replace_a_matrix_and_a_matrix_problems(folder):
    path = written(folder, completed("scales: {one: {matrix: cycle.csv}, two: {problems: [good.csv, cycle.csv]}}"))
    assert [len(load(path, scale).problems) for scale in ("one", "two")] == [1, 2]


def test_the_ends_of_axes_are_those_of_the_full_size(folder):
    figure = "figure: {kind: regret, y: [0, 500], x: [10, 1e4], band: iqr}"
    scales = "scales:\n  quick: {horizon: 1e3}\n  own: {horizon: 1e3, figure: {y: [0, 5]}}"
    path = written(folder, completed(f"{figure}\n{scales}"))
    whole, quick, own = (load(path, scale).canonical()["figure"] for scale in (None, "quick", "own"))
    assert (whole["y"], quick) == ([0, 500], {"kind": "regret", "band": "iqr"})
    assert own == {"y": [0, 5]}
    limits_alone = completed("figure: {y: [0, 500]}\nscales: {quick: {horizon: 1e3}}")
    assert not load(written(folder, limits_alone), "quick").canonical().get("figure")


def test_horizons_beyond_the_scales_end_with_it(folder):
    algorithms = "algorithms: [{savage-copeland: {horizons: [100, 1e3, 1e4]}}]"
    path = written(folder, completed(f"{algorithms}\nscales:\n  short: {{horizon: 500}}\n  shorter: {{horizon: 100}}"))
    assert load(path).entries[0].horizons == (100, 1000, 10_000)
    assert load(path, "short").entries[0].horizons == (100, 500)
    assert load(path, "shorter").entries[0].horizons == (100,)


MISTAKES = [
    ("scales:\n  quick: {runs: 0}", None, ["2:17 at scale 'quick': runs: must be at least 1, got '0'"]),
    ("scales:\n  quick: {runs: 0}", "quick", ["2:17 at scale 'quick': runs: must be at least 1, got '0'"]),
    (
        "feedback_delay: 50\nscales:\n  quick: {horizon: 10}",
        None,
        ["1:17 at scale 'quick': feedback_delay: must be at most the horizon, 10 rounds, got '50'"],
    ),
    ("scales:\n  quick: {rums: 3}", None, ["2:11 scales.quick.rums: unknown key 'rums' (did you mean 'runs'?)"]),
    ("scales:\n  quick: {rums: 3}", "quick", ["2:11 scales.quick.rums: unknown key 'rums' (did you mean 'runs'?)"]),
    ("scales:\n  quick: {name: x}", None, ["2:11 scales.quick.name: the key 'name' is the same at every scale"]),
    ("scales:\n  quick: {scales: x}", None, ["2:11 scales.quick.scales: the key 'scales' is the same at every scale"]),
    ("scales:\n  quick: 3", None, ["2:10 scales.quick: must be keys, as in '{runs: 5}', not text"]),
    ("scales:\n  quick: {}", None, ["2:10 scales.quick: must be keys, as in '{runs: 5}', not empty"]),
    ("scales:\n  a/b: {runs: 3}", None, ["2:3 scales.a/b: names a folder: use letters, digits"]),
    ("scales: [quick]", None, ["1:9 scales: must be names of scales with keys to replace, as in 'quick: {runs: 5}'"]),
    ("scales: {}", None, ["1:9 scales: must be names of scales with keys to replace, as in 'quick: {runs: 5}'"]),
    (f"name: {'n' * 76}\nscales:\n  quick: {{runs: 3}}", None, ["3:3 scales.quick: with the name of the experiment"]),
    ("runs: 0\nscales:\n  quick: {runs: 3}", None, ["1:7 runs: must be at least 1, got '0'"]),
]


@pytest.mark.parametrize("text, scale, expected", MISTAKES)
def test_a_mistake_in_a_scale_has_its_place(folder, text, scale, expected):
    path = written(folder, completed(text))
    with pytest.raises(InputError) as caught:
        load(path, scale)
    lines = str(caught.value).replace(f"{folder}/", "").splitlines()
    assert len(lines) == len(expected) + 1
    for line, beginning in zip(lines, expected, strict=False):
        assert line.startswith(f"spec.yaml:{beginning}")


def test_more_scales_than_anyone_can_need_are_refused(folder):
    many = "\n".join(f"  s{k}: {{runs: 3}}" for k in range(21))
    with pytest.raises(InputError, match="lists 21, but at most 20 are allowed"):
        load(written(folder, completed(f"scales:\n{many}")))


@pytest.mark.parametrize(
    "text, said",
    [
        (QUICK, r"there is no scale 'quik' in it \(did you mean 'quick'\?\) \(there are quick, tiny\)"),
        (completed(""), "there is no scale 'quik' in it: it has no scales"),
        (completed("scales: 3"), "there is no scale 'quik' in it: it has no scales"),
    ],
)
def test_a_scale_that_is_not_there_is_named_with_the_nearest(folder, text, said):
    with pytest.raises(InputError, match=said):
        load(written(folder, text), "quik")


def test_editors_know_the_keys_of_a_scale():
    described = schema()

    def allowed(scales):
        return is_valid(yaml.safe_load(completed("")) | {"horizon": 10, "scales": scales}, described)

    assert allowed({"quick": {"runs": 3, "algorithms": ["rucb"]}})
    for wrong in ({"quick": {"rums": 3}}, {"quick": {"name": "x"}}, {"quick": {"runs": 0}}, {"quick": {}}, {}, "quick"):
        assert not allowed(wrong)
