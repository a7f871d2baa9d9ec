"""Orders become counts of wins: who is put before whom, with ties half each and a stated rule for the unranked."""

import random

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem.sources import orders
from duelbench.problem.sources.importing import import_matrix
from duelbench.problem.sources.orders import read_preflib, read_rankings, read_sushi
from tests.optional_data import optional


@pytest.fixture
def write(tmp_path):
    """Writes a file and returns its path."""

    def write(name: str, text: str):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_complete_sushi_order_is_a_win_for_every_pair(write):
    counts = read_sushi(write("a.order", "3 1\n0 3 2 0 1\n0 3 0 2 1\n0 3 2 1 0\n"))
    assert counts.wins.tolist() == [[0, 2, 1], [1, 0, 0], [2, 3, 0]]
    assert counts.names == ("item 0", "item 1", "item 2")
    assert counts.notes == ("3 orders of 3 arms",)


PARTIAL = "4 1\n0 2 3 1\n0 2 1 0\n0 3 0 3 1\n"


def test_in_partial_sushi_orders_only_pairs_that_are_both_ranked_count(write):
    counts = read_sushi(write("b.order", PARTIAL))
    assert counts.wins.tolist() == [[0, 1, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0]]
    assert counts.notes == ("3 orders of 4 arms", "pairs that an order does not rank both of are ignored")


def test_the_other_convention_lets_the_unranked_lose(write):
    counts = read_sushi(write("b.order", PARTIAL), "lose")
    assert counts.wins.tolist() == [[0, 1, 2, 2], [2, 0, 3, 1], [0, 0, 0, 0], [1, 2, 2, 0]]
    assert "a ranked arm wins against every unranked one" in counts.notes[1]


NEW = """# FILE NAME: x.{kind}
# DATA TYPE: {kind}
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 6
# ALTERNATIVE NAME 1: tea, green
# ALTERNATIVE NAME 2: coffee
# ALTERNATIVE NAME 4: water
"""
OLD = """4
1,tea, green
2,coffee
3,alternative 3
4,water
6,6,3
"""
NAMES = ("tea, green", "coffee", "alternative 3", "water")


@pytest.mark.parametrize("head", [NEW, OLD])
def test_both_syntaxes_of_preflib_are_read_alike(write, head):
    mark = "," if head is OLD else ": "
    text = head.replace("{kind}", "toi") + f"3{mark}1,{{2,4}}\n2{mark}3\n1{mark}{{1, 2}},3,4\n"
    counts = read_preflib(write("x.toi", text))
    assert counts.names == NAMES
    assert counts.wins.tolist() == [[0, 3.5, 4, 4], [0.5, 0, 4, 2.5], [2, 2, 0, 3], [0, 1.5, 3, 0]]
    assert counts.notes[1:3] == ("PrefLib toi: incomplete orders with ties", "in a tie each side has 1/2")


def test_unranked_alternatives_can_be_ignored_and_complete_ballots_need_no_convention(write):
    counts = read_preflib(write("x.soi", NEW.format(kind="soi") + "5: 2,1\n"), "ignore")
    assert counts.wins.tolist() == [[0, 0, 0, 0], [5, 0, 0, 0], [0] * 4, [0] * 4]
    counts = read_preflib(write("x.soc", NEW.format(kind="soc") + "5: 2,1,4,3\n1: 4,3,2,1\n"))
    assert counts.notes == ("6 orders of 4 arms", "PrefLib soc: strict complete orders")
    assert counts.wins[1].tolist() == [6, 0, 5, 5]


SOC, SOI, TOI = (NEW.format(kind=kind) for kind in ("soc", "soi", "toi"))


WRONG_LINES = [
    ("a.order", "10\n0 1 2", "line 1", "as in '10 1'"),
    ("a.order", "5000 1\n", "line 1", "at most 4096"),
    ("a.order", "3 1\n", "holds no orders", ""),
    ("a.order", "3 1\n0 3 0 1\n", "line 2", "an order is 0"),
    ("a.order", "3 1\n\n0 2 0 3\n", "line 3", "does not have"),
    ("a.order", "3 1\n0 2 1 1\n", "line 2", "twice"),
    ("x.soc", f"{SOC}1: 1,2,3\n", "line 8", "ranks 3 of 4 arms"),
    ("x.soi", f"{SOI}1: {{1,2}}\n", "line 8", "has ties"),
    ("x.soi", f"{SOI}1: 5\n", "line 8", "does not have"),
    ("x.soi", f"{SOI}1: 0\n", "line 8", "no numbers from 1"),
    ("x.toi", f"{TOI}1: {{1,2\n", "line 8", "is no order"),
    ("x.soi", f"{SOI}1e3: 1\n", "line 8", "is no order"),
    ("x.soi", f"{SOI}{10**12}: 1\n{10**12}: 1\n", "line 9", "more than 1e+12 orders"),
    ("x.soi", NEW.format(kind="cat") + "1: 1\n", "line 2", "'cat'"),
    ("x.soi", SOI.replace("TIVES: 4", "TIVES: 99999"), "line 3", "at most 4096"),
    ("x.soi", SOI.replace("NAME 4", "NAME 5"), "line 7", "'5' of 4"),
    ("x.soi", OLD.replace("6,6,3", "6,6") + "1,1\n", "line 6", "three totals"),
    ("votes", OLD + "1,1\n", "line 7", "# DATA TYPE"),
    ("lunch.txt", "a > b\na > > c\n", "line 2", "is no ranking"),
    ("lunch.txt", "0: a > b\n", "line 1", "is no ranking"),
    ("lunch.txt", "a > b > a\n", "line 1", "twice"),
    ("lunch.txt", "# nothing\n", "holds no rankings", ""),
]


