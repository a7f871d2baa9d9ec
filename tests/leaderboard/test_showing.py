"""``duelbench leaderboard show``: the ranks of a summary, in 80 columns."""

import copy
import json
import math
import random
import shlex
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from duelbench import shipped
from duelbench.cli.app import app
from duelbench.cli.leaderboard.tables import as_text, horizon_of
from duelbench.errors import InputError
from duelbench.leaderboard.showing import rows, tables_of
from duelbench.leaderboard.summary import Summary
from duelbench.leaderboard.tables import check_tables, tables
from tests.leaderboard.made_up_summary import made_up_summary

runner = CliRunner()


@pytest.fixture(scope="module")
def board():
    summary = Summary.from_content(made_up_summary())
    return replace(summary, tables=tables(summary))


@pytest.fixture
def file(board, tmp_path):
    path = tmp_path / "leaderboard.json"
    path.write_bytes(board.encode())
    return path


def show(file, *arguments):
    result = runner.invoke(app, ["leaderboard", "show", "--summary", str(file), *map(str, arguments)])
    if result.exception:
        raise result.exception
    return result.stdout


def _width(text):
    """Of all but the command at the end, whose path may be of any length."""
    return max(len(line) for line in text.splitlines() if not line.startswith("next: "))


def test_a_row_is_what_the_cells_of_the_algorithm_say_together(board):
    (table,) = tables_of(board, ["condorcet"], 10**6, "weak")
    first, *_, last = rows(board, table)
    for row in (first, last):
        cells = [one for one in board.cells if (one.algorithm, one.horizon) == (row.algorithm, 10**6)]
        cells = [one for one in cells if one.problem in table.problems]
        best = [one for one in board.cells if (one.algorithm, one.horizon) == (first.algorithm, 10**6)]
        best = [one for one in best if one.problem in table.problems]
        assert len(cells) == 2
        product = math.prod(
            one.regret["weak"][0] / other.regret["weak"][0] for one, other in zip(cells, best, strict=True)
        )
        assert row.times == pytest.approx(product**0.5, rel=1e-4)
        assert row.right == pytest.approx((cells[0].right + cells[1].right) / 2)
        assert row.locked_in == pytest.approx((cells[0].locked_in + cells[1].locked_in) / 2)
        tail = math.prod(one.regret["weak"][4] / one.regret["weak"][0] for one in cells)
        assert row.tail == pytest.approx(tail**0.5)
    assert first.times == 1


def test_a_share_that_a_matrix_lacks_is_none(board):
    (table,) = tables_of(board, ["condorcet"], 10**6, "weak")
    lacking = replace(board, cells=[replace(one, locked_in=None) for one in board.cells])
    assert {row.locked_in for row in rows(lacking, table)} == {None}


def test_all_settings_are_shown_by_their_first_ranks_and_one_in_full(file):
    text = show(file)
    assert text.count("RUCB") == 2  # it is left out where there is no Condorcet winner
    assert "A total order: Copeland regret after 1e6 rounds, 3 matrices of 5 to 64 arms" in text
    assert _width(text) <= 80
    assert (
        len([line for line in show(file, "--setting", "order").splitlines() if line.endswith(tuple("0123456789"))]) >= 7
    )


def test_below_a_table_it_is_said_what_of_it_is_not_advised(board, tmp_path):
    (table,) = tables_of(board, ["order"], 10**6, "copeland")
    path = tmp_path / "leaderboard.json"
    for place, is_shown_of_three in ((0, True), (-1, False)):
        at = table.algorithms[place]
        one = replace(board.algorithms[at], id="merge-dts", label="MergeDTS")
        there = replace(board, algorithms=[*board.algorithms[:at], one, *board.algorithms[at + 1 :]])
        path.write_bytes(there.encode())
        lines = show(path, "--setting", "order").splitlines()
        assert any(line.startswith("MergeDTS is not advised: with the alpha") for line in lines)
        assert max(map(len, lines)) <= 80
        assert ("is not advised" in as_text(there, table, 3)) == is_shown_of_three
    assert "is not advised" not in as_text(board, table)


