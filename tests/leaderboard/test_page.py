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


@pytest.mark.parametrize("first", [[5.0, 9.0, 2.0, 30.0], [1.0, 1.0, 1.0, 8.0]])
def test_the_interval_of_a_difference_is_that_of_means(driver, open_at, first):
    from duelbench.statistics.differences import of_means

    open_at()
    sample = np.array(first)
    spread = sample.std()
    skewness = float(((sample - sample.mean()) ** 3).mean() / spread**3 / len(sample) ** 0.5)
    pair = {
        "value": float(sample.mean()),
        "error": float(spread / (len(sample) - 1) ** 0.5),
        "freedom": len(sample) - 1,
        "skewness": skewness,
    }
    expected = of_means(sample, np.zeros(len(sample)), paired=True)
    low, high, p = driver.execute_script("return [...intervalOf(arguments[0], 0.95), pOf(arguments[0])]", pair)
    assert (low, high, p) == pytest.approx((expected.low, expected.high, expected.p), rel=1e-9)


@pytest.mark.parametrize("width", [DESK, PHONE])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_its_window_and_loads_nothing(open_at, width, dark):
    driver = open_at("setting=order&horizon=10000&regret=copeland&on=linear-5&by=D-TS", width, dark=dark)
    assert driver.find_element("id", "cell").is_displayed()
    assert (complaints(driver), overflowing(driver)) == ([], [])
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_choosing_matrices_makes_ranks_again_and_the_address_keeps_the_choice(open_at):
    driver = open_at("setting=order&horizon=10000&regret=copeland")
    before = column(driver, "Times the least")
    assert "7 algorithms ranked on 3 matrices, 20 runs" in text(driver, "#said")
    click(driver, "#matrices summary")
    click(driver, "#ticks label:nth-child(2)")  # linear-64
    assert "8 algorithms ranked on 2 matrices" in text(driver, "#said")
    assert column(driver, "Times the least") != before
    after, address = column(driver, "Times the least"), driver.current_url
    driver.get("about:blank")
    driver.get(address)
    assert column(driver, "Times the least") == after
    buttons = driver.find_elements("css selector", "#sets button")
    next(button for button in buttons if button.text == "None").click()
    assert text(driver, "#said") == "No matrix is chosen: tick at least one."
    driver.refresh()
    assert text(driver, "#said") == "No matrix is chosen: tick at least one."


def test_headings_sort_by_key_and_by_click_and_say_so(open_at):
    from selenium.webdriver.common.keys import Keys

    driver = open_at("setting=order&horizon=10000&regret=copeland")
    ratios = [float(ratio.split()[0]) for ratio in column(driver, "Times the least") if ratio != "–"]
    assert ratios == sorted(ratios) and ratios[0] == 1
    head = "#table th:nth-child(1)"
    click(driver, f"{head} button")
    names = column(driver, "Algorithm")
    assert names == sorted(names, key=str.lower)
    assert driver.find_element("css selector", head).get_attribute("aria-sort") == "ascending"
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert column(driver, "Algorithm") == names[::-1]
    assert driver.find_element("css selector", head).get_attribute("aria-sort") == "descending"


def test_names_and_anytime_hide_lines_and_leave_ranks(open_at):
    driver = open_at("setting=order&horizon=10000&regret=copeland")
    ranks_of = dict(zip(column(driver, "Algorithm"), column(driver, "Rank"), strict=True))
    click(driver, "#anytime")
    assert "Beat the mean" in ranks_of and "Beat the mean" not in column(driver, "Algorithm")
    driver.find_element("id", "find").send_keys("RMED")
    shown = dict(zip(column(driver, "Algorithm"), column(driver, "Rank"), strict=True))
    assert shown == {name: rank for name, rank in ranks_of.items() if "RMED" in name} and len(shown) == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("&find=%20zebra%20", "No algorithm of this table has “zebra” in its name."),
        ("&find=Beat&anytime=1", "No anytime algorithm of this table has “Beat” in its name."),
    ],
)
def test_a_filter_that_hides_every_line_is_a_sentence_and_no_empty_table(open_at, asked, said):
    driver = open_at(f"setting=order&horizon=10000&regret=copeland{asked}")
    assert text(driver, "#said").endswith(said) and "7 algorithms ranked" in text(driver, "#said")
    assert driver.find_elements("css selector", "#table table") == []
    driver.execute_script("goTo({ find: 'RMED' })")
    assert said not in text(driver, "#said") and len(column(driver, "Algorithm")) == 2


