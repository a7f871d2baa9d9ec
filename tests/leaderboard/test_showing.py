"""``duelbench leaderboard show``: the ranks of a summary, in 80 columns."""

import copy
import json
import math
import random
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.leaderboard.showing import rows, tables_of
from duelbench.leaderboard.summary import Summary
from duelbench.leaderboard.tables import tables
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


def test_all_settings_are_shown_by_their_first_ranks_and_one_in_full(file):
    text = show(file)
    assert text.count("RUCB") == 2  # it is left out where there is no Condorcet winner
    assert "A total order: Copeland regret after 1e6 rounds, 3 matrices of 5 to 64 arms" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("next: ")) <= 80  # but for a path
    assert (
        len([line for line in show(file, "--setting", "order").splitlines() if line.endswith(tuple("0123456789"))]) >= 7
    )


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


EDITS = {
    "tables[0].algorithms[1]": (("tables", 0, "algorithms", 1), 99),
    "tables[0].setting": (("tables", 0, "setting"), "else"),
    "tables[0].low": (("tables", 0, "low"), [1]),
    "tables[0].score": (("tables", 0, "score"), {}),
    "tables[0].floor": (("tables", 0, "floor"), 10**400),
    "its tables are not": (("tables", 0, "low", 0), 2),
    "its tables are": (("tables",), []),
    "tables are not those of its cells": (("cells", 3, "regret", "copeland", 0), 1),
    "cells[3].algorithm": (("cells", 3, "algorithm"), "0"),
    "cells[3].horizon": (("cells", 3, "horizon"), 5),
    "cells[3].right": (("cells", 3, "right"), 1.5),
    "cells[3].regret.weak[0]": (("cells", 3, "regret", "weak", 0), math.nan),
    "cells[3].regret.weak[0]: -2": (("cells", 3, "regret", "weak", 0), -2),
    "cells[3].regret.weak:": (("cells", 3, "regret", "weak"), [1]),
    "cells[3].runs": (("cells", 3, "runs"), True),
    "across[order/all/10000/weak]": (("across", "order/all/10000/weak"), []),
    "correlations": (("correlations", "0/10000/weak"), "AA=="),
    "it lacks something": (("cells",), 3),
    "format 1": (("format",), 2),
    "level": (("level",), 2),
    "settings[0]": (("settings", 0), {}),
    "problems[0].n_arms": (("problems", 0, "n_arms"), "16"),
    "algorithms[1].label": (("algorithms", 1, "label"), 5),
}
"""The place that the message names -> where something else is written, and what."""


@pytest.mark.parametrize("named", EDITS)
def test_an_edited_summary_is_refused_with_the_place(file, named):
    content = json.loads(file.read_bytes())
    _set(*EDITS[named], content)
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match=rf"leaderboard.json.*{re.escape(named)}"):
        show(file)


def _set(where, value, content):
    *way, last = where
    for key in way:
        content = content[key]
    content[last] = value


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
            _set(rng.choice(ways), value, changed)
            file.write_text(json.dumps(changed))
            try:
                show(file)
            except InputError:
                n_refused += 1
    assert n_refused > 5 * len(by_kind)
