"""Votes are read from files as people have them; nothing is guessed in silence, and every message names its line."""

import json
import re
from collections.abc import Sequence

import numpy as np
import pytest

import duelbench
from duelbench.cli.live.rank import lines_of
from duelbench.data.columns import NAMES, SIDES
from duelbench.data.votes import detect, read_votes
from duelbench.errors import InputError
from duelbench.judging.ranking.page import page_of

GAMES = [
    {"model_a": "ash", "model_b": "oak", "winner": "model_a"},
    {"model_a": "oak", "model_b": "ash", "winner": "tie"},
]

ASH_OAK = [[0, 1.5], [0.5, 0]]
"""A win of ash, and a tie."""

READ = {
    "commas": "model_a,model_b,winner\nash,oak,model_a\noak,ash,tie\n",
    "tabs": "model_a\tmodel_b\twinner\nash\toak\tmodel_a\noak\tash\ttie\n",
    "semicolons": "model_a;model_b;winner\nash;oak;model_a\noak;ash;tie\n",
    "tabs beside commas": "one, two, three, four\ta\tb\twinner\n1, 2\tash\toak\ta\n3\toak\tash\ttie\n",
    "commas beside semicolons": "prompt;a;b;c,a,b,winner\nx;y,ash,oak,a\nz,oak,ash,tie\n",
    "decimal commas": "winner;loser;weight\nash;oak;1,5\noak;ash;0,5\n",
    "line breaks": 'prompt,model_a,model_b,winner\n"Write\na ""poem"".\n",ash,oak,model_a\n"x, y",oak,ash,tie\n',
    "mark": "\ufeffmodel_a,model_b,winner\nash,oak,model_a\noak,ash,tie\n",
    "carriage returns": "model_a,model_b,winner\r\nash,oak,model_a\r\noak,ash,tie\r\n",
    "Excel": "sep=;\r\nmodel_a;model_b;winner\r\nash;oak;model_a\r\noak;ash;tie\r\n",
    "empty columns": "model_a,model_b,winner,,\nash,oak,model_a,,\noak,ash,tie,,\n,,,,\n",
    "comments": "# of May\nmodel_a,model_b,winner\nash,oak,model_a\noak,ash,tie\n",
    "JSON": json.dumps(GAMES),
    "indented JSON": json.dumps(GAMES, indent=2),
    "JSON lines": "\n".join(map(json.dumps, GAMES)),
    "weighed JSON lines": '{"winner": "ash", "loser": "oak", "n": 1.5}\n{"winner": "oak", "loser": "ash", "n": 0.5}',
    "JSON columns": json.dumps({key: [game[key] for game in GAMES] for key in GAMES[0]}),
    "pandas JSON": json.dumps({key: {str(k): game[key] for k, game in enumerate(GAMES)} for key in GAMES[0]}),
    "JSON in an object": json.dumps({"votes": GAMES}),
    "names": "left,right,label\nash,oak,ash\noak,ash,tie\n",
    "letters": "option1,option2,choice\nash,oak,A\noak,ash,Tie\n",
    "numbers": "first,second,winner,n\nash,oak,1,1\noak,ash,2,0\noak,ash,equal,1\n",
    "points of the first": "white,black,result,n\nash,oak,1,1\noak,ash,0.5,1\noak,ash,0,0\n",
    "verdicts": "a,b,verdict\nash,oak,A>>B\noak,ash,[[A=B]]\n",
    "verdicts in brackets": "a,b,verdict\nash,oak,[[A]]\noak,ash,[[C]]\n",
    "chess": "white,black,result\nash,oak,1-0\noak,ash,1/2-1/2\n",
    "bad ties": "model_a,model_b,winner\nash,oak,model_a\noak,ash,tie (bothbad)\n",
    "empty with a flag": "model_a,model_b,winner,tie\nash,oak,model_a,0\noak,ash,,1\n",
    "winner, loser and flag": "winner,loser,tie\nash,oak,0\noak,ash,1\n",
    "winner, loser and number": "winner,loser,n\nash,oak,1.5\noak,ash,0.5\n",
    "sums": "first,second,first_wins,second_wins,ties\nash,oak,1,0,1\n",
    "one of three": "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nash,oak,1,0,0\noak,ash,0,0,1\n",
    "goals": "home,away,home_goals,away_goals\nash,oak,3,1\noak,ash,2,2\noak,ash,,\n",
    "football": "Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR\n1/5,ash,oak,3,1,H\n2/5,oak,ash,2,2,D\n3/5,oak,ash,,,\n",
    "goals beside a winner": "home,away,home_score,away_score,winner\nash,oak,1,3,home\noak,ash,2,1,tie\n",
    "football without goals": "home_team,away_team,FTR\nash,oak,H\noak,ash,D\n",
    "decimal points": "prompt;model;score\np;ash;1.250\np;oak;0.5\nq;oak;7\nq;ash;7\n",
    "scores": "prompt,model,score\np,ash,0.9\np,oak,0.1\nq,oak,7\nq,ash,7\n",
    "ranks": "occasion,player,rank\np,ash,1\np,oak,2\nq,oak,1\nq,ash,1\n",
    "scores of judges": "item,judge,arm,score\np,x,ash,9\np,x,oak,1\np,y,ash,7\np,y,oak,7\n",
    "a square table": ",ash,oak\nash,0,1.5\noak,0.5,0\n",
    "a square table in JSON": '[["", "ash", "oak"],\n["ash", 0, 1.5],\n["oak", 0.5, 0]]',
    "a square table of R": '"ash" "oak"\n"ash" 0 1.5\n"oak" 0.5 0\n',
    "a square table with blanks": "ash;oak\n-;1,5\n0,5;-\n",
    "words": "ash > oak\nash = oak\n",
    "ballots": "#/Candidates: ash ; oak\nme || ash > oak\nash = oak * 1 # shrug\n/EMPTY_RANKING/ * 4\n",
    "PrefLib": "# NUMBER ALTERNATIVES: 2\n# DATA TYPE: toc\n# ALTERNATIVE NAME 1: ash\n# ALTERNATIVE NAME 2: oak\n"
    "1: 1,2\n1: {1,2}\n",
    "PrefLib from 0": "# NUMBER ALTERNATIVES: 2\n# DATA TYPE: toc\n# ALTERNATIVE NAME 0: ash\n"
    "# ALTERNATIVE NAME 1: oak\n1: 0,1\n1: {0,1}\n",
}


