"""Orders become counts of wins: who is put before whom, with ties half each and a stated rule for the unranked."""

import random

import numpy as np
import pytest

from duelbench.data import orders
from duelbench.data.importing import import_matrix
from duelbench.data.orders import read_preflib, read_rankings, read_sushi
from duelbench.errors import InputError
from tests.optional_data import optional

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


ALTERNATIVES = "tea, green;coffee;alternative 3;water"
TOI_ORDERS = "3: 1,{2,4}\n2: 3\n1: {1, 2},3,4\n"
PARTIAL = "4 1\n0 2 3 1\n0 2 1 0\n0 3 0 3 1\n"
ITEMS = "item 0;item 1;item 2;item 3"
RANKINGS = "# lunch\ntacos > sushi > pizza\n2: pizza>sushi = tacos\n\nsushi ~ tacos\n"
IGNORED = "an order counts only for pairs of which it ranks both arms"
LOSE, IGNORE = {"unranked": "lose"}, {"unranked": "ignore"}
NONE = [0, 0, 0, 0]
# Reader, text, options, names, wins, and the last note.
TABLE = [
    (
        read_sushi,
        "3 1\n0 3 2 0 1\n0 3 0 2 1\n",
        {},
        ITEMS[:20],
        [[0, 2, 1], [0, 0, 0], [1, 2, 0]],
        "2 orders of 3 arms",
    ),
    (read_sushi, PARTIAL, {}, ITEMS, [[0, 1, 0, 1], [1, 0, 0, 0], NONE, [0, 2, 0, 0]], IGNORED),
    (read_sushi, PARTIAL, LOSE, ITEMS, [[0, 1, 2, 2], [2, 0, 3, 1], NONE, [1, 2, 2, 0]], "a ranked arm wins"),
    *(
        (read_preflib, text, {}, ALTERNATIVES, [[0, 3.5, 4, 4], [0.5, 0, 4, 2.5], [2, 2, 0, 3], [0, 1.5, 3, 0]], "")
        for text in (NEW.format(kind="toi") + TOI_ORDERS, OLD + TOI_ORDERS.replace(": ", ","))
    ),
    (
        read_preflib,
        NEW.format(kind="soi") + "5: 2,1\n",
        IGNORE,
        ALTERNATIVES,
        [NONE, [5, 0, 0, 0], NONE, NONE],
        IGNORED,
    ),
    (
        read_preflib,
        NEW.format(kind="soc") + "5: 2,1,4,3\n1: 4,3,2,1\n",
        {},
        ALTERNATIVES,
        [[0, 0, 5, 5], [6, 0, 5, 5], [1, 1, 0, 0], [1, 1, 6, 0]],
        "PrefLib soc: strict complete orders",
    ),
    (read_rankings, RANKINGS, {}, "tacos;sushi;pizza", [[0, 2.5, 1], [1.5, 0, 1], [2, 2, 0]], IGNORED),
]


def test_orders_are_counted_as_one_would_by_hand(write):
    for read, text, options, names, wins, note in TABLE:
        counts = read(write(text, "x.toi"), **options)
        assert ";".join(counts.names) == names
        assert counts.wins.tolist() == wins, text
        assert counts.notes[0].endswith(f" orders of {len(wins)} arms") and counts.notes[-1].startswith(note)


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
    ("x.soi", f"{SOI}1: 0\n", "line 8", "numbers from 1"),
    ("x.toi", f"{TOI}1: {{1,2\n", "line 8", "is not an order"),
    ("x.soi", f"{SOI}1e3: 1\n", "line 8", "is not an order"),
    ("x.soi", f"{SOI}{10**12}: 1\n{10**12}: 1\n", "line 9", "more than 1e+12 orders"),
    ("x.soi", NEW.format(kind="cat") + "1: 1\n", "line 2", "'cat'"),
    ("x.soi", SOI.replace("TIVES: 4", "TIVES: 99999"), "line 3", "at most 4096"),
    ("x.soi", SOI.replace("NAME 4", "NAME 5"), "line 7", "'5' of 4"),
    ("x.soi", OLD.replace("6,6,3", "6,6") + "1,1\n", "line 6", "three totals"),
    ("votes", OLD + "1,1\n", "line 7", "# DATA TYPE"),
    ("lunch.txt", "a > b\na > > c\n", "line 2", "is not a ranking"),
    ("lunch.txt", "0: a > b\n", "line 1", "is not a ranking"),
    ("lunch.txt", "a > b > a\n", "line 1", "twice"),
    ("lunch.txt", "# nothing\n", "holds no rankings", ""),
]


