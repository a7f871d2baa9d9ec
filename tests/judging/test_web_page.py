"""The web page in a real browser: what a judge does there, on purpose or not, gives every answer once."""

import time

import pytest

from duelbench import Session
from duelbench.judging.web.address import Address, new_address
from duelbench.judging.web.exhibits import Exhibit
from tests.browser import DESK, PHONE, browser, complaints, overflowing, visit
from tests.judging.web_serving import serving

pytestmark = pytest.mark.slow

HOSTILE = "<b>bold & \"quoted\" 'name'</b><script>document.title = 1</script>" + "Donaudampfschifffahrt" * 20


@pytest.fixture
def driver(tmp_path):
    with browser(tmp_path / "browser") as driver:
        yield driver


def until(condition, seconds=20.0):
    """Wait for something that comes when it comes."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return found


def shown(driver):
    """The two arms that the page shows; nothing where it shows none."""
    return driver.execute_script(
        "return document.getElementById('pair').hidden ? null"
        " : [...document.querySelectorAll('.arm')].map((arm) => arm.firstChild.textContent);"
    )


def ready(driver):
    """Wait until the page takes an answer: at once it would be the second half of a double click."""
    until(lambda: driver.execute_script("return isReady();"))


def text(driver, name):
    return driver.execute_script("return document.getElementById(arguments[0]).textContent;", name)


def button(driver, outcome):
    return driver.find_element("css selector", f"#bar [data-outcome={outcome}]")


def press(driver, keys):
    from selenium.webdriver import ActionChains

    ActionChains(driver).send_keys(keys).perform()


def opened(driver, server, width=DESK):
    """The page, with its first question, when it takes answers."""
    visit(driver, server.address.url, width)
    until(lambda: shown(driver))
    ready(driver)


def answered(driver, session, act, told):
    """Do something, and wait until so many answers are there and the next question takes one."""
    act()
    until(lambda: session.told == told and text(driver, "progress").startswith(f"{told} answer"))
    ready(driver)


def test_clicks_and_keys_answer_once_and_a_page_loaded_again_has_the_same_question_and_judge(driver):
    from selenium.webdriver import ActionChains

    with Session("random", arms=["tea", HOSTILE, "milk"], seed=1) as session, serving(session) as server:
        opened(driver, server)
        first, second = shown(driver)
        answered(driver, session, button(driver, "first").click, 1)
        assert session.wins[session.arms.index(first), session.arms.index(second)] == 1
        first, second = shown(driver)
        answered(driver, session, lambda: press(driver, "2"), 2)
        assert session.wins[session.arms.index(second), session.arms.index(first)] == 1
        answered(driver, session, lambda: press(driver, "t"), 3)
        assert session.ties.any() and session.wins.sum() == 2
        before = shown(driver)
        answered(driver, session, lambda: press(driver, "u"), 2)
        assert shown(driver) != before
        answered(driver, session, ActionChains(driver).double_click(button(driver, "tie")).perform, 3)
        driver.execute_script("shown = performance.now(); dispatchEvent(new KeyboardEvent('keydown', {key: '1'}));")
        assert text(driver, "note").startswith("Too quick")
        driver.find_element("id", "judge").send_keys("Ada 1")
        assert session.told == 3, "neither the second click nor a digit in a name is an answer"
        before = shown(driver)
        driver.refresh()
        until(lambda: shown(driver))
        assert shown(driver) == before and len(session.out) == 1
        ready(driver)
        answered(driver, session, button(driver, "first").click, 4)
        assert session.judges["Ada 1"] == 1
        assert driver.execute_script("return document.querySelector('.arm b') === null;")
        driver.find_element("css selector", "#known summary").click()
        until(lambda: "Ada 1" in text(driver, "judges") and "milk" in text(driver, "arms"))
        opened(driver, server, PHONE)
        assert driver.title == "Which is better?" and not complaints(driver) and not overflowing(driver)
        while not session.done:
            pair = session.ask()
            session.tell(pair, "tea" if "tea" in pair else min(pair))
        driver.refresh()
        until(lambda: "tea wins" in text(driver, "message"))
        assert shown(driver) is None and not button(driver, "first").is_displayed()
    until(lambda: text(driver, "note") == "The session has ended.")
    assert text(driver, "alarm") == ""


def test_answers_given_while_the_server_was_gone_outlive_their_tabs(driver, tmp_path):
    log = tmp_path / "answers.jsonl"
    empty = driver.current_window_handle
    with Session("random", arms=["a", "b", "c"], seed=1, log=log) as session, serving(session) as server:
        address = server.address
        tabs, pairs = [], []
        for _ in range(2):
            driver.switch_to.new_window("tab")
            opened(driver, server)
            tabs.append(driver.current_window_handle)
            pairs.append(shown(driver))
        assert len(session.out) == 2, "each tab has a question of its own"
    for tab, judge in zip(tabs, ("Ann", "Bob"), strict=True):
        driver.switch_to.window(tab)
        driver.execute_script("document.getElementById('judge').value = arguments[0];", judge)
        press(driver, "2")
        until(lambda: "give another one" in text(driver, "alarm"))
        driver.close()
    driver.switch_to.window(empty)
    with Session.open(log) as session, serving(session, address=address) as server:
        opened(driver, server)
        until(lambda: text(driver, "progress") == "2 answers")
        assert session.judges == {"Ann": 1, "Bob": 1} and session.told == 2
        wins = [(winner, loser) for loser, winner in pairs]
        assert all(session.wins[session.arms.index(one), session.arms.index(other)] for one, other in wins)
        driver.refresh()
        until(lambda: shown(driver))
        assert session.told == 2


def test_a_name_stands_above_its_text_where_it_is_asked_for(driver):
    exhibits = [Exhibit("text", "A cup."), Exhibit("text", "A glass.")]
    with Session("random", ["tea", "milk"]) as session, serving(session, exhibits, names=True) as server:
        opened(driver, server)
        assert {text(driver, "mark-a"), text(driver, "mark-b")} in ({"A: tea", "B: milk"}, {"A: milk", "B: tea"})


def test_a_tab_of_another_address_says_that_its_answer_was_not_saved(driver):
    with Session("random", ["tea", "milk"]) as session:
        with serving(session) as server:
            opened(driver, server)
            port = server.address.port
        with serving(session, address=Address(port, new_address().token)):
            press(driver, "1")
            until(lambda: text(driver, "alarm").endswith("Your last answer was not saved."))
            assert session.told == 0
