"""What a comparison of the benchmark calls slower or faster, on made-up times; which files it reads."""

import json

import numpy as np
import pytest

from duelbench.bench.comparing import compare, read
from duelbench.bench.table import FORMAT, TOOL, machine
from duelbench.errors import InputError


def pairs_of(rng, factors):
    """Rows of times in three turns; in each a process is off by some per cent, its repetitions by half of it."""

    def row(seconds, noise):
        process = seconds * np.exp(noise * rng.standard_normal((3, 1)))
        return {"runs": 1, "decisions": 100, "seconds": (process * np.exp(noise / 2 * rng.random((3, 4)))).tolist()}

    noises = rng.uniform(0.01, 0.05, len(factors))
    return [(row(1.0, noise), row(factor, noise)) for noise, factor in zip(noises, factors, strict=True)]


def test_fewer_than_one_row_in_a_hundred_is_called_slower_or_faster_where_nothing_has_changed():
    found, _ = compare(pairs_of(np.random.default_rng(1), np.ones(1000)))
    assert sum(bool(row.verdict) for row in found) < 10


def test_what_is_twice_as_slow_or_fast_is_found_unless_the_machine_has_become_so():
    factors = np.ones(300)
    factors[10], factors[20] = 2.0, 0.5
    pairs = pairs_of(np.random.default_rng(2), factors)
    found, _ = compare(pairs)
    assert (found[10].verdict, found[20].verdict) == ("slower", "faster")
    assert compare(pairs, drift=2.5)[0][10].verdict == ""


def test_an_earlier_table_is_read_and_other_files_are_refused(tmp_path):
    row = {"algorithm": "rucb", "parameters": {}, "matrix": "m", "matrix_digest": "d", "horizon": 9}
    row |= {"matrix_path": None, "n_arms": 2, "runs": 1, "seconds": [[1.0]] * 3, "decisions": 4, "seconds_per_run": 1.0}
    whole = {"tool": TOOL, "format": FORMAT, "suite": None, "machine": machine(), "yardstick": 1.0, "rows": [row]}
    path = tmp_path / "old.json"
    path.write_text(json.dumps(whole))
    assert read(path) == whole
    for text in ("# Measured speed", "[]", json.dumps(whole | {"format": 99}), json.dumps(whole | {"rows": [{}]})):
        path.write_text(text)
        with pytest.raises(InputError, match=r"old\.json"):
            read(path)
