"""YAML that specs may use: anchors, merge keys, and keys for what they share."""

import pytest

from duelbench.errors import InputError
from duelbench.experiments.spec.load import load

TEXT = """
x-common: &common {runs: 7, seed: 3}
x-figure: &figure
  x_scale: linear
<<: [*common, {seed: 9, horizon: 1e3}]
name: s
matrix: cyclic
figure: {<<: *figure, title: t}
algorithms: [random]
"""


def write(tmp_path, text):
    path = tmp_path / "s.yaml"
    path.write_text(text)
    return path


def test_merged_keys_count_after_those_of_the_mapping_and_of_earlier_ones(tmp_path):
    spec = load(write(tmp_path, TEXT))
    assert (spec.runs, spec.seed, spec.horizon) == (7, 3, 1000)
    explicit = load(write(tmp_path, TEXT.replace("name: s", "name: s\nruns: 5")))
    assert explicit.runs == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("runs: 7", "runs: x"), r"s\.yaml:2:26 runs: "),
        (TEXT.replace("x-common: &common", "y-common: &common"), r"s\.yaml:2:1 unknown key .y-common"),
        (TEXT.replace("x-figure: &figure", "x-figure: &figure {a: 1, a: 2}\nx-more:"), "the key 'a' appears twice"),
        ("x-a: &a {<<: *a}\nmatrix: cyclic\n", "undefined alias|more than|nested"),
        ("x-a: &a [1, 2]\n<<: *a\nmatrix: cyclic\n", "'<<' adds the keys of another mapping"),
    ],
)
def test_mistakes_in_them_have_their_place(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        load(write(tmp_path, text))


def test_what_aliases_repeat_counts_against_the_limits(tmp_path):
    lines = ["x-0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"x-{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 6)]
    with pytest.raises(InputError, match="aliases make this more than"):
        load(write(tmp_path, "\n".join([*lines, "matrix: cyclic", "horizon: 10", "algorithms: [random]"])))


def test_keys_that_are_merged_again_and_again_count_against_the_limits(tmp_path):
    lines = ["x-0: &a0 {runs: 3}"]
    lines += [f"x-{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * 10)}]}}" for k in range(1, 7)]
    with pytest.raises(InputError, match="aliases make this more than"):
        load(write(tmp_path, "\n".join([*lines, "matrix: cyclic", "horizon: 10", "algorithms: [random]"])))
