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
from tests.browser import DESK, PHONE, browser, complaints, overflowing, visit
from tests.execution.experiments import write_spec
from tests.leaderboard.made_up_summary import made_up_summary

pytestmark = pytest.mark.xdist_group("leaderboard-page")  # one browser for all

HOSTILE = "</script><script>document.title = 1</script> & \"quoted\" 'it'"


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture(scope="module")
def summary():
    return made_up_summary()


@pytest.fixture(scope="module")
def written(summary, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(page(summary), encoding="utf-8")
    return path


@pytest.fixture
def open_at(driver, written):
    """Opens the page at a view, such as ``setting=order&horizon=10000``."""

    def open_(view="", width=DESK, **options):
        driver.get("about:blank")
        visit(driver, f"{written.resolve().as_uri()}#{view}", width, **options)
        return driver

    return open_


def of_page(driver, summary, folder):
    (folder / "index.html").write_text(page(summary), encoding="utf-8")
    driver.get("about:blank")
    complaints(driver)
    visit(driver, folder / "index.html", DESK)
    return driver


def duelbench(*arguments):
    """What a command prints, in this process; errors come as exceptions."""
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False).stdout


def text(driver, selector):
    return driver.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def column(driver, title):
    """The texts of a column of the table, from above."""
    return driver.execute_script(
        """
        const heads = [...document.querySelectorAll("#table thead th")].map((head) => head.textContent);
        return [...document.querySelectorAll("#table tbody tr")]
          .map((row) => row.cells[heads.indexOf(arguments[0])].textContent);
        """,
        title,
    )


def click(driver, selector):
    driver.find_element("css selector", selector).click()


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


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("seed", [1, 2])
def test_ranks_in_the_browser_are_those_of_python(driver, tmp_path, view, seed):
    summary = made_up_summary(seed, runs=20 if seed == 1 else 4)
    if seed == 2:  # runs of unequal number
        for k, cell in enumerate(summary["cells"]):
            cell["runs"] += k % 5
    of_page(driver, summary, tmp_path)
    setting, horizon, regret, names, _ = VIEWS[view]
    ranked, scores = scores_of(summary, *VIEWS[view])
    expected = ranks(scores)
    problems = [p for p, problem in enumerate(summary["problems"]) if problem["name"] in names]
    found = driver.execute_script(
        "const [setting, horizon, regret, problems] = arguments;"
        "const table = tableOf({ setting, horizon, regret, problems }), all = [...table.ranked.keys()];"
        "const pairs = all.flatMap((a) => all.slice(a + 1).map((b) => pairOf(table.scores, a, b)));"
        "return [table.ranked, table.found, pairs];",
        *(setting, horizon, regret, problems),
    )
    assert found[0] == ranked
    assert found[1]["low"] == expected.low.tolist() and found[1]["high"] == expected.high.tolist()
    assert found[1]["group"] == expected.group.tolist() and found[1]["order"] == expected.order.tolist()
    assert found[1]["better"] == expected.better.tolist()
    assert np.allclose(found[1]["score"], expected.score, rtol=0, atol=1e-6)
    assert found[1]["floor"] == pytest.approx(expected.floor, rel=1e-6)
    pairs = compared(scores, *np.triu_indices(len(ranked), 1))
    for name in ("value", "error", "freedom", "p"):
        assert np.allclose([pair[name] for pair in found[2]], getattr(pairs, name), rtol=1e-6, atol=1e-13), name
    assert 1 < len(set(expected.group.tolist())) < len(ranked)  # some are told apart, and some are not


def test_student_in_the_browser_is_that_of_scipy(driver, open_at):
    from scipy.special import stdtr, stdtrit

    open_at()
    cases = [(t, freedom) for t in (0.0, 1e-6, 0.3, 2.0, 7.0, 40.0) for freedom in (1.0, 3.7, 19.5, 300.0, 1e5)]
    tails = driver.execute_script("return arguments[0].map(([t, freedom]) => tailOfT(t, freedom))", cases)
    assert np.allclose(tails, [stdtr(freedom, -t) for t, freedom in cases], rtol=1e-9, atol=0)
    asked = [(share, freedom) for share in (0.025, 1e-5) for freedom in (1.0, 9.3, 1e4)]
    quantiles = driver.execute_script("return arguments[0].map(([p, freedom]) => quantileOfT(p, freedom))", asked)
    assert np.allclose(quantiles, [-stdtrit(freedom, share) for share, freedom in asked], rtol=1e-9, atol=0)


def test_names_are_shown_as_they_are_and_run_nothing(driver, tmp_path):
    summary = made_up_summary()
    for things, key in (("algorithms", "label"), ("problems", "name"), ("settings", "title")):
        summary[things][0][key] = HOSTILE
    of_page(driver, summary, tmp_path)
    assert driver.title == "Leaderboard of dueling bandits" and complaints(driver) == []
    assert HOSTILE in column(driver, "Algorithm") and HOSTILE in text(driver, "#table thead")
    driver.execute_script("goTo({ cell: [board.problems[0].name, board.algorithms[0].label] })")
    assert HOSTILE in text(driver, "#cell-title") and complaints(driver) == []
    driver.refresh()
    assert HOSTILE in text(driver, "#cell-title") and complaints(driver) == []


