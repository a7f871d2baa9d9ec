"""Claims about what a comparison of the benchmark calls slower or faster, on made-up times."""

import json

import numpy as np
import pytest

from duelbench.bench import comparing
from duelbench.bench.comparing import compare, read, resolution
from duelbench.bench.table import FORMAT, TOOL, machine
from duelbench.errors import InputError


def made_up(rng, seconds, n_turns=3, noise=0.02):
    """A row: in each turn a process is off by ``noise``, its repetitions by half of it, now and then one by more."""
    turns = []
    for _ in range(n_turns):
        process = seconds * np.exp(noise * rng.standard_normal())
        times = process * np.exp(noise / 2 * rng.standard_normal(4) ** 2)
        turns.append((times * np.where(rng.random(4) < 0.05, 1.5, 1.0)).tolist())
    return {"runs": 1, "decisions": 100, "seconds": turns}


def pairs_of(rng, n_rows, factors=None, n_turns=3):
    """Rows whose noise differs as theirs does who share a processor: from 1 to 5 per cent."""
    factors = np.ones(n_rows) if factors is None else factors
    noises = rng.uniform(0.01, 0.05, n_rows)
    return [
        (made_up(rng, 1.0, n_turns, noise), made_up(rng, factor, n_turns, noise))
        for noise, factor in zip(noises, factors, strict=True)
    ]


def verdicts(pairs):
    return [row.verdict for row in compare(pairs)[0]]


@pytest.mark.parametrize("n_turns", [3, 4, 5, 10])
def test_where_nothing_has_changed_fewer_than_one_row_in_a_hundred_is_called_slower_or_faster(n_turns):
    rng = np.random.default_rng(1)
    said = [verdict for _ in range(20) for verdict in verdicts(pairs_of(rng, 300, n_turns=n_turns))]
    assert len(said) == 6000
    assert sum(map(bool, said)) < 60


def test_twice_as_slow_and_twice_as_fast_is_found():
    rng = np.random.default_rng(2)
    factors = np.ones(300)
    factors[10], factors[20] = 2.0, 0.5
    said = verdicts(pairs_of(rng, 300, factors))
    assert (said[10], said[20]) == ("slower", "faster")


def test_a_lone_row_that_is_twice_as_slow_is_found():
    rng = np.random.default_rng(3)
    assert verdicts(pairs_of(rng, 1, [2.0])) == ["slower"]


def test_all_rows_may_be_slower():
    rng = np.random.default_rng(4)
    assert set(verdicts(pairs_of(rng, 100, np.full(100, 2.0)))) == {"slower"}


def test_turns_that_overlap_say_nothing():
    def row(*seconds):
        return {"runs": 1, "decisions": 1, "seconds": [[one] for one in seconds]}

    quiet = [(row(1.0, 1.0, 1.0), row(1.0, 1.0, 1.0))] * 50
    apart, overlapping = (row(1.0, 1.0, 1.1), row(1.2, 1.3, 1.2)), (row(1.0, 1.0, 1.25), row(1.2, 1.3, 1.2))
    assert verdicts([*quiet, apart, overlapping])[-2:] == ["slower", ""]


def test_of_five_turns_the_quickest_and_the_slowest_do_not_count():
    def row(*seconds):
        return {"runs": 1, "decisions": 1, "seconds": [[one] for one in seconds]}

    old, new = row(1.0, 1.0, 1.0, 1.0, 9.0), row(0.5, 2.0, 2.0, 2.0, 2.0)
    compared, _ = compare([(row(*[1.0] * 5), row(*[1.0] * 5))] * 50 + [(old, new)])
    assert (compared[-1].low, compared[-1].high, compared[-1].verdict) == (2.0, 2.0, "slower")


def test_the_resolution_is_what_turns_of_one_side_differ_by():
    rows = [{"runs": 2, "seconds": [[2.0, 9.0], [2.0], [2.2]]}]
    assert resolution(rows) == pytest.approx(0.1)
    assert resolution([{"runs": 2, "seconds": [[2.0], [2.0], [2.0]]}]) == comparing.LEAST_RESOLUTION


def test_a_machine_that_has_become_slower_is_not_taken_for_the_code():
    rng = np.random.default_rng(5)
    pairs = pairs_of(rng, 100, np.full(100, 1.2))
    assert "slower" in {row.verdict for row in compare(pairs)[0]}
    assert {row.verdict for row in compare(pairs, drift=1.3)[0]} == {""}
    assert {row.verdict for row in compare(pairs, drift=1 / 1.3)[0]} == {""}


def test_sides_that_take_other_decisions_are_told():
    old, new = made_up(np.random.default_rng(6), 1.0), made_up(np.random.default_rng(7), 1.0)
    (row,), _ = compare([(old, {**new, "decisions": 99})])
    assert row.plays_otherwise


def document(**changed):
    row = {"algorithm": "rucb", "parameters": {}, "matrix": "m", "matrix_digest": "d", "horizon": 9}
    row |= {"matrix_path": None, "n_arms": 2, "runs": 1, "seconds": [[1.0]] * 3, "decisions": 4, "seconds_per_run": 1.0}
    whole = {"tool": TOOL, "format": FORMAT, "suite": None, "machine": machine(), "yardstick": 1.0, "rows": [row]}
    return whole | changed


def test_what_was_written_is_read(tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps(document()))
    assert read(path) == document()


BROKEN_ROW = {**document()["rows"][0], "seconds": [[0.0]]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        ("# Measured speed", "is no JSON"),
        ("[]", "was not written by duelbench bench"),
        ('{"tool": "asv"}', "was not written by duelbench bench"),
        (json.dumps(document(format=99)), "has format 99, and this duelbench reads 1"),
        (json.dumps(document(rows=[{}])), "is damaged"),
        (json.dumps(document(rows=[BROKEN_ROW])), "is damaged"),
        (json.dumps(document(rows=7)), "is damaged"),
        (json.dumps(document(machine=None)), "is damaged"),
        (json.dumps(document(yardstick="fast")), "is damaged"),
    ],
)
def test_a_file_that_is_no_earlier_table_is_refused(tmp_path, text, said):
    path = tmp_path / "old.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=said):
        read(path)


def test_a_page_is_no_document(tmp_path):
    path = tmp_path / "old.md"
    path.write_text("# Measured speed")
    with pytest.raises(InputError, match=r"give the \.json"):
        read(path)
