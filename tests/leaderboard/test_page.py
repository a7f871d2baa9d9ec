"""Claims about the page of the leaderboard: what is in it, and what a real browser makes of it."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.leaderboard.page.document import page
from duelbench.leaderboard.summary import FILE
from tests.browser import DESK, browser, complaints, overflowing, visit
from tests.execution.experiments import write_spec

COMMITTED = Path(__file__).parents[2] / "docs" / "leaderboard" / FILE

HOSTILE = "</script><script>document.title = 1</script> & \"quoted\" 'it'"


def duelbench(*arguments):
    """What a command prints, in this process; errors come as exceptions."""
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False).stdout


def text(driver, selector):
    return driver.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def check_tables(driver, tables):
    """The ranks that the page works out are those of Python."""
    for table, found in zip(
        tables,
        driver.execute_script(
            "return arguments[0].map(({ setting, size, horizon, regret }) => {"
            "  const problems = setOf(setting, size ?? 'all');"
            "  const { ranked, found } = tableOf({ setting, horizon, regret, problems });"
            "  return { ...found, algorithms: found.order.map((place) => ranked[place]) }; });",
            tables,
        ),
        strict=True,
    ):
        assert found["algorithms"] == table["algorithms"]
        for name in ("low", "high", "group"):
            assert [found[name][place] for place in found["order"]] == table[name], name
        assert np.allclose([found["score"][place] for place in found["order"]], table["score"], rtol=0, atol=1e-4)
        assert found["floor"] == pytest.approx(table["floor"], rel=1e-3)


@pytest.mark.slow
def test_in_a_browser_ranks_are_those_of_python_names_run_nothing_and_commands_play_again(tmp_path, monkeypatch):
    """On labels that a page or a shell would take apart."""
    monkeypatch.chdir(tmp_path)
    summary = json.loads(COMMITTED.read_bytes())
    cell = summary["cells"][0]
    summary["problems"][cell["problem"]]["name"] = "a-b"
    summary["algorithms"][cell["algorithm"]]["label"] = summary["settings"][0]["title"] = HOSTILE
    for other in summary["cells"]:
        if (other["problem"], other["algorithm"]) == (cell["problem"], cell["algorithm"]):
            other |= {"spec": "demo.yaml", "scale": None, "experiment": "demo"}
    Path("index.html").write_text(page(summary), encoding="utf-8")
    with browser(tmp_path / "browser") as driver:
        visit(driver, Path("index.html"), DESK)
        check_tables(driver, summary["tables"])
        driver.execute_script("goTo({ cell: ['a-b', arguments[0]] })", HOSTILE)
        assert HOSTILE in text(driver, "#cell-title") and driver.title == "Leaderboard of dueling bandits"
        again, compare = (text(driver, f"#cell pre.{name}") for name in ("again", "compare"))
        assert (complaints(driver), overflowing(driver)) == ([], [])
        assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    entries = [{"rucb": {"label": HOSTILE}}, "random"]
    write_spec(tmp_path, problems={"a-b": "cyclic.csv", "other": "cyclic.csv"}, algorithms=entries, matrix=None)
    duelbench("run", "demo.yaml", "-j", "1")
    assert duelbench(*shlex.split(again)[1:], "-j", "1").startswith("4 of 16 runs complete")
    duelbench("leaderboard", "build", "results/demo", "-o", "board")
    assert "the same, to the last bit" in duelbench(*shlex.split(compare)[1:-1], "board/leaderboard.json")
    played = [path.relative_to("again/demo") for path in Path("again/demo").rglob("*.npz")]
    assert len(played) == 4
    for path in played:
        assert (Path("again/demo") / path).read_bytes() == (Path("results/demo") / path).read_bytes()


def test_the_page_holds_the_summary_whatever_the_names_in_it(board):
    summary = json.loads((board / FILE).read_bytes())
    summary["algorithms"][0]["label"] = summary["problems"][0]["name"] = HOSTILE
    held = page(summary).split('type="application/json">')[1].split("</script>")[0]
    assert json.loads(held) == summary