def test_a_wrong_line_is_named(write):
    for name, text, place, word in WRONG_LINES:
        path = write(name, text)
        read = {"order": read_sushi, "txt": read_rankings}.get(name.partition(".")[2], read_preflib)
        with pytest.raises(InputError) as caught:
            read(path)
        said = str(caught.value)
        assert said.startswith(str(path)) and place in said and word in said


DERIVED = {
    "agh_2003": "00009-00000001",
    "agh_2004": "00009-00000002",
    "tshirt": "00012-00000001",
    "breakfast_overall": "00035-00000002",
    "f1_2005_san_marino": "00053-00000166",
}


@pytest.mark.parametrize("name", DERIVED)
def test_preflib_files_give_the_counts_and_frequencies_derived_from_them_elsewhere(name):
    path = optional("data", "preflib", f"{DERIVED[name]}.soc")
    counts = read_preflib(path)
    assert (counts.wins == np.loadtxt(optional("data", "preflib", f"{name}_wins.txt"))).all()
    expected = np.loadtxt(optional("data", "preflib", f"{name}_P.txt"))
    assert np.abs(counts.matrix().P - expected).max() < 1e-8
    listed = optional("data", "preflib", f"{name}_names.txt").read_text(encoding="utf-8").splitlines()
    assert list(counts.names) == [line.split("\t")[1] for line in listed if not line.startswith("#")]


# The sizes of the files are those at which the work begins to count; what is counted is the work, and not the time.


@pytest.fixture
def adding(monkeypatch):
    """How many orders were added up."""
    added = []
    add = orders._Tally.add
    monkeypatch.setattr(orders._Tally, "add", lambda tally, ballot: added.append(ballot.line) or add(tally, ballot))
    return added


def long_orders(form: str, n_orders: int) -> str:
    """Orders of all of 1,000 arms; each compares a million pairs."""
    numbers = range(1, 1001)
    if form == "preflib":
        head, order = "# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 1000\n", "1: " + ",".join(map(str, numbers))
    elif form == "sushi":
        head, order = "1000 1\n", "0 1000 " + " ".join(str(number - 1) for number in numbers)
    else:
        head, order = "", " > ".join(f"arm {number}" for number in numbers)
    return head + f"{order}\n" * n_orders


@pytest.mark.parametrize("form", ["preflib", "sushi", "rankings"])
def test_a_file_that_would_take_minutes_is_refused_before_anything_is_added_up(write, adding, form):
    path = write("hostile", long_orders(form, orders.MAX_WORK // 10**6))
    with pytest.raises(InputError, match=r"the orders up to line \d+ compare more than 2 billion pairs of arms"):
        import_matrix(path, form)
    assert adding == []


def test_a_ranked_arm_among_many_unranked_ones_is_work_where_these_lose(write, monkeypatch):
    monkeypatch.setattr(orders, "MAX_WORK", 100_000)
    text = "# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 4000\n" + "1: 7\n" * 20
    path = write("a.soi", text)
    assert read_preflib(path, "ignore").notes[0] == "20 orders of 4000 arms"
    with pytest.raises(InputError, match="line 17 compare"):
        read_preflib(path, "lose")


def test_a_data_file_of_endless_lines_is_not_read_to_its_end(write, monkeypatch):
    monkeypatch.setattr("duelbench.problem.sources.text.MAX_DATA_LINES", 10)
    with pytest.raises(InputError, match="has more than 10 lines; add up what is in them first"):
        import_matrix(write("g.csv", "winner,loser\n" + "a,b\n" * 10), "pairs")


def test_orders_in_several_blocks_are_added_up_as_in_one(write, monkeypatch):
    draw = random.Random(8)
    ballots = [list(map(str, draw.sample(range(1, 13), 12))) for _ in range(5)]
    lines = [f"3: {{{','.join(order[:4])}}},{','.join(order[4:])}\n" for order in ballots]
    path = write("a.toc", "# NUMBER ALTERNATIVES: 12\n" + "".join(lines))
    whole = read_preflib(path).wins
    monkeypatch.setattr(orders, "_BLOCK", 30)
    assert np.array_equal(read_preflib(path).wins, whole)
    assert (whole + whole.T == 15 * (1 - np.eye(12))).all()


RANKINGS = "# lunch\ntacos > sushi > pizza\n2: pizza>sushi = tacos\n\nsushi ~ tacos\n"


def test_rankings_in_words_are_counted_as_one_would_by_hand(write):
    counts = read_rankings(write("lunch.txt", RANKINGS))
    assert counts.names == ("tacos", "sushi", "pizza")
    assert counts.wins.tolist() == [[0, 2.5, 1], [1.5, 0, 1], [2, 2, 0]]
    assert counts.notes[0] == "4 orders of 3 arms"
    assert counts.notes[2] == "pairs that an order does not rank both of are ignored"