def test_the_commands_of_a_cell_play_its_runs_again(driver, tmp_path, monkeypatch):
    """On a spec of a problem and labels that a shell would take apart."""
    monkeypatch.chdir(tmp_path)
    label = 'It\'s RUCB & "co"'
    entries = [{"rucb": {"label": label}}, "random"]
    write_spec(tmp_path, problems={"a-b": "cyclic.csv", "other": "cyclic.csv"}, algorithms=entries, matrix=None)
    duelbench("run", "demo.yaml", "-j", "1")
    summary = made_up_summary()
    summary["problems"][0]["name"] = "a-b"
    summary["algorithms"][0]["label"] = label
    summary["cells"][0] |= {"spec": "demo.yaml", "scale": None, "experiment": "demo"}
    of_page(driver, summary, tmp_path)
    driver.execute_script("goTo({ cell: ['a-b', arguments[0]] })", label)
    again, compare = (text(driver, f"#cell pre.{name}") for name in ("again", "compare"))
    assert duelbench(*shlex.split(again)[1:], "-j", "1").startswith("4 of 16 runs complete")
    duelbench("leaderboard", "build", "results/demo", "-o", "board")
    assert "the same, to the last bit" in duelbench(*shlex.split(compare)[1:], "--summary", "board/leaderboard.json")
    played = sorted(path.relative_to("again/demo") for path in Path("again/demo").rglob("*.npz"))
    assert len(played) == 4
    for path in played:
        assert (Path("again/demo") / path).read_bytes() == (Path("results/demo") / path).read_bytes()


def test_the_table_is_that_of_what_is_chosen_and_the_address_keeps_the_choice(open_at):
    driver = open_at("setting=order&horizon=10000&regret=copeland")
    before = column(driver, "Times the least")
    ranks_of = dict(zip(column(driver, "Algorithm"), column(driver, "Rank"), strict=True))
    assert "7 algorithms ranked on 3 matrices, 20 runs" in text(driver, "#said")
    assert "CCB: It would take more than ten core-minutes." in text(driver, "#unranked")
    assert list(ranks_of)[-1] == "CCB" and ranks_of["CCB"] == "–"
    click(driver, "#table th:nth-child(1) button")
    names = column(driver, "Algorithm")
    assert names == sorted(names, key=str.lower)
    click(driver, "#anytime")
    assert "Beat the mean" in ranks_of and "Beat the mean" not in column(driver, "Algorithm")
    driver.find_element("id", "find").send_keys("RMED")
    shown = dict(zip(column(driver, "Algorithm"), column(driver, "Rank"), strict=True))
    assert shown == {name: rank for name, rank in ranks_of.items() if "RMED" in name} and len(shown) == 2
    driver = open_at("setting=order&horizon=10000&regret=copeland")
    click(driver, "#matrices summary")
    click(driver, "#ticks label:nth-child(2)")  # linear-64
    assert "8 algorithms ranked on 2 matrices" in text(driver, "#said")
    after, address = column(driver, "Times the least"), driver.current_url
    assert after != before
    driver.get("about:blank")
    driver.get(address)
    assert column(driver, "Times the least") == after


def test_matrices_without_results_or_without_any_regret_of_somebody_do_not_count(driver, tmp_path):
    summary = made_up_summary()
    summary["cells"] = [cell for cell in summary["cells"] if cell["problem"] != 1 or cell["horizon"] < 10**8]
    for cell in summary["cells"]:
        if (cell["problem"], cell["algorithm"], cell["horizon"]) == (2, 1, 10**4):
            cell["regret"]["copeland"] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    of_page(driver, summary, tmp_path)
    driver.execute_script("goTo({ setting: 'order', horizon: 10000, regret: 'copeland' })")
    said = text(driver, "#said")
    assert "ranked on 2 matrices" in said and "no regret at all there: arithmetic8" in said
    driver.execute_script("goTo({ horizon: 100000000 })")
    said = text(driver, "#said")
    assert "8 algorithms ranked on 2 matrices" in said and "no results: linear-64" in said
    assert complaints(driver) == []


def test_the_page_holds_the_summary(summary):
    held = page(summary).split('type="application/json">')[1].split("</script>")[0]
    assert json.loads(held) == summary


@pytest.mark.parametrize(("width", "dark"), [(DESK, False), (PHONE, True)])
def test_the_page_fits_its_window_and_loads_nothing(open_at, width, dark):
    driver = open_at("setting=order&horizon=10000&regret=copeland&on=linear-5&by=D-TS", width, dark=dark)
    assert driver.find_element("id", "cell").is_displayed()
    assert (complaints(driver), overflowing(driver)) == ([], [])
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
