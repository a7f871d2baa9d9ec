"""Counts of wins become frequencies; pairs that were compared too rarely are an error or a tie, never a guess."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelbench.errors import InputError
from duelbench.problem import winners
from duelbench.problem.sources.counts import PairCounts, read_count_matrix, read_pairs
from duelbench.problem.sources.importing import import_matrix
from tests.optional_data import optional


@pytest.fixture
def write(tmp_path):
    """Writes a file and returns its path."""

    def write(text: str, name: str = "games.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "winner,loser,count\ntuna,egg,2\negg,tuna,1\ntuna,egg,1\ntuna,squid,0.5\nsquid,tuna,0.5\negg,squid,4\n",
        "tuna,egg,3\negg,tuna,1\ntuna,squid,.5\nsquid,tuna,5e-1\negg,squid,4\n",
        "# a survey\nloser,year,count,Winner\negg,1,3,tuna\ntuna,2,1,egg\nsquid,3,.5,tuna\ntuna,4,.5,squid\n"
        "squid,5,4,egg\n",
    ],
)
def test_results_of_a_pair_add_up(write, text):
    counts = read_pairs(write(text))
    order = [counts.names.index(name) for name in ("tuna", "egg", "squid")]
    assert counts.part(order).wins.tolist() == [[0, 3, 0.5], [1, 0, 4], [0.5, 0, 0]]


def test_without_a_column_of_counts_every_line_is_one_result(write):
    counts = read_pairs(write('winner,loser\n"a, the first",b\nb,"a, the first"\nb,"a, the first"\n'))
    assert (counts.names, counts.wins.tolist()) == (("a, the first", "b"), [[0, 1], [2, 0]])


@pytest.mark.parametrize("sides", [("left", "right"), ("model_a", "model_b"), ("a", "b")])
def test_single_games_name_the_side_that_won_or_a_tie(write, sides):
    one, other = sides
    lines = [f"id,{one},{other},winner", f"1,x,y,{one}", f"2,y,x,{other}", "3,x,y,tie", "4,x,y,tie (both bad)"]
    counts = read_pairs(write("\n".join([*lines, f"5,y,x,{one}"])))
    assert (counts.names, counts.wins.tolist()) == (("x", "y"), [[0, 3], [2, 0]])


def test_judgements_by_pair_give_half_a_win_each_for_a_tie(write):
    counts = read_pairs(
        write(
            "First,second,first_wins,second_wins,ties,judges\ntuna,egg,3,1,1,5\negg,tuna,2,0,0,2\nsquid,egg,0,1,3,4\n"
        )
    )
    assert counts.names == ("tuna", "egg", "squid")
    assert counts.wins.tolist() == [[0, 3.5, 0], [3.5, 0, 2.5], [0, 1.5, 0]]
    without = read_pairs(write("second,first,second_wins,first_wins\na,b,1,2\n"))
    assert (without.names, without.wins.tolist()) == (("b", "a"), [[0, 2], [1, 0]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("first,second,first_wins,second_wins\na,b,1\n", "line 2: 3 cells, but the first line has 4"),
        ("first,second,first_wins,second_wins\na,b,1,x\n", "line 2: the second_wins is 'x'; write a number from 0"),
        ("first,second,first_wins,second_wins,ties\na,b,1,2,\n", "line 2: the ties is ''; write a number from 0"),
        ("first,second,first_wins,second_wins\na,a,1,2\n", "line 2: 'a' meets itself; remove the line"),
        (
            "first,second,first_wins\na,b,1\n",
            "line 1: begin with a line of column names: .* first,second,first_wins,sec",
        ),
        ("red,blue\n", "line 1: begin with a line of column names: winner,loser,count"),
        ("winner,count\n", "line 1: begin with a line of column names"),
        ("winner,loser\n", "holds no results; it needs lines such as 'winner,loser,count'"),
        ("winner,loser\na,b,c\n", "line 2: 3 cells, but the first line has 2; quote commas"),
        ("winner,loser,count\na,b,many\n", "line 2: the count is 'many'; write a number from 0 to 1e"),
        ("winner,loser,count\na,b,-1\n", "line 2: the count is '-1'"),
        ("winner,loser,count\na,b,nan\n", "line 2: the count is 'nan'"),
        ("winner,loser,count\na,b,1_0\n", "line 2: the count is '1_0'"),
        ("winner,loser,count\na,b,1e13\n", "line 2: the count is '1e13'"),
        ("winner,loser\na,a\n", "line 2: 'a' meets itself; remove the line"),
        ("winner,loser\na,\n", "line 2: a name is empty; name both sides"),
        ("left,right,winner\na,b,a\n", "line 2: the winner is 'a'; write left, right or tie"),
        ('winner,loser\n"a,b\n', "line 2 is no CSV"),
        (
            "winner,loser\n" + "".join(f"{k},x\n" for k in range(5000)),
            "line 4097: 4097 arms; at most 4096 are supported",
        ),
    ],
)
def test_a_wrong_table_is_refused_with_line_and_mend(write, text, message):
    path = write(text)
    with pytest.raises(InputError, match=message) as caught:
        read_pairs(path)
    assert str(caught.value).startswith(str(path))


def test_a_square_table_of_counts_is_read_with_or_without_names(write):
    plain = read_count_matrix(write("0 3\n1 0\n", "wins.txt"))
    named = read_count_matrix(write("tuna,egg\n0,3\n1,0\n"))
    assert plain.wins.tolist() == named.wins.tolist() == [[0, 3], [1, 0]]
    assert (plain.names, named.names) == (("0", "1"), ("tuna", "egg"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 3\n-1 0\n", r"row 2, column 1 \(counted from 1\) is -1, but a count is a number from 0"),
        ("0 3\nnan 0\n", "row 2, column 1 .* is nan, but a count"),
        ("2 3\n1 0\n", "row 1, column 1 .* is 2, but an arm never meets itself: write 0"),
        ("0 3 1\n1 0 1\n", "2 row"),
    ],
)
def test_a_wrong_table_of_counts_is_refused_with_row_and_column(write, text, message):
    with pytest.raises(InputError, match=message):
        read_count_matrix(write(text))


def made(wins) -> PairCounts:
    return PairCounts(np.array(wins, dtype=float), tuple("abcdefgh"[: len(wins)]), "made.csv")


def test_pairs_that_never_met_are_named_unless_they_shall_be_ties():
    counts = made([[0, 3, 0], [1, 0, 2], [0, 2, 0]])
    with pytest.raises(InputError, match=r"never compared: a and c; .*--missing half"):
        counts.matrix()
    assert counts.matrix(missing="half").P.tolist() == [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]]


def test_a_minimum_of_comparisons_names_all_pairs_below_it():
    counts = made([[0, 3, 5], [1, 0, 2], [5, 1, 0]])
    with pytest.raises(InputError, match=r"less than 5 times: a and b \(4 times\); b and c \(3 times\)"):
        counts.matrix(min_count=5)
    assert counts.matrix(min_count=5, missing="half").P[0].tolist() == [0.5, 0.5, 0.5]
    assert counts.matrix(min_count=4, missing="half").P[0].tolist() == [0.5, 0.75, 0.5]


def test_a_message_lists_a_few_pairs_and_counts_the_others():
    with pytest.raises(InputError, match=r"and 23 more"):
        made(np.zeros((8, 8))).matrix()


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=1))
def test_frequencies_are_exact_to_the_last_digit_but_one(pair):
    [(won, lost)] = pair
    if won + lost == 0:
        return
    P = made([[0, won], [lost, 0]]).matrix().P
    assert abs(Fraction(P[0, 1]) - Fraction(won, won + lost)) <= Fraction(1, 2**53)
    assert Fraction(P[0, 1]) + Fraction(P[1, 0]) == 1
    assert (P[0, 1] == 0.5) == (won == lost)


def test_atp_and_glasgow_counts_have_their_known_winners():
    atp = import_matrix(optional("data", "sports", "atp_2000_2024_min5_wins.txt"), min_count=5)
    assert (atp.form, winners.condorcet_winner(atp.matrix), len(winners.ties(atp.matrix))) == ("counts", 2, 3)
    glasgow = import_matrix(optional("data", "preflib", "glasgow_govan_2007_wins.txt")).matrix
    assert winners.copeland_winners(glasgow) == (2, 3, 5)
    expected = np.loadtxt(optional("data", "preflib", "glasgow_govan_2007_P.txt"))
    assert np.abs(glasgow.P - expected).max() < 1e-8


def test_single_games_of_language_models_give_the_counts_derived_from_them_elsewhere():
    counts = read_pairs(optional("data", "llm", "llmfao.csv"))
    assert (len(counts.names), counts.wins.sum()) == (59, 8931)
    names = optional("data", "llm", "llmfao_clique3_names.txt").read_text(encoding="utf-8").splitlines()
    clique = counts.part([counts.names.index(name) for name in names])
    assert (clique.wins == np.loadtxt(optional("data", "llm", "llmfao_clique3_wins.txt"))).all()
    matrix = clique.matrix(min_count=3)
    assert winners.condorcet_winner(matrix) is None
    assert (winners.copeland_winners(matrix), winners.inferior_counts(matrix).max()) == ((5,), 13)
    assert len(winners.ties(matrix)) == 6