def test_a_size_has_a_table_of_its_own(board, file):
    assert "2 matrices of 5 to 8 arms" in show(file, "--setting", "order", "--size", "small")
    (content,) = json.loads(show(file, "--setting", "order", "--size", "large", "--json"))["tables"]
    assert content["matrices"] == ["linear-64"]
    (table,) = tables_of(board, ["order"], 10**6, "copeland", "large")
    assert [row["label"] for row in content["rows"]] == [row.label for row in rows(board, table)]
    assert content["floor"] == table.floor


def test_a_table_that_there_is_not_is_refused_with_those_that_there_are(file):
    with pytest.raises(
        InputError, match=r"after 2000 rounds with copeland regret; of that regret it has 1e4 \(both sizes\)"
    ):
        show(file, "--horizon", "2e3")
    with pytest.raises(
        InputError,
        match="of copeland after 1e6 rounds with weak regret; of that regret it has none; it has copeland, borda",
    ):
        show(file, "--setting", "copeland", "--regret", "weak")


def test_without_a_horizon_it_is_the_longest_up_to_a_million_rounds(board, file):
    assert "after 1e6 rounds" in show(file)
    short = [one for one in board.tables if one.horizon == 10**4]
    only = replace(
        board, horizons=[10**4], tables=short, cells=[one for one in board.cells if one.horizon == 10**4], left_out=[]
    )
    assert horizon_of(only, None) == 10**4
    assert horizon_of(replace(board, horizons=[10**8]), None) == 10**8


def test_what_to_type_next_shows_the_same_leaderboard(file):
    options = ["--horizon", "1e4", "--size", "large", "--regret", "borda"]
    *_, last = show(file, *options).splitlines()
    following = shlex.split(last.removeprefix("next: duelbench leaderboard show"))
    said = show(following[following.index("--summary") + 1], *following[:-2])
    assert following[-2:] == ["--summary", str(file)]
    assert "order: Borda regret after 1e4 rounds" in said
    assert "64 arms" in said


def test_a_long_label_is_cut_and_control_characters_are_none(board, tmp_path):
    first = replace(board.algorithms[0], label="very long words " * 10)
    path = tmp_path / "leaderboard.json"
    path.write_bytes(replace(board, algorithms=[first, *board.algorithms[1:]]).encode())
    assert _width(show(path)) <= 80


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{}", "no leaderboard of format 1"),
        (b'{"format": 2}', "no leaderboard of format 1"),
        (b"\xff", "leaderboard.json"),
    ],
)
def test_a_summary_of_another_format_or_a_damaged_one_is_refused(tmp_path, data, said):
    path = tmp_path / "leaderboard.json"
    path.write_bytes(data)
    with pytest.raises(InputError, match=said):
        show(path)


def _of(change, path):
    content = json.loads(path.read_bytes())
    change(content)
    path.write_text(json.dumps(content))