@pytest.mark.parametrize("name", READ)
def test_a_win_of_ash_and_a_tie_are_read_from_every_format(write, name):
    votes = read_votes(write(READ[name]))
    order = [votes.arms.index(arm) for arm in ("ash", "oak")]
    assert votes.wins()[np.ix_(order, order)].tolist() == ASH_OAK
    rows = votes.rows
    assert rows.weight[rows.winner != "oak"].sum() >= 1.5 and set(rows.source) == set(votes.sources)


@pytest.mark.parametrize(
    "ending", ["1st,2nd,3rd", "rank1,rank2,rank3", "place_1,place_2,place_3", "first,second,third"]
)
def test_a_ranking_may_have_a_column_for_each_place(write, ending):
    votes = read_votes(write(f"judge,{ending},count\nx,ash,oak,elm,2\ny,elm,ash,,1\n"))
    assert votes.arms == ("ash", "oak", "elm")
    assert votes.wins().tolist() == [[0, 2, 2], [0, 0, 2], [1, 0, 0]]
    assert read_votes(write(f"judge,{ending}\nx,ash,oak,elm\ny,elm,ash,\n"), without=["x"]).wins().sum() == 1


def test_marks_of_ballots_without_a_choice_are_left_out_with_a_note(write):
    votes = read_votes(write("rank1,rank2,rank3\nash,skipped,oak\nOvervote,oak,ash\nundervote,undervote,undervote\n"))
    assert votes.arms == ("ash", "oak") and votes.wins().tolist() == [[0, 1], [1, 0]]
    left_out = "left out, as if the cells were empty: skipped (1 cell), Overvote (1 cell), undervote (3 cells)"
    assert any(left_out in note for note in votes.notes)


@pytest.mark.parametrize("sides", SIDES)
def test_sides_have_many_names(write, sides):
    first, second = sides
    votes = read_votes(write(f"{first},{second},winner\nash,oak,{first}\nash,oak,{second}\nash,oak,oak\n"))
    assert votes.wins().tolist() == [[0, 1], [2, 0]]


@pytest.mark.parametrize("weight", NAMES["weight"])
def test_a_column_that_weighs_counts(write, weight):
    assert read_votes(write(f"winner,loser,{weight}\na,b,3\nb,a,1\n")).wins().tolist() == [[0, 3], [1, 0]]