def test_without_anytime_algorithms_the_table_says_so(driver, tmp_path):
    summary = made_up_summary()
    for algorithm in summary["algorithms"]:
        algorithm["anytime"] = False
    of_page(driver, summary, tmp_path)
    click(driver, "#anytime")
    assert text(driver, "#said").endswith("No algorithm of this table is anytime.")


def disabled(driver, selector):
    """The options of a list that cannot be chosen."""
    return driver.execute_script(
        "return [...document.querySelectorAll(`${arguments[0]} option:disabled`)].map((one) => one.value)", selector
    )


def test_what_has_no_results_cannot_be_chosen(driver, tmp_path):
    """Weak regret without a Condorcet winner; and a horizon and a setting of which this summary has no cells."""
    summary = made_up_summary()
    setting_of = [problem["setting"] for problem in summary["problems"]]
    summary["cells"] = [
        cell
        for cell in summary["cells"]
        if setting_of[cell["problem"]] != "condorcet"
        and (setting_of[cell["problem"]], cell["horizon"]) != ("copeland", 10**8)
    ]
    of_page(driver, summary, tmp_path)
    for setting, horizons, regrets in (("order", [], []), ("copeland", ["100000000"], ["weak"])):
        driver.execute_script(
            "const list = document.getElementById('setting'); list.value = arguments[0];"
            "list.dispatchEvent(new Event('change'));",
            setting,
        )
        assert disabled(driver, "#setting") == ["condorcet"]
        assert (disabled(driver, "#horizon"), disabled(driver, "#regret")) == (horizons, regrets)


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_names_stay_in_sight_and_a_shadow_says_that_columns_lie_to_the_right(open_at, width):
    driver = open_at("setting=order&horizon=10000&regret=copeland", width)
    after_scrolling = """
        const [done, left] = [arguments[1], arguments[0]], box = document.getElementById("table");
        box.style.cssText = "max-height: 20rem; max-width: 20rem";
        [box.scrollTop, box.scrollLeft] = [1000, left];
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const [head, last] = [box.querySelector("thead th"), box.querySelector("tbody tr:last-child th")];
          const [own, above, beside] = [box, head, last].map((one) => one.getBoundingClientRect());
          const shadow = getComputedStyle(document.getElementById("edge"), "::after").content !== "none";
          done([box.scrollTop > 0, above.top - own.top, above.left - own.left, beside.left - own.left, shadow]);
        }));
    """
    assert driver.execute_async_script(after_scrolling, 100) == [True, 0, 0, 0, True]
    assert driver.execute_async_script(after_scrolling, 100_000) == [True, 0, 0, 0, False]


def test_who_is_not_ranked_is_named_with_the_reason(open_at):
    driver = open_at("setting=copeland&horizon=10000&regret=copeland")
    said = text(driver, "#unranked")
    assert "result of them: 3" in said
    assert "RUCB, RMED1, Beat the mean: They assume a Condorcet winner." in said
    driver = open_at("setting=order&horizon=10000&regret=copeland")
    assert "CCB: It would take more than ten core-minutes." in text(driver, "#unranked")
    at_the_end = dict(zip(column(driver, "Algorithm"), column(driver, "Rank"), strict=True))
    assert list(at_the_end)[-1] == "CCB" and at_the_end["CCB"] == "–"


def test_a_regret_that_was_not_recorded_is_a_sentence(open_at):
    driver = open_at("setting=copeland&horizon=10000&regret=weak")
    assert text(driver, "#said") == "There are no results of weak regret after 10⁴ rounds on these matrices."


def test_a_number_opens_its_cell_and_escape_gives_the_focus_back(open_at):
    from selenium.webdriver.common.keys import Keys

    driver = open_at("setting=order&horizon=10000&regret=copeland")
    button = driver.find_element("css selector", "#table td.heat button")
    button.click()
    assert text(driver, "#cell-title").endswith("on linear-5 after 10⁴ rounds")
    assert driver.execute_script("return document.querySelectorAll('#cell circle').length") == 4
    assert "C* ln t" in text(driver, "#cell .legend") and "on=linear-5" in driver.current_url
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not driver.find_element("id", "cell").is_displayed() and "&on=" not in driver.current_url
    assert driver.switch_to.active_element == button