def _set(where, value):
    def change(content):
        *way, last = where
        for key in way:
            content = content[key]
        content[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set(("tables", 0, "algorithms", 1), 99), r"tables\[0\].algorithms\[1\]: 99 is no place in algorithms, .* 8"),
        (_set(("tables", 2, "problems", 0), -1), r"tables\[2\].problems\[0\]: -1 is no place in problems"),
        (_set(("tables", 0, "setting"), "else"), r"tables\[0\].setting: 'else' is none of order, condorcet, copeland"),
        (lambda one: one["tables"][0]["low"].pop(), r"tables\[0\].low: it has not one number for each"),
        (_set(("cells", 3, "algorithm"), "0"), r"cells\[3\].algorithm: it is no whole number"),
        (_set(("cells", 3, "horizon"), 5), r"cells\[3\].horizon: 5 is none of 10000, 1000000, 100000000"),
        (_set(("cells", 3, "right"), 1.5), r"cells\[3\].right: 1.5 is more than it can be"),
        (_set(("cells", 3, "regret", "weak", 0), "NaN"), r"cells\[3\].regret.weak\[0\]: it is no number"),
        (_set(("cells", 3, "regret", "weak", 0), math.nan), r"cells\[3\].regret.weak\[0\]: it is no number"),
        (_set(("cells", 3, "regret", "weak", 0), -2), r"cells\[3\].regret.weak\[0\]: -2 is less than it can be"),
        (_set(("cells", 3, "regret", "weak"), [1]), r"cells\[3\].regret.weak: it is no list of 6 numbers"),
        (_set(("across", "order/all/10000/weak"), []), r"across\[order/all/10000/weak\]: it is no list"),
        (_set(("correlations", "0/10000/weak"), "AA=="), "do not go together: these are no correlations of 8"),
        (_set(("cells", 3, "regret", "copeland", 0), 1), "its tables are not those of its cells; .* again"),
        (_set(("tables", 0, "low", 0), 2), "its tables are not those of its cells"),
        (lambda one: one["tables"].pop(), "its tables are not those of its cells"),
        (_set(("cells",), 3), "it lacks something, or has something else"),
        (_set(("across",), 3), "across: it is no mapping"),
        (_set(("tables", 0, "floor"), 10**400), r"tables\[0\].floor: it is no number"),
        (_set(("cells", 3, "runs"), 10**400), r"cells\[3\].runs: it is no whole number"),
        (_set(("cells", 3, "right"), -(10**400)), r"cells\[3\].right: it is no number"),
        (lambda one: one.pop("tables"), "its tables are not those of its cells"),
        (_set(("level",), 2), "level: 2 is more than it can be"),
        (_set(("settings", 0), {}), r"settings\[0\]: it has no id"),
        (_set(("settings", 0, "title"), 5), r"settings\[0\].title: it is no text"),
        (_set(("algorithms", 1, "label"), 5), r"algorithms\[1\].label: it is no text"),
        (_set(("problems", 0, "n_arms"), "16"), r"problems\[0\].n_arms: it is no whole number"),
        (_set(("problems", 0, "n_arms"), 0), r"problems\[0\].n_arms: 0 is less than it can be"),
        (_set(("cells", 3, "regret", "weak"), 7), r"cells\[3\].regret.weak: it is no list"),
        (_set(("cells", 3, "runs"), True), r"cells\[3\].runs: it is no whole number"),
        (_set(("tables", 0, "score"), {}), r"tables\[0\].score: it is no list"),
    ],
)
def test_an_edited_summary_is_refused_with_the_place(file, change, said):
    _of(change, file)
    with pytest.raises(InputError, match=rf"leaderboard.json: .*{said}"):
        show(file)


def _places(content, way=()):
    """The way to everything in some JSON."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield (*way, key)
        yield from _places(value, (*way, key))


@pytest.mark.slow
def test_whatever_is_edited_is_refused_in_one_sentence_or_shown(file):
    content = json.loads(file.read_bytes())
    rng = random.Random(0)
    by_kind = {}
    for way in _places(content):
        by_kind.setdefault(tuple("#" if isinstance(key, int) else key for key in way), []).append(way)
    assert len(by_kind) > 50
    n_refused = 0
    for ways in by_kind.values():
        for value in (None, "x", -1, 1.5, True, [], {}, [[]]):
            changed = copy.deepcopy(content)
            _set(rng.choice(ways), value)(changed)
            file.write_text(json.dumps(changed))
            try:
                show(file)
            except InputError:
                n_refused += 1
    assert n_refused > 5 * len(by_kind)


def test_tables_that_another_processor_made_may_have_other_last_digits(board):
    check_tables(board)
    moved = [replace(one, score=[1.000001 * score for score in one.score]) for one in board.tables]
    check_tables(replace(board, tables=moved))


def test_a_duelbench_without_a_leaderboard_asks_for_one(monkeypatch, tmp_path):
    monkeypatch.setattr(shipped, "LEADERBOARD", tmp_path / "leaderboard.json")
    result = runner.invoke(app, ["leaderboard", "show"])
    assert "--summary" in str(result.exception)