@pytest.mark.parametrize("flag", NAMES["tie"])
def test_a_column_says_that_a_game_was_a_tie(write, flag):
    assert read_votes(write(f"winner,loser,{flag}\na,b,True\nb,a,False\na,b,\n")).wins().tolist() == [
        [0, 1.5],
        [1.5, 0],
    ]


def test_the_note_says_what_a_file_was_taken_for_and_what_is_not_used(write):
    text = "model_a,model_b,winner,language,turn\nash,oak,model_a,en,1\noak,ash,tie,fr,2\n"
    path = write(text, "votes.csv")
    assert read_votes(path).notes == (
        f"{path}: 2 votes on 2 arms in model_a, model_b, winner; 1 tie",
        f"{path}: columns not used: language, turn",
    )
    path = write("home,away,home_goals,away_goals\nash,oak,3,1\noak,ash,,\n")
    assert read_votes(path).notes[-1] == f"{path}: left out: 1 row without a result"


def test_rows_keep_judge_time_input_and_line(write):
    path = write("question_id,model_a,model_b,winner,judge,tstamp\nq1,ash,oak,model_a,me,1.5\n\nq2,oak,ash,tie,you,2\n")
    rows = read_votes(path).rows
    assert [*rows.columns] == ["first", "second", "winner", "weight", "judge", "time", "input", "source", "line"]
    assert rows.values.tolist() == [
        ["ash", "oak", "ash", 1.0, "me", "1.5", "q1", str(path), 2],
        ["oak", "ash", None, 1.0, "you", "2", "q2", str(path), 4],
    ]


def test_lines_are_counted_through_cells_with_line_breaks_and_through_json(write):
    path = write('prompt,winner,loser\n"two\nlines",ash,oak\np,ash,ash\n')
    with pytest.raises(InputError, match=f"^{path}: line 4: 'ash' is compared with itself"):
        read_votes(path)
    path = write(json.dumps([*GAMES, {"model_a": "ash", "model_b": "oak", "winner": "elm"}], indent=0))
    with pytest.raises(InputError, match=f"^{path}: line 12: the winner is 'elm'"):
        read_votes(path)


def test_columns_can_be_named(write):
    text = "links,rechts,wahl,loser\nash,oak,ash,x\noak,ash,tie,x\n"
    path = write(text)
    assert read_votes(path, columns={"a": "links", "b": "Rechts", "winner": "wahl"}).wins().tolist() == ASH_OAK
    numbered = write("links,rechts,wahl\n1,2,1\n2,1,1\n3,1,3\n")
    assert read_votes(numbered, columns={"a": "links", "b": "rechts", "winner": "wahl"}).wins()[0, 1] == 2
    path = write("best,other,times\nash,oak,1.5\noak,ash,.5\n")
    columns = {"winner": "best", "loser": "other", "weight": "times"}
    assert read_votes(path, columns=columns).wins().tolist() == ASH_OAK
    for wrong, message in (
        ({"winner": "bset"}, r"no column 'bset' \(did you mean 'best'\?\); the columns are best, other, times"),
        ({"winner": "best", "loser": "other", "score": "times"}, "do not say who won"),
        ({"victor": "best"}, "a column cannot be 'victor'"),
        ({}, "the columns best, other, times do not say who won; known are .*winner and loser"),
    ):
        with pytest.raises(InputError, match=message):
            read_votes(path, columns=wrong)


def test_a_column_that_is_ignored_does_not_count(write):
    path = write("winner,loser,n\nash,oak,17\noak,ash,18\n")
    assert read_votes(path, ignore=["N"]).wins().tolist() == [[0, 1], [1, 0]]
    with pytest.raises(InputError, match="no column 'm'"):
        read_votes(path, ignore=["m"])


