"""The web page in a real browser: what a judge does there, on purpose or not, gives every answer once."""

import time
from itertools import product
from pathlib import Path

import pytest

from duelbench import Session
from duelbench.live.arms import Arm
from duelbench.live.web.exhibits import Exhibit, exhibit
from tests.browser import DESK, PHONE, browser, complaints, overflowing, visit
from tests.live.web_serving import serving
from tests.selection import quick

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}"><circle cx="90" cy="90" r="90"/></svg>'

HOSTILE = (
    "<b>bold & \"quoted\" 'name'</b><script>document.title = 1</script>",
    "אבגדה וזחטי כלמנס",
    "Donaudampfschifffahrtsgesellschaftskapitän" * 6,
    "a" * 3000,
    "two\nlines",
    "👩🏽‍🔬",
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture
def driver(chromium):
    """The browser with one empty tab."""
    first, *others = chromium.window_handles
    for handle in others:
        chromium.switch_to.window(handle)
        chromium.close()
    chromium.switch_to.window(first)
    chromium.get("about:blank")
    complaints(chromium)
    return chromium


@pytest.fixture
def session():
    with Session("random", arms=["tea", "water", "milk", "juice"], seed=1) as session:
        yield session


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


def opened(driver, server, width=DESK, **options):
    """The page, with its first question, when it takes answers."""
    visit(driver, server.address.url, width, **options)
    until(lambda: shown(driver))
    ready(driver)


def answered(driver, session, act, told):
    """Do something, and wait until so many answers are there and the next question takes one."""
    act()
    until(lambda: session.told == told and text(driver, "progress").startswith(f"{told} answer"))
    ready(driver)


def test_clicks_and_keys_answer(driver, session):
    with serving(session) as server:
        opened(driver, server)
        first, second = shown(driver)
        answered(driver, session, button(driver, "first").click, 1)
        assert session.wins[session.arms.index(first), session.arms.index(second)] == 1
        first, second = shown(driver)
        answered(driver, session, lambda: press(driver, "2"), 2)
        assert session.wins[session.arms.index(second), session.arms.index(first)] == 1
        answered(driver, session, lambda: press(driver, "t"), 3)
        assert session.ties.any() and session.wins.sum() == 2
        answered(driver, session, lambda: press(driver, "\ue012"), 4)  # the left arrow
        answered(driver, session, driver.find_element("css selector", ".name").click, 5)
        assert session.wins.sum() == 4
        before = shown(driver)
        answered(driver, session, lambda: press(driver, "u"), 4)
        assert shown(driver) != before
        assert not complaints(driver)


def test_a_skipped_pair_gives_way_to_another(driver, session):
    with serving(session) as server:
        opened(driver, server)
        press(driver, "s")
        until(lambda: "Skipped" in text(driver, "note"))
        until(lambda: shown(driver))
        assert session.told == 0


@pytest.mark.parametrize("outcome", quick(["first", "tie"], "first"))
def test_a_double_click_answers_once(driver, session, outcome):
    from selenium.webdriver import ActionChains

    with serving(session) as server:
        opened(driver, server)
        answered(driver, session, ActionChains(driver).double_click(button(driver, outcome)).perform, 1)
        assert session.told == 1


def test_a_second_click_that_meets_the_next_question_is_not_its_answer(driver, session):
    with serving(session) as server:
        opened(driver, server)
        driver.execute_async_script(
            """
            const done = arguments[0], before = number, button = document.querySelector("#answers button");
            const again = () => number === before ? setTimeout(again) : (button.click(), done());
            button.click();
            again();
            """
        )
        ready(driver)
        assert session.told == 1


def test_a_key_that_is_held_down_answers_once(driver, session):
    with serving(session) as server:
        opened(driver, server)
        for event in ["keyDown"] + 20 * ["rawKeyDown"]:
            key = {"type": event, "key": "1", "text": "1", "autoRepeat": event != "keyDown"}
            driver.execute_cdp_cmd("Input.dispatchKeyEvent", key)
            time.sleep(0.05)
        assert session.told == 1


def test_a_page_loaded_again_has_the_same_question(driver, session):
    with serving(session) as server:
        opened(driver, server)
        before = shown(driver)
        for _ in range(3):
            driver.refresh()
            until(lambda: shown(driver))
        assert shown(driver) == before
        ready(driver)
        answered(driver, session, lambda: press(driver, "1"), 1)
        assert len(session.out) == 1


def test_the_back_button_answers_nothing_twice(driver, session):
    with serving(session) as server:
        opened(driver, server)
        answered(driver, session, lambda: press(driver, "1"), 1)
        driver.get("about:blank")
        driver.back()
        until(lambda: shown(driver))
        ready(driver)
        answered(driver, session, lambda: press(driver, "1"), 2)
        assert session.told == 2


def test_two_tabs_have_different_questions_and_a_closed_one_gives_its_own_back(driver, session):
    with serving(session) as server:
        opened(driver, server)
        first = driver.current_window_handle
        (mine,) = (pair.number for pair in session.out)
        driver.switch_to.new_window("tab")
        opened(driver, server)
        (other,) = {pair.number for pair in session.out} - {mine}
        answered(driver, session, lambda: press(driver, "1"), 1)
        assert other not in {pair.number for pair in session.out}
        driver.close()
        driver.switch_to.window(first)
        answered(driver, session, lambda: press(driver, "2"), 2)
        assert len(session.out) == 1, "what the closed tab had is asked here"


def test_a_server_that_is_gone_is_said_and_an_answer_given_meanwhile_is_kept(driver, tmp_path):
    log = tmp_path / "answers.jsonl"
    with Session("random", arms=["a", "b", "c"], seed=1, log=log) as session, serving(session) as server:
        opened(driver, server)
        address = server.address
    pair = shown(driver)
    press(driver, "1")
    until(lambda: "does not answer" in text(driver, "alarm"))
    with Session.open(log) as session, serving(session, address=address):
        until(lambda: session.told == 1)
        assert session.wins[session.arms.index(pair[0]), session.arms.index(pair[1])] == 1
        until(lambda: text(driver, "alarm") == "" and text(driver, "progress") == "1 answer")


def test_while_the_server_is_gone_the_last_word_on_a_question_counts_and_outlives_the_page(driver, tmp_path):
    log = tmp_path / "answers.jsonl"
    with Session("random", arms=["a", "b", "c"], seed=1, log=log) as session, serving(session, judge="Ann") as server:
        opened(driver, server)
        assert driver.execute_script("return document.getElementById('judge').value;") == "Ann"
        press(driver, "u")
        assert "no answer of this page" in text(driver, "note")
        address = server.address
    pair = shown(driver)
    press(driver, "1")
    until(lambda: "give another one" in text(driver, "alarm"))
    ready(driver)
    press(driver, "2")
    with Session.open(log) as session, serving(session, address=address):
        until(lambda: text(driver, "progress") == "1 answer")
        assert session.wins[session.arms.index(pair[1]), session.arms.index(pair[0])] == session.told == 1
        ready(driver)
    press(driver, "1")
    until(lambda: "does not answer" in text(driver, "alarm"))
    ready(driver)
    press(driver, "u")
    until(lambda: "Dropped" in text(driver, "note"))
    with Session.open(log) as session, serving(session, address=address):
        until(lambda: text(driver, "alarm") == "")
        assert session.told == 1
        ready(driver)
    press(driver, "1")
    until(lambda: "does not answer" in text(driver, "alarm"))
    driver.get("about:blank")
    with Session.open(log) as session, serving(session, address=address):
        driver.get(address.url)
        until(lambda: session.told == 2)


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
        assert session.judges == {"Ann": 1, "Bob": 1}
        wins = [(winner, loser) for loser, winner in pairs]
        assert all(session.wins[session.arms.index(one), session.arms.index(other)] for one, other in wins)
        assert session.told == 2
        answered(driver, session, lambda: press(driver, "1"), 3)
        driver.refresh()
        until(lambda: shown(driver))
        assert session.told == 3


def test_a_page_of_an_earlier_address_says_so_and_stops(driver, session):
    with serving(session) as server:
        opened(driver, server)
        server.address = type(server.address)(server.address.port, "x" * 43)
        press(driver, "1")
        until(lambda: "address" in text(driver, "alarm"))
        assert session.told == 0


def test_the_judge_is_recorded_and_stays_when_the_page_is_loaded_again(driver, tmp_path):
    log = tmp_path / "answers.jsonl"
    with Session("random", arms=["a", "b", "c"], seed=1, log=log) as session, serving(session) as server:
        opened(driver, server)
        driver.find_element("id", "judge").send_keys("Ada 1")
        assert session.told == 0, "a digit in a name is no answer"
        driver.refresh()
        until(lambda: shown(driver))
        ready(driver)
        answered(driver, session, button(driver, "first").click, 1)
    assert '"Ada 1"' in log.read_text()


def test_what_is_known_is_shown_on_demand_and_kept_up_to_date(driver, session):
    with serving(session) as server:
        opened(driver, server)
        driver.find_element("css selector", "#known summary").click()
        until(lambda: len(driver.find_elements("css selector", "tbody tr")) == 4)
        answered(driver, session, lambda: press(driver, "1"), 1)
        counts = "return [...document.querySelectorAll('tbody tr')].map((row) => Number(row.cells[1].textContent));"
        until(lambda: sum(driver.execute_script(counts)) == 2)
        assert not complaints(driver)


def test_when_it_is_decided_the_page_says_who_won(driver):
    with Session("random", arms=["tea", "water"], seed=1) as session, serving(session) as server:
        while not session.done:
            session.tell(session.ask(), "tea")
        visit(driver, server.address.url, DESK)
        until(lambda: "decided: tea wins" in text(driver, "message"))
        assert shown(driver) is None and not button(driver, "first").is_displayed()


@pytest.mark.parametrize(
    ("kind", "width"), quick(product(("name", "text"), (DESK, PHONE)), ("name", PHONE), ("text", DESK))
)
def test_names_and_texts_are_shown_as_they_are_and_fit(driver, kind, width):
    with (
        Session("random", arms=[f"arm {k}" for k in range(len(HOSTILE))], seed=1) as session,
        serving(session, [Exhibit(kind, words) for words in HOSTILE]) as server,
    ):
        opened(driver, server, width)
        seen = set(shown(driver))
        for told in range(1, 5):
            assert not overflowing(driver)
            assert set(shown(driver)) <= set(HOSTILE)
            answered(driver, session, lambda: press(driver, "t"), told)
            seen |= set(shown(driver))
        assert len(seen) > 2
        assert driver.execute_script("return document.querySelector('.arm b') === null;")
        assert driver.title == "Which is better?"
        assert not complaints(driver)


@pytest.mark.parametrize("width", quick((DESK, PHONE), PHONE))
def test_pictures_and_pages_fit_and_pages_run_nothing(driver, tmp_path, width):
    (tmp_path / "wide.svg").write_text(PICTURE.format(w=4000, h=300))
    (tmp_path / "tall.svg").write_text(PICTURE.format(w=300, h=4000))
    (tmp_path / "page.html").write_text(
        "<script>top.document.title = 'mine'</script><body onload=\"top.document.title = 'mine'\">"
        "<p style='color: teal'>A page<img src='http://127.0.0.1:1/x.png'>"
    )
    arms = [Arm(name, path=tmp_path / name) for name in ("wide.svg", "tall.svg", "page.html")]
    with (
        Session("random", arms=[arm.name for arm in arms], seed=1) as session,
        serving(session, [exhibit(arm) for arm in arms]) as server,
    ):
        opened(driver, server, width)
        for told in range(1, 4):
            assert not overflowing(driver)
            assert driver.execute_script("return [...document.images].every((picture) => picture.naturalWidth > 0);")
            answered(driver, session, lambda: press(driver, "t"), told)
        assert driver.title == "Which is better?"
        assert all("Content Security Policy" in words or "sandboxed" in words for words in complaints(driver))


@pytest.mark.parametrize("width", quick((DESK, PHONE), PHONE))
def test_beside_a_very_long_text_both_are_in_sight_and_it_scrolls_from_its_top(driver, tmp_path, width):
    (tmp_path / "wide.svg").write_text(PICTURE.format(w=4000, h=300))
    long = Exhibit("text", "many lines\n" * 5000)
    with (
        Session("random", arms=["a", "b", "c"], seed=1) as session,
        serving(session, [long, exhibit(Arm("b", path=tmp_path / "wide.svg")), long]) as server,
    ):
        opened(driver, server, width)
        for told in range(1, 4):
            bottoms = (
                "return [...document.querySelectorAll('.side')].map((side) => side.getBoundingClientRect().bottom);"
            )
            bar = "return document.getElementById('bar').getBoundingClientRect().top;"
            assert max(driver.execute_script(bottoms)) <= driver.execute_script(bar) + 1
            tops = "return [...document.querySelectorAll('.arm')].map((arm) => arm.scrollTop);"
            assert driver.execute_script(tops) == [0, 0]
            driver.execute_script("for (const arm of document.querySelectorAll('.arm')) arm.scrollTop = 500;")
            assert max(driver.execute_script(tops)) == 500
            answered(driver, session, lambda: press(driver, "t"), told)


def test_the_keys_work_after_a_click_into_a_page(driver, tmp_path):
    for name in "ab":
        Path(tmp_path, f"{name}.html").write_text("<p>A page")
    arms = [Arm(name, path=tmp_path / f"{name}.html") for name in "ab"]
    with (
        Session("random", arms=["a", "b"], seed=1) as session,
        serving(session, [exhibit(arm) for arm in arms]) as server,
    ):
        opened(driver, server)
        driver.find_element("css selector", "iframe").click()
        ready(driver)
        answered(driver, session, lambda: press(driver, "1"), 1)


def test_a_picture_that_cannot_be_shown_is_said(driver, tmp_path):
    (tmp_path / "a.png").write_bytes(b"no picture")
    with (
        Session("random", arms=["a", "b"], seed=1) as session,
        serving(session, [exhibit(Arm("a", path=tmp_path / "a.png")), Exhibit("name", "b")]) as server,
    ):
        visit(driver, server.address.url, DESK)
        until(lambda: "cannot be shown" in text(driver, "alarm"))


@pytest.mark.parametrize(("width", "dark"), quick(product((DESK, PHONE), (False, True)), (PHONE, True)))
def test_what_is_known_fits_too(driver, session, width, dark):
    with serving(session, [Exhibit("text", words * 20) for words in HOSTILE[:4]]) as server:
        opened(driver, server, width, dark=dark)
        driver.find_element("css selector", "#known summary").click()
        until(lambda: driver.find_elements("css selector", "tbody tr"))
        assert not overflowing(driver)
        assert not complaints(driver)
