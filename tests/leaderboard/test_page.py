"""Claims about the page of the leaderboard, most of them looked at in a real browser."""

import base64
import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.leaderboard.page.document import page
from duelbench.statistics.ranks import Scores, compared, ranks
from tests.browser import DESK, browser, complaints, overflowing, visit
from tests.execution.experiments import write_spec
from tests.leaderboard.made_up_summary import made_up_summary

HOSTILE = "</script><script>document.title = 1</script> & \"quoted\" 'it'"


def duelbench(*arguments):
    """What a command prints, in this process; errors come as exceptions."""
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False).stdout


def text(driver, selector):
    return driver.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def scores_of(summary, setting, horizon, regret, names, sizes):
    """What `ranks` gets for a view, read from the summary in the plainest way."""
    chosen = [p for p, problem in enumerate(summary["problems"]) if problem["name"] in names]
    cells = {(c["problem"], c["algorithm"]): c for c in summary["cells"] if c["horizon"] == horizon}
    ranked = [a for a in range(len(summary["algorithms"])) if all((p, a) in cells for p in chosen)]

    def grid(entry):
        return np.array([[cells[p, a]["regret"][regret][entry] for p in chosen] for a in ranked])

    correlations = np.ones((len(chosen), len(ranked), len(ranked)))
    for m, p in enumerate(chosen):
        there = [a for a in range(len(summary["algorithms"])) if (p, a) in cells]
        upper = iter(np.frombuffer(base64.b64decode(summary["correlations"][f"{p}/{horizon}/{regret}"]), np.int8))
        whole = np.eye(len(summary["algorithms"]))
        for k, a in enumerate(there):
            for b in there[k + 1 :]:
                whole[a, b] = whole[b, a] = next(upper) / 100
        correlations[m] = whole[np.ix_(ranked, ranked)]
    runs = np.array([[cells[p, a]["runs"] for p in chosen] for a in ranked])
    known = [summary["across"][f"{setting}/{size}/{horizon}/{regret}"] for size in sizes]
    across = np.array([max(values[a] for values in known) for a in ranked])
    return ranked, Scores(grid(0), grid(1), grid(2), runs, correlations, across)


SIZES = ("all", "small", "large")

VIEWS = {
    "all of an order": ("order", 10_000, "copeland", ["linear-5", "linear-64", "arithmetic8"], ["all"]),
    "up to 16 arms": ("order", 1_000_000, "weak", ["linear-5", "arithmetic8"], ["small"]),
    "two matrices": ("order", 1_000_000, "weak", ["linear-64", "arithmetic8"], SIZES),
    "one matrix": ("condorcet", 100_000_000, "borda", ["hard-condorcet-16"], SIZES),
    "no winner": ("copeland", 1_000_000, "copeland", ["cyclic"], ["all"]),
}
"""Setting, horizon, regret, matrices, and what it is known of how far runs go together on different matrices."""


def check_ranks(driver, summary, view):
    """The ranks that the page works out for a view are those of Python."""
    setting, horizon, regret, names, _ = view
    ranked, scores = scores_of(summary, *view)
    expected = ranks(scores)
    problems = [p for p, problem in enumerate(summary["problems"]) if problem["name"] in names]
    there, found, pairs = driver.execute_script(
        "const [setting, horizon, regret, problems] = arguments;"
        "const table = tableOf({ setting, horizon, regret, problems }), all = [...table.ranked.keys()];"
        "const pairs = all.flatMap((a) => all.slice(a + 1).map((b) => pairOf(table.scores, a, b)));"
        "return [table.ranked, table.found, pairs];",
        *(setting, horizon, regret, problems),
    )
    assert there == ranked
    for name in ("low", "high", "group", "order", "better"):
        assert found[name] == getattr(expected, name).tolist(), name
    assert np.allclose(found["score"], expected.score, rtol=0, atol=1e-6)
    assert found["floor"] == pytest.approx(expected.floor, rel=1e-6)
    of_pairs = compared(scores, *np.triu_indices(len(ranked), 1))
    for name in ("value", "error", "freedom", "p"):
        assert np.allclose([pair[name] for pair in pairs], getattr(of_pairs, name), rtol=1e-6, atol=1e-13), name


@pytest.mark.slow
def test_in_a_browser_ranks_are_those_of_python_names_run_nothing_and_commands_play_again(tmp_path, monkeypatch):
    """On labels that a page or a shell would take apart."""
    monkeypatch.chdir(tmp_path)
    summaries = [made_up_summary(1), made_up_summary(2, runs=4), made_up_summary()]
    for k, cell in enumerate(summaries[1]["cells"]):  # runs of unequal number
        cell["runs"] += k % 5
    last = summaries[-1]
    last["problems"][0]["name"], last["algorithms"][0]["label"], last["settings"][0]["title"] = "a-b", HOSTILE, HOSTILE
    last["cells"][0] |= {"spec": "demo.yaml", "scale": None, "experiment": "demo"}
    with browser(tmp_path / "browser") as driver:
        for summary in summaries:
            Path("index.html").write_text(page(summary), encoding="utf-8")
            driver.get("about:blank")
            visit(driver, Path("index.html"), DESK)
            if summary is not last:
                for view in VIEWS.values():
                    check_ranks(driver, summary, view)
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
    assert "the same, to the last bit" in duelbench(*shlex.split(compare)[1:], "--summary", "board/leaderboard.json")
    played = [path.relative_to("again/demo") for path in Path("again/demo").rglob("*.npz")]
    assert len(played) == 4
    for path in played:
        assert (Path("again/demo") / path).read_bytes() == (Path("results/demo") / path).read_bytes()


def test_the_page_holds_the_summary_whatever_the_names_in_it():
    summary = made_up_summary()
    summary["algorithms"][0]["label"] = summary["problems"][0]["name"] = HOSTILE
    held = page(summary).split('type="application/json">')[1].split("</script>")[0]
    assert json.loads(held) == summary