def test_arms_that_are_called_like_sides_are_asked_about_where_it_matters(write):
    same = write("model_a,model_b,winner\na,b,a\na,b,b\n")
    assert read_votes(same).wins().tolist() == [[0, 1], [1, 0]]
    path = write("model_a,model_b,winner\na,b,a\nb,a,a\n")
    with pytest.raises(
        InputError, match=r"line 3: the winner 'a' is a side, and the name .* --columns winner_name=winner"
    ):
        read_votes(path)
    assert read_votes(path, columns={"winner_name": "winner"}).wins().tolist() == [[0, 2], [0, 0]]
    assert read_votes(path, columns={"winner_side": "winner"}).wins().tolist() == [[0, 1], [1, 0]]
    numbered = write("model_a,model_b,winner\n1,2,1\n2,1,1\n3,1,3\n")  # 3 is no side: these are names
    assert read_votes(numbered).wins().tolist() == [[0, 2, 0], [0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("labels", ["0 1", "0 1 2", "1 -1", "1", "0"])
def test_numbers_that_do_not_say_which_side_won_are_refused(write, labels):
    lines = "".join(f"ash,oak,{label}\n" for label in labels.split())
    with pytest.raises(InputError, match=r"the numbers in the column 'label' .* do not say which side won"):
        read_votes(write(f"left,right,label\n{lines}"))


def test_the_away_side_is_not_mistaken_for_side_a(write):
    assert read_votes(write("home,away,result\nash,oak,A\n")).wins().tolist() == [[0, 0], [1, 0]]
    assert read_votes(write("white,black,result\nash,oak,b\n")).wins().tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("away,home,result\noak,ash,2-1\n", "2-1 is read as a win of home"),
        ("right,left,label\noak,ash,1\nash,oak,2\n", "1 is read as a win of left"),
        ("black,white,result\noak,ash,0.5\noak,ash,1\n", "1 is read as a win of white"),
        ("player2,player1,winner\noak,ash,1\nash,oak,2\n", "1 is read as a win of player1"),
        ("right,left,label\noak,ash,A>B\n", "A>B is read as a win of left"),
        ("away,home,result\noak,ash,H\n", ""),
        ("right,left,label\noak,ash,left\noak,ash,ash\n", ""),
        ("home,away,result\nash,oak,2-1\n", ""),
    ],
)
def test_a_note_says_how_results_are_read_where_the_second_side_stands_first(write, text, read):
    votes = read_votes(write(text))
    assert votes.wins()[votes.arms.index("ash")].sum() >= 1
    notes = [note.partition(": ")[2].partition(",")[0] for note in votes.notes if "is read as" in note]
    assert notes == [read] * bool(read)


def test_columns_that_are_named_need_no_note_on_their_order(write):
    path = write("away,home,result\noak,ash,2-1\n")
    votes = read_votes(path, columns={"a": "away", "b": "home", "winner": "result"})
    assert votes.arms == ("oak", "ash") and votes.wins().tolist() == [[0, 1], [0, 0]] and len(votes.notes) == 1


def test_two_spellings_of_the_same_letters_are_one_arm(write):
    votes = read_votes(write("winner,loser\ncaf\u00e9,tea\ntea,cafe\u0301\n"))
    assert votes.arms == ("caf\u00e9", "tea") and votes.wins().tolist() == [[0, 1], [1, 0]]
    assert "is stored in two ways (Unicode NFC and NFD), and is one arm" in votes.notes[-1]
    sides = read_votes(write("a,b,winner\ncaf\u00e9,tea,cafe\u0301\n"))
    assert sides.wins().tolist() == [[0, 1], [0, 0]]


def test_names_that_differ_by_case_or_blanks_stay_apart_with_a_note(write):
    votes = read_votes(write("winner,loser\nGPT 4,gpt4\n"))
    assert votes.arms == ("GPT 4", "gpt4")
    assert votes.notes[-1] == "'GPT 4' and 'gpt4' differ only by case or blanks, and are two arms"


def test_several_files_are_put_one_after_the_other(write):
    first, second = write(READ["commas"], "p1.csv"), write("ash > elm\n", "p2.txt")
    votes = read_votes([first, second])
    assert votes.arms == ("ash", "oak", "elm")
    assert votes.wins().tolist() == [[0, 1.5, 1], [0.5, 0, 0], [0, 0, 0]]
    assert [*votes.rows.source] == [str(first)] * 2 + [str(second)]
    assert read_votes([first, second], columns={"winner": "winner"}).arms == votes.arms
    assert [note.partition(": ")[0] for note in votes.notes] == [str(first), str(second), str(second)]


def test_a_file_counts_once(write):
    path = write(READ["commas"])
    with pytest.raises(InputError, match=f"^{path}: is named twice"):
        read_votes([path, path])