def test_a_wrong_line_is_named(write):
    for name, text, place, word in WRONG_LINES:
        path = write(text, name)
        read = {"order": read_sushi, "txt": read_rankings}.get(name.partition(".")[2], read_preflib)
        with pytest.raises(InputError) as caught:
            read(path)
        said = str(caught.value)
        assert said.startswith(str(path)) and place in said and word in said


DERIVED = {
    "agh_2003": "00009-00000001",
    "tshirt": "00012-00000001",
    "breakfast_overall": "00035-00000002",
    "f1_2005_san_marino": "00053-00000166",
}


def test_preflib_files_give_the_counts_derived_from_them_elsewhere():
    for name, file in DERIVED.items():
        counts = read_preflib(optional("data", "preflib", f"{file}.soc"))
        assert (counts.wins == np.loadtxt(optional("data", "preflib", f"{name}_wins.txt"))).all()
        listed = optional("data", "preflib", f"{name}_names.txt").read_text(encoding="utf-8").splitlines()
        assert list(counts.names) == [line.split("\t")[1] for line in listed if not line.startswith("#")]


def test_files_of_too_much_work_are_refused_before_anything_is_added_up(write, monkeypatch):
    monkeypatch.setattr(orders, "_added_up", lambda *_: pytest.fail("added up"))
    monkeypatch.setattr(orders, "MAX_PAIRS", 100_000)
    numbers = [str(number) for number in range(1, 101)]
    for form, head, order in (  # 10,000 pairs of 100 arms in each order
        ("preflib", "# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 100\n", "1: " + ",".join(numbers)),
        ("sushi", "101 1\n", "0 100 " + " ".join(numbers)),
        ("rankings", "", " > ".join(f"arm {number}" for number in numbers)),
    ):
        with pytest.raises(InputError, match=r"the orders up to line \d+ compare more than"):
            import_matrix(write(head + f"{order}\n" * 12), form)


def test_a_ranked_arm_among_many_unranked_ones_is_work_where_these_lose(write, monkeypatch):
    monkeypatch.setattr(orders, "MAX_PAIRS", 16_500)
    path = write("# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 1000\n" + "1: 7\n" * 20)
    assert read_preflib(path, "ignore").notes[0] == "20 orders of 1000 arms"
    with pytest.raises(InputError, match="line 19 compare"):
        read_preflib(path, "lose")
    monkeypatch.setattr("duelbench.bandits.problem.matrix_files.MAX_LINES", 10)
    with pytest.raises(InputError, match="more than 10 lines"):
        import_matrix(write("winner,loser\n" + "a,b\n" * 10), "pairs")


def test_orders_in_several_blocks_are_added_up_as_in_one(write, monkeypatch):
    draw = random.Random(8)
    ballots = [list(map(str, draw.sample(range(1, 13), 12))) for _ in range(5)]
    lines = [f"3: {{{','.join(order[:4])}}},{','.join(order[4:])}\n" for order in ballots]
    path = write("# NUMBER ALTERNATIVES: 12\n" + "".join(lines), "a.toc")
    whole = read_preflib(path).wins
    monkeypatch.setattr(orders, "_BLOCK", 30)
    assert np.array_equal(read_preflib(path).wins, whole)
    assert (whole + whole.T == 15 * (1 - np.eye(12))).all()


def test_a_name_may_begin_with_the_sign_of_a_comment(write):
    counts = read_rankings(write("# lunch\nash > #1 pick\n#1 pick > ash\n#1 pick > ash\n"))
    assert counts.names == ("ash", "#1 pick") and counts.wins.tolist() == [[0, 1], [2, 0]]
    assert counts.notes[-1] == "the first line is a comment (#)"
