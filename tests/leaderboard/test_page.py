"""The page of a leaderboard: what is in it, and what a real browser makes of it."""

import json
from pathlib import Path

import pytest

from duelbench.leaderboard import page
from tests.browser import DESK, PHONE, browser, complaints, overflowing, visit

COMMITTED = Path(__file__).parents[2] / "docs" / "leaderboard" / "leaderboard.json"

HOSTILE = "</script><script>document.title = 1</script> & \"quoted\" 'it' | {{ 1 }}"


@pytest.fixture
def content():
    return json.loads(COMMITTED.read_bytes())


def test_names_are_text_on_the_page_and_in_markdown(content):
    content["tables"][0]["rows"]["label"][0] = content["problems"][0]["name"] = HOSTILE
    html = page.html(content)
    assert "<script>document.title" not in html
    assert html.count("&lt;script&gt;document.title = 1") >= 2
    assert "'it' \\| {{ 1 }} |" in page.markdown(content["tables"][0])


def test_the_page_has_every_table_and_loads_nothing(content):
    html = page.html(content)
    assert html.count("data-choice=") == len(content["tables"])
    assert html.count('<tr class="row">') == sum(len(table["rows"]["label"]) for table in content["tables"])
    assert "http" not in html.replace('http-equiv="Content', "")


@pytest.mark.slow
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_in_a_browser_menus_choose_a_table_and_heads_sort_it(content, tmp_path, width):
    content["tables"][0]["rows"]["label"][0] = HOSTILE
    file = tmp_path / "board.html"
    file.write_text(page.html(content), encoding="utf-8")

    def column(driver, number):
        rows = "document.querySelectorAll('section[data-choice]:not([hidden]) tbody tr')"
        return driver.execute_script(f"return [...{rows}].map(r => r.cells[arguments[0]].textContent)", number)

    with browser(tmp_path / "browser") as driver:
        visit(driver, file, width)
        assert driver.title == "Leaderboard of dueling bandits"
        assert column(driver, 2) == content["tables"][0]["rows"]["label"]
        driver.execute_script("document.querySelectorAll('section[data-choice]:not([hidden]) thead button')[4].click()")
        shares = [float(text.rstrip("%")) for text in column(driver, 4)]
        assert shares == sorted(shares) and shares[0] < shares[-1]
        driver.execute_script("document.querySelectorAll('section[data-choice]:not([hidden]) thead button')[4].click()")
        assert [float(text.rstrip("%")) for text in column(driver, 4)] == sorted(shares, reverse=True)
        driver.execute_script(
            "const [setting] = document.querySelectorAll('select');"
            "setting.value = 'No Condorcet winner'; setting.dispatchEvent(new Event('change', {bubbles: true}))"
        )
        table = next(one for one in content["tables"] if one["setting"] == "copeland")
        assert column(driver, 2) == table["rows"]["label"]
        assert (complaints(driver), overflowing(driver)) == ([], [])
        assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