def test_judges_can_be_left_out_of_tables_and_of_logs(write, tmp_path):
    text = "winner,loser,judge\nash,oak,me\nash,oak,you\n"
    votes = read_votes(write(text), without=["you"])
    assert votes.wins().tolist() == [[0, 1], [0, 0]] and votes.notes[-1].endswith("left out: 1 vote of you")
    with pytest.raises(InputError, match=r"no judge 'yuo' to leave out \(did you mean 'you'"):
        read_votes(write(text), without=["yuo"])
    log = tmp_path / "session.jsonl"
    with duelbench.Session("rucb", ["ash", "oak"], log=log) as session:
        for judge in ("me", "you"):
            session.tell(session.ask(), "ash", judge=judge)
    votes = read_votes(log, without=["you"])
    assert votes.wins().tolist() == [[0, 1], [0, 0]]
    assert votes.rows.judge.tolist() == ["me"] and votes.rows.time[0] and votes.rows.line[0] == 3


def test_a_ballot_of_the_condorcet_election_format_follows_its_parameters(write):
    head = "#/Candidates: ash ; oak ; elm\n"
    ballot = "voter, 7 || oak > ash ^2 * 3 # twice\n"
    votes = read_votes(write(head + ballot))
    assert votes.wins().tolist() == [[0, 0, 3], [3, 0, 3], [0, 0, 0]]
    weighted = read_votes(write(head + "#/Weight allowed: true\n#/Implicit Ranking: false\n" + ballot))
    assert weighted.wins().tolist() == [[0, 0, 0], [6, 0, 0], [0, 0, 0]]
    assert read_votes(write(head + "elm\n")).wins().tolist() == [[0, 0.5, 0], [0.5, 0, 0], [1, 1, 0]]
    stranger = read_votes(write(head + "yew > oak\n"))
    assert stranger.wins()[1].tolist() == [1, 0, 1] and "not candidates, and left out: 'yew'" in " ".join(
        stranger.notes
    )
    with pytest.raises(InputError, match=r"line 2: .* is no ballot"):
        read_votes(write(head + "ash > > oak * 2\n"))


