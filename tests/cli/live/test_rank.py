"""``duelbench rank``: sentences, tables and files of a ranking, also at the end of a session; wrong input."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

import duelbench
from duelbench.data.votes import read_votes
from tests.browser import DESK, PHONE, browser, complaints, overflowing, visit
from tests.cli.commands import done, refused
from tests.common.pages.test_page import Parsed

FIRST = shlex.join([sys.executable, "-S", "-E", "-c", "import sys; print(min(sys.argv[1:]))"])


@pytest.fixture
def votes(here):
    """The working folder, with ties and two judges in votes.csv: tea wins 12 of 14, and two ties; milk 9 of 12."""
    lines = ["model_a,model_b,winner,judge,prompt", "tea,milk,tie,ann,p0", "milk,tea,tie,bob,p1"]
    lines += ["tea,milk,model_a,ann,p2"] * 6 + ["water,tea,model_b,bob,p3"] * 6 + ["tea,water,model_b,ann,p4"] * 2
    lines += ["milk,water,model_a,bob,p5"] * 9 + ["milk,water,model_b,ann,p6"] * 3
    (here / "votes.csv").write_text("\n".join(lines))
    return here


def test_the_sentence_comes_first_then_the_table_of_arms_pairs_and_judges(votes):
    result = done("rank", "votes.csv")
    lines = result.stdout.splitlines()
    assert lines[0] == "tea is ahead: it won 81% of 16 comparisons; the next, milk, is not clearly behind."
    assert [line.split()[:4] for line in lines[2:] if line.startswith(("tea ", "milk ", "water "))][:3] == [
        ["tea", "16", "13", "81%"],
        ["milk", "20", "10", "50%"],
        ["water", "20", "5", "25%"],
    ]
    assert any(re.match(r"tea against milk +8 +\d\d% +\d\d% to \d\d%$", line) for line in lines)
    assert [line.split()[:3] for line in lines if line.startswith(("ann", "bob"))] == [
        ["bob", "16", "1"],
        ["ann", "12", "1"],
    ]
    assert "Its 95% interval is an ordinary one: it holds for one look" in result.stdout
    assert "28 votes on 3 arms in model_a, model_b, winner, judge, prompt; 2 ties" in result.stderr


def test_json_has_the_matrix_of_wins_and_no_numbers_that_json_does_not_know(votes):
    (votes / "groups.csv").write_text("winner,loser,n\na,b,3\nc,d,1\n")
    content = json.loads(done("rank", "votes.csv", "groups.csv", "--json").stdout, parse_constant=pytest.fail)
    assert content["groups"] == [["tea", "milk", "water"], ["a", "b"], ["c", "d"]] and content["best"] is None
    assert content["headline"].endswith("not even through others: tea, milk, water | a, b | c, d.")
    assert [row[:3] for row in content["wins"][:3]] == [[0, 7, 6], [1, 0, 9], [2, 3, 0]]
    assert content["ties"][0][1] == 2 and content["arms"][3]["group"] == 2 and content["arms"][3]["won"] == 3
    assert [(pair["first"], pair["second"]) for pair in content["worth_asking"]] == [("tea", "a"), ("tea", "c")]


def test_columns_and_judges_are_chosen_as_in_matrix_import(votes):
    (votes / "other.csv").write_text("left,right,choice,weight\ntea,milk,tea,100\nmilk,tea,milk,100\n")
    words = ["rank", "other.csv", "--columns", "a=left,b=right,winner=choice", "--ignore", "weight"]
    assert json.loads(done(*words, "--json").stdout)["wins"] == [[0, 1], [1, 0]]
    without = json.loads(done("rank", "votes.csv", "--without-judge", "ann", "--json").stdout)
    Path("votes.csv").write_text(Path("votes.csv").read_text().replace("bob", ""))
    assert json.loads(done("rank", "votes.csv", "--json").stdout)["judges"] == []  # one has a name
    compared = {arm["name"]: arm["comparisons"] for arm in without["arms"]}
    assert without["judges"] == [] and compared == {"tea": 7, "milk": 10, "water": 15}


def test_the_csv_of_answers_can_be_ranked_again(votes):
    first = json.loads(done("rank", "votes.csv", "--csv", "answers.csv", "--json").stdout)
    lines = Path("answers.csv").read_text().splitlines()
    assert lines[:2] == ["judge,time,first,second,winner,weight,input,source", "ann,,tea,milk,tie,1.0,p0,votes.csv"]
    again = json.loads(done("rank", "answers.csv", "--json").stdout)
    assert again["arms"] == first["arms"] and again["judges"] == first["judges"]


@pytest.mark.parametrize(("ending", "beginning"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_the_picture_of_the_intervals_is_written_in_each_format(votes, ending, beginning):
    Path(f"strengths.{ending}").write_text("an earlier one")
    done("rank", "votes.csv", "--plot", f"strengths.{ending}")
    assert Path(f"strengths.{ending}").read_bytes().startswith(beginning)


def test_the_page_has_the_sentence_pictures_and_tables_and_loads_nothing(votes):
    lines = Path("votes.csv").read_text() + "\n" + "\n".join(["<b>&,tea,<b>&,ann,p7"] * 4)
    Path("votes.csv").write_text(lines)
    done("rank", "votes.csv", "--html", "report.html")
    html = Path("report.html").read_text()
    page = Parsed(html)
    headline = done("rank", "votes.csv").stdout.splitlines()[0]
    assert headline in page.texts and "<b>&" in page.texts
    assert [tag for tag, _ in page.elements].count("figure") == 2
    assert [tag for tag, _ in page.elements].count("table") == 3
    assert "http" not in html.replace('http-equiv="Content', "")
    places = page.attributes("href") + page.attributes("src")
    assert {place.partition(",")[0] for place in places if place[0] != "#"} <= {"data:", "data:image/png;base64"}


@pytest.mark.slow
def test_the_page_fits_a_desk_and_a_phone_and_its_tables_sort(votes):
    names = [f"a rather long name of arm {k}" for k in range(24)]
    lines = ["winner,loser", *(f"{names[i]},{names[j]}" for i in range(24) for j in range(i + 1, 24))]
    Path("many.csv").write_text("\n".join(lines))
    for name in ("votes", "many"):
        done("rank", f"{name}.csv", "--html", f"{name}.html")
    with browser(votes / "browser") as driver:
        for name in ("votes", "many"):
            for width in (DESK, PHONE):
                for dark in (False, True):
                    visit(driver, votes / f"{name}.html", width, dark=dark)
                    assert (complaints(driver), overflowing(driver)) == ([], [])
        visit(driver, votes / "votes.html", DESK)
        driver.find_element("css selector", "thead th:nth-child(2) button").send_keys("\n")
        assert driver.find_element("css selector", "tbody th").text == "tea"  # with the fewest comparisons


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.csv"], "nothing.csv: there is no such file"),
        (["empty.csv"], "empty.csv: holds no votes"),
        (["zero.csv"], "zero.csv: holds no answers yet; there is nothing to rank"),
        (["votes.csv", "votes.csv"], "is named twice"),
        (["votes.csv", "--html", "page.txt"], "--html page.txt: name a file that ends with .html or .htm"),
        (["votes.csv", "--plot", "p.jpg"], "--plot p.jpg: name a file that ends with .png or .pdf or .svg"),
        (["votes.csv", "--csv", "votes.csv"], "--csv votes.csv: is the input; name another file"),
        (["votes.csv", "--without-judge", "zoe"], "there is no judge 'zoe' to leave out"),
        (["votes.csv", "--html", "votes.csv/x.html"], "--html votes.csv/x.html: cannot be written"),
        (["votes.csv", "--columns", "a=left"], "left"),
    ],
)
def test_wrong_input_is_named_and_nothing_is_written(votes, words, message):
    Path("empty.csv").write_text("winner,loser\n")
    Path("zero.csv").write_text("0,0\n0,0\n")
    assert message in refused("rank", *words)


def test_a_session_names_its_report_and_its_log_is_ranked_with_what_the_session_says(here):
    Path("dishes.txt").write_text("egg\nsquid\ntuna\n")
    beside = done("live", "dishes.txt", "--exec", FIRST, "--judge", "min").stderr
    assert "a report: duelbench rank dishes.jsonl --html dishes.html\n" in beside
    ranked = done("rank", "dishes.jsonl").stdout
    assert "says: " in ranked and "egg is the best; if one arm beats all others and answers are independent" in ranked
    assert "Every pair that came again, with the same input if there are inputs, got the same answer." in ranked
    with duelbench.Session.open("dishes.jsonl", read_only=True) as session:
        table = duelbench.rank("dishes.jsonl").table
        assert [tuple(row) for row in table[["strength", "strength_low", "strength_high"]].to_numpy()] == [
            *session.strengths().values()
        ]


def test_a_session_writes_its_page_when_it_ends_unless_there_are_no_answers(here):
    Path("dishes.txt").write_text("egg\nsquid\ntuna\n")
    assert "no answers yet" in done("live", "dishes.txt", "--html", "dishes.html", said="q\n").stderr
    assert not Path("dishes.html").exists()
    assert "wrote dishes.html" in done("live", "dishes.txt", "--html", "dishes.html", said="1\n2\nq\n").stderr
    assert "Which is best?" in Path("dishes.html").read_text()
    done("live", "dishes.jsonl", "--html", "again.html")
    assert Path("again.html").read_text() == Path("dishes.html").read_text()
    assert "ends with .html" in refused("live", "dishes.txt", "--html", "dishes.txt")


def test_several_logs_are_ranked_together(here):
    for name in ("ann", "bob"):
        with duelbench.Session("random", ["tea", "milk"], log=f"{name}.jsonl") as session:
            for _ in range(4):
                session.tell(session.ask(), "tea", judge=name)
    content = json.loads(done("rank", "ann.jsonl", "bob.jsonl", "--json").stdout)
    assert content["wins"] == [[0, 8], [0, 0]] and [row["judge"] for row in content["judges"]] == ["ann", "bob"]
    assert [session["log"] for session in content["sessions"]] == ["ann.jsonl", "bob.jsonl"]
    assert duelbench.rank(read_votes(["ann.jsonl", "bob.jsonl"])).table.won.tolist() == [8, 0]
