"""The page of a session shows the ranking at its end, and takes it away when the last answer is taken back."""

import pytest

from duelbench import Session
from tests.browser import DESK, PHONE, browser, complaints, overflowing, visit
from tests.judging.test_web_desk import ARMS, desk_of, number
from tests.judging.test_web_page import text, until
from tests.judging.web_serving import serving


def test_the_desk_hands_out_the_ranking_after_the_last_answer_only():
    with Session("random", arms=ARMS, seed=1) as session:
        desk = desk_of(session, budget=1)
        view = desk.look("a")
        assert view["result"] is None
        result = desk.answer("a", number(view), "first")["result"]
        assert "is ahead: it won 100% of 1 comparison" in result["sentences"][0] and len(result["arms"]) == 3
        assert desk.undo("a")["result"] is None


def test_the_result_repeats_what_the_session_has_decided_with_its_conditions():
    with Session("random", arms=ARMS, seed=1) as session:
        while session.ask() is not None:
            for pair in session.out:
                session.tell(pair, min(pair, key=ARMS.index))
        words = desk_of(session).look("a")["result"]["sentences"]
    assert words[0].startswith("tea is best") and "if one arm beats all others and answers are independent" in words[-1]


@pytest.mark.slow
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_the_page_shows_sentence_and_table_at_the_end(width, tmp_path):
    with Session("random", arms=ARMS, seed=1) as session, browser(tmp_path / "browser") as driver:
        for other in ARMS[1:]:
            session.tell(("tea", other), "tea", evidence=True)
        with serving(session, budget=2) as server:
            visit(driver, server.address.url, width)
            until(lambda: "tea is ahead" in text(driver, "ranked"))
            assert text(driver, "places").startswith("tea") and "Strength is the share" in text(driver, "meaning")
            assert not driver.find_element("id", "pair").is_displayed()
            assert (complaints(driver), overflowing(driver)) == ([], [])