WRONG: Sequence[tuple[str | bytes, str]] = (
    ("winner,loser,tie\na,b,maybe\n", "line 2: the column tie holds 'maybe'"),
    ("winner,loser,count,Count\na,b,1,2\n", "two columns 'count'"),
    ("first,second,first_wins,second_wins\na,b,1\n", "line 2: 3 cells, but the first line has 4"),
    ("winner,loser\na,a\n", "line 2: 'a' is compared with itself"),
    ("winner,loser\n", "holds no votes; it needs lines such as"),
    ("winner,loser,count\na,b,-1\n", "line 2: the count is '-1'"),
    ("winner,loser,count\na,b,1_0\n", "line 2: the count is '1_0'"),
    ("winner,loser,count\na,b,1e13\n", "line 2: the count is '1e13'"),
    ("winner;loser;count\na;b;1,000\n", "line 2: the count is '1,000'"),
    (
        "a;b;a_wins;b_wins\nx;y;2;900\ny;z;1.250;900\n",
        "line 3: the a_wins is '1.250'; write counts as whole numbers, without points",
    ),
    ("winner,loser,count\na,b,1.500\n", "line 2: 1.500 may mean 1500, .* or 1.5"),
    ("winner;loser;count\na;b;1,25\nb;a;900\n", "line 2: the count is '1,25'; write counts as whole numbers"),
    ("prompt;model;score\np;x;1.500\np;y;900\n", "line 2: 1.500 may mean 1500"),
    ("a;b;a_wins;b_wins\nx;y;2.000;900\n", "line 2: 2.000 may mean 2000, .* or 2; write .* as 2000"),
    ("home;away;home_goals;away_goals\nx;y;999;1.024\n", "line 2: 1.024 may mean 1024"),
    ("1st;2nd;count\nx;y;1.000\n", "line 2: 1.000 may mean 1000"),
    ("a;b;c\n0;1.500;500\n700;0;80\n9;7;0\n", "line 2: 1.500 may mean 1500"),
    ("loser/winner,a,b\na,0,3\nb,1,0\n", "line 1: by its corner 'loser/winner' the table has the wins of the col"),
    (",a,b\na,0,1.250\nb,900,0\n", "line 2: 1.250 may mean 1250"),
    ("winner,loser\na,\n", "line 2: a name is empty"),
    ("left,right,winner\na,b,c\n", "line 2: the winner is 'c'; write left, right, tie, or its name"),
    ("left,right,winner\na,b,\n", "line 2: the winner is empty"),
    ('winner,loser\n"a,b\n', "line 2 is not valid CSV .*; close every quotation mark"),
    ("winner,loser\n" + "".join(f"{k},x\n" for k in range(5000)), "line 4097: 4097 arms; at most 4096"),
    ("oak,ash,3\nash,oak,1\n", "line 1: the columns have no names, and the third one may count duels or say who won"),
    ("model_a,model_b,winner_model_a,winner_model_b\nash,oak,1,1\n", "line 2: 2 of the columns of the winner are 1"),
    ("home,away,home_goals,away_goals\nash,oak,x,1\n", "line 2: the home_goals is 'x'; write a number"),
    ("prompt,model,score\np,ash,1\np,ash,2\n", "line 3: 'ash' has a score for 'p' on line 2, too"),
    ('[{"winner": "ash", "loser": "oak"},\n{"winner": "as', "line 2: the JSON that begins here is not complete"),
    (
        '{"winner": "ash", "loser": "oak"}\n{"winner": "ash"\n{"winner": "oak", "loser": "ash"}\n',
        "line 2: the JSON that",
    ),
    ('[{"winner": "ash", "loser": "oak"}\n', r"not complete \(line \d: it ends too early\)"),
    ('[{"winner": "ash", "loser": "oak"}] x\n', "line 1: text follows the end of the JSON list"),
    ('[["ash", "oak"]]', "line 1 holds a list; JSON is read as a list of objects"),
    ("[3, 1]", "line 1 holds '3'; JSON is read as a list of objects"),
    ('{"winner": ["ash"], "loser": []}', "the columns are not equally long: winner has 1, loser has 0 values"),
    ("[" * 100_000, "line 1"),
    ('{"Q": [[0.5, 0.9]]}', "keys of this JSON Q do not say who won; .* a matrix is a list of rows"),
    ('{"P": [[0.5, 0.9], [0.1, 0.5]]}', "holds probabilities"),
    ("arm,score\nash,1\noak,2\n", "line 1: the columns arm, score do not say who won"),
    ('"winner" "loser"\n"1" "ash" "oak"\n', r"line 1 is not valid CSV .* commas instead of blanks \(`write.csv` in R"),
    ("# nothing\n", "holds no numbers"),
    ("0,1\n2,0\n1,2\n0,2\n", "columns 0, 1 do not say who won; if they are no names, put the line winner,loser above"),
    ("ash\toak\nelm\tash\noak\telm\n", "columns ash, oak do not say who won; if they are no names, put"),
    ("0 1\n2 0\n1 2\n0 2\n", "line 1: the cells are separated by blanks; write commas"),
    ("winner loser n\nash oak 3\n", "line 1: the cells are separated by blanks; write commas"),
    ("id,player,place\n1,ash,1\n1,oak,2\n2,ash,2\n", "line 1: the columns id, player, place do not say"),
    ("rank,arm,elo,seen\n1,ash,1300,9\n2,oak,1290,4\n", "line 1: the columns rank, arm, elo, seen do not say"),
    ("i,j,p\n0,1,0.7\n0,2,0.6\n0,3,0.5\n1,2,0.5\n", "line 1: the columns i, j, p do not say"),
    ("a,b\nNA,NA\n0.4,NA\n# end\n", "row 1, column 1 .* is 'NA', not a number"),
    (b"winner,loser\nash,o\0ak\n", "line 2 holds a zero byte"),
    ("winner,loser\nash,übung\n".encode("latin-1"), "line 2 holds the byte 0xfc, not UTF-8 text"),
    ("winner,loser\nash,oak\n".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    ('winner,loser\n"a\nb",oak\n', "line 2: the name 'a.nb' has characters that cannot be printed"),
    ("0.5,0.9\n0.1,0.5\n", "holds probabilities, which do not tell the number of duels"),
)


@pytest.mark.parametrize(("content", "message"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_one_message_with_file_and_line(write, content, message):
    path = write(content)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}.*{message}") as caught:
        read_votes(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "may_be"),
    [
        (",a,b,c\na,-,60,70\nb,40,-,55\nc,30,45,-\n", True),
        ("0,60\n40,0\n", True),
        ("a,b,a_wins,b_wins\nx,y,60,40\nx,z,70,30\n", True),
        ("winner,loser,n\nx,y,60\ny,x,40\n", True),
        ("winner,loser,n\nx,y,60\ny,x,40\nx,z,3\n", False),
        ("100: ash > oak\n", False),
    ],
)
def test_a_note_says_that_counts_may_be_percentages(write, text, may_be):
    assert any("if these are percentages" in note for note in read_votes(write(text)).notes) == may_be


def test_a_matrix_whose_arms_are_called_like_columns_is_no_table_of_votes(write):
    assert detect(write("winner,loser\n0.5,0.9\n0.1,0.5\n")) == "matrix"
    assert detect(write(",a,b,winner\na,0,3,1\nb,1,0,2\nwinner,1,1,0\n")) == "counts"


def test_long_cells_and_lines_are_read_and_leave_no_trace(write):
    import csv

    before = csv.field_size_limit()
    path = write(f"winner,loser,prompt\nash,oak,{'x' * 300_000}\n")
    assert read_votes(path).wins()[0, 1] == 1 and csv.field_size_limit() == before


def test_zero_and_one_alone_are_refused_because_they_may_mean_either_side(tmp_path):
    path = _file(tmp_path, "a,b,winner\nash,oak,0\noak,ash,1\n")
    with pytest.raises(InputError, match=r"the numbers in the column 'winner' \(0, 1\) do not say which side won"):
        read_votes(path)


def test_a_column_that_weighs_is_noted_and_refused_where_it_only_numbers_the_lines(tmp_path):
    votes = read_votes(_file(tmp_path, "winner,loser,n\nash,oak,3\noak,ash,2\noak,ash,2\n"))
    assert any("n is how often each vote was given (--ignore n if it is not)" in note for note in votes.notes)
    for first in (0, 1):
        lines = "".join(f"ash,oak,{first + k}\n" for k in range(3))
        with pytest.raises(InputError, match="the column n only numbers the lines"):
            read_votes(_file(tmp_path, f"winner,loser,n\n{lines}"))


def test_the_same_votes_in_two_files_are_refused(tmp_path):
    text = "winner,loser,judge,time\nash,oak,ann,2026-01-01T10:00:00Z\n"
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text(text + "oak,ash,ann,2026-01-01T10:01:00Z\n")
    second.write_text(text)
    with pytest.raises(InputError, match=r"second\.csv: 1 vote of it are in .*first\.csv, too, and would count twice"):
        read_votes([first, second])


def test_judges_that_differ_by_case_are_noted(tmp_path):
    votes = read_votes(_file(tmp_path, "winner,loser,judge\nash,oak,Cleo\noak,ash,cleo\n"))
    assert "judges that differ only by case are kept apart: Cleo and cleo" in votes.notes


@pytest.mark.parametrize(
    "text",
    [
        "ash > oak > elm\noak > ash > elm\n",
        "item,arm,score\n1,ash,3\n1,oak,2\n1,elm,1\n",
        "1st,2nd\nash,oak\n",
        "occasion,player,rank\n1,ash,1\n1,oak,2\n1,elm,3\n",
    ],
)
def test_comparisons_of_rankings_and_scores_are_known_to_be_dependent(tmp_path, text):
    votes = read_votes(_file(tmp_path, text))
    assert votes.n_ballots > 0
    ranking = duelbench.rank(votes)
    assert "is ahead" in ranking.sentences[0] and "clearly" not in ranking.sentences[0]
    assert "not independent" in ranking.sentences[1]


def test_nothing_claims_what_is_clear_about_comparisons_of_rankings(tmp_path):
    rows = "".join(f"{k},ash,1\n{k},oak,2\n{k},elm,3\n" for k in range(60))
    ranking = duelbench.rank(_file(tmp_path, f"occasion,player,rank\n{rows}"))
    for text in (page_of(ranking), " ".join(lines_of(ranking))):
        assert "clearly behind" not in text and "may be the best" not in text and "No pairs are proposed" in text


def test_a_note_says_that_a_lower_rank_is_better(tmp_path):
    votes = read_votes(_file(tmp_path, "occasion,player,rank\n1,ash,1\n1,oak,2\n"))
    assert any("rankings: a lower rank is better, for each occasion" in note for note in votes.notes)


def _file(folder, text):
    path = folder / "data.txt"
    path.write_text(text)
    return path