def test_a_curve_ends_at_the_horizon_of_its_cell(open_at):
    """It is read from runs to 10^8, and what comes later is not shown."""
    for horizon, points in (("10000", 4), ("1000000", 6), ("100000000", 8)):
        driver = open_at(f"setting=order&horizon={horizon}&regret=copeland&on=linear-5&by=RUCB")
        assert driver.execute_script("return document.querySelectorAll('#cell circle').length") == points


def test_the_answer_has_its_conditions_and_leads_to_its_table(open_at):
    driver = open_at("setting=copeland")
    assert text(driver, "#answer .take") == "Take D-TS+."
    said = text(driver, "#answer")
    assert "Not told apart from it: D-TS, ECW-RMED." in said and "shortest tail after 10000 rounds" in said
    driver.execute_script(
        "const size = document.getElementById('choice-size'); size.value = 'large';"
        "size.dispatchEvent(new Event('change'));"
    )
    click(driver, "#answer button")
    assert "setting=order" in driver.current_url and "matrix=linear-64" in driver.current_url


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


@pytest.mark.parametrize(
    "without", ["cells", "settings", "choices", "left_out", "correlations", "across", "made_with", "rounds", "all"]
)
def test_a_summary_with_something_missing_says_what_it_can(driver, tmp_path, without):
    summary = {} if without == "all" else {key: value for key, value in made_up_summary().items() if key != without}
    of_page(driver, summary, tmp_path)
    assert complaints(driver) == []
    is_empty = without in ("cells", "settings", "all")
    assert (text(driver, "#about") == "This leaderboard has no results.") == is_empty
    assert bool(column(driver, "Algorithm")) != is_empty


def test_matrices_without_any_regret_of_somebody_do_not_count(driver, tmp_path):
    summary = made_up_summary()
    for cell in summary["cells"]:
        if cell["problem"] == 2 and cell["algorithm"] == 1:
            cell["regret"]["copeland"] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    of_page(driver, summary, tmp_path)
    said = text(driver, "#said")
    assert "7 algorithms ranked on 2 matrices" in said
    assert "Not counted, because some algorithm has no regret at all there: arithmetic8." in said
    assert complaints(driver) == []


def test_matrices_without_results_at_a_horizon_do_not_count(driver, tmp_path):
    summary = made_up_summary()
    summary["cells"] = [cell for cell in summary["cells"] if cell["problem"] != 1 or cell["horizon"] < 10**8]
    of_page(driver, summary, tmp_path)
    driver.execute_script("goTo({ horizon: 100000000 })")
    said = text(driver, "#said")
    assert "8 algorithms ranked on 2 matrices" in said
    assert "Not counted, because there are no results: linear-64." in said
    assert complaints(driver) == []


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


def test_a_cell_that_longer_runs_pass_says_so(driver, tmp_path):
    summary = made_up_summary()
    of_page(driver, summary, tmp_path)
    problem, label = summary["problems"][0]["name"], summary["algorithms"][0]["label"]
    last = max(summary["rounds"][summary["cells"][0]["rounds"]])
    driver.execute_script("goTo({ horizon: 10000, cell: arguments })", problem, label)
    said = driver.find_elements("css selector", "#cell .on-the-way")
    assert len(said) == 1
    assert "is read on the way" in said[0].text
    driver.execute_script("goTo({ horizon: arguments[2], cell: [arguments[0], arguments[1]] })", problem, label, last)
    assert driver.find_elements("css selector", "#cell .on-the-way") == []


def test_the_commands_of_a_cell_of_a_plug_in_name_its_file(driver, tmp_path):
    summary = made_up_summary()
    summary["algorithms"][0]["plug_in"] = "my rule.py"
    of_page(driver, summary, tmp_path)
    label, problem = summary["algorithms"][0]["label"], summary["problems"][0]["name"]
    driver.execute_script("goTo({ cell: [arguments[0], arguments[1]] })", problem, label)
    for name in ("again", "compare"):
        assert text(driver, f"#cell pre.{name}").endswith(" --plug-in 'my rule.py'")


def test_the_same_summary_gives_the_same_page_which_holds_it(summary, written):
    assert written.read_text(encoding="utf-8") == page(summary)
    held = page(summary).split('type="application/json">')[1].split("</script>")[0]
    assert json.loads(held) == summary
