"""``duelbench leaderboard show``: the ranks of a summary, in 80 columns."""

import json
import math
import re

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.cli.leaderboard import tables
from duelbench.errors import InputError
from duelbench.leaderboard.summary import FILE, read
from duelbench.leaderboard.tables import rows, tables_of

runner = CliRunner()


@pytest.fixture
def file(board, tmp_path):
    path = tmp_path / FILE
    path.write_bytes((board / FILE).read_bytes())
    return path


def show(file, *arguments):
    result = runner.invoke(app, ["leaderboard", "show", "--summary", str(file), *map(str, arguments)])
    if result.exception:
        raise result.exception
    return result.stdout


def test_a_row_is_what_the_cells_of_the_algorithm_say_together(board):
    summary = read(board / FILE)
    (table,) = tables_of(summary, ["order"], 200, "weak")
    first, *_, last = rows(summary, table)

    def cells_of(row):
        there = [one for one in summary.cells if (one.algorithm, one.horizon) == (row.algorithm, 200)]
        return [one for one in there if one.problem in table.problems]

    one, other = cells_of(last)
    best = cells_of(first)
    times = [
        cell.regret["weak"].mean / least.regret["weak"].mean for cell, least in zip((one, other), best, strict=True)
    ]
    assert first.times == 1 and last.times == pytest.approx(math.prod(times) ** 0.5, rel=1e-4)
    assert last.right == pytest.approx((one.right + other.right) / 2)
    assert last.locked_in == pytest.approx((one.locked_in + other.locked_in) / 2)
    tails = [cell.regret["weak"].q95 / cell.regret["weak"].mean for cell in (one, other)]
    assert last.tail == pytest.approx(math.prod(tails) ** 0.5)


def test_a_size_has_a_table_of_its_own_and_one_that_there_is_not_is_refused_with_those_that_there_are(board, file):
    (content,) = json.loads(show(file, "--setting", "order", "--size", "small", "--json"))["tables"]
    (table,) = tables_of(read(file), ["order"], 200, "copeland", "small")
    assert content["matrices"] == ["linear", "near"] and content["floor"] == table.floor
    assert [row["label"] for row in content["rows"]] == [row.label for row in rows(read(file), table)]
    assert "2 matrices of 3 to 4 arms" in show(file, "--setting", "order", "--size", "small")
    with pytest.raises(InputError, match=r"after 2000 rounds with copeland regret.* it has tables after 50, 200"):
        show(file, "--horizon", "2e3")
    with pytest.raises(InputError, match=r"after 200 rounds with weak regret.* with copeland regret$"):
        show(file, "--setting", "copeland", "--regret", "weak")


def test_a_first_place_with_a_heavy_tail_has_a_warning(file, monkeypatch):
    assert "heavy tail" not in show(file, "--setting", "order")
    for least in ("HEAVY_TAIL", "OFTEN"):
        monkeypatch.setattr(tables, least, 0)
    (table,) = tables_of(read(file), ["order"], 200, "copeland")
    first = [row.label for row in rows(read(file), table) if row.low == 1]
    assert re.findall(r"(\S.*) has a heavy tail: ", show(file, "--setting", "order")) == first


EDITS = {
    "tables[0]": (("tables", 0, "low", 0), 2),
    "tables[0].floor: must be a number": (("tables", 0, "floor"), 10**400),
    "]: it is not what the cells give": (("cells", 3, "regret", "copeland", 0), 1),
    "cells[3].regret.weak[0]: must be a number": (("cells", 3, "regret", "weak", 0), math.nan),
    "cells[3].regret.weak: it has 1 values, not 6": (("cells", 3, "regret", "weak"), [1]),
    "these are not the correlations of 3": (("cells", 3, "problem"), 9),
    "cells[3]: it has more": (("cells", 3, "more"), 9),
    "cells, correlations and across do not go together": (("across", "order/all/200/weak"), []),
    "correlations": (("correlations", "0/200/weak"), "AA=="),
    "format 1": (("format",), 2),
    "problems[0].n_arms: must be a whole number": (("problems", 0, "n_arms"), "16"),
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
