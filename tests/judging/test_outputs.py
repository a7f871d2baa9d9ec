"""Outputs are read with their inputs, and each question draws an input that both arms have."""

import json
from collections import Counter

import pytest

from duelbench import Session
from duelbench.errors import InputError
from duelbench.judging.arms import Arm, Output
from duelbench.judging.history import AUTOMATIC
from duelbench.judging.judging import Judge, line_of
from duelbench.judging.outputs import Draws, arms_of, never_asked, remarks_on_outputs

INPUTS = ("q1", "q2", "q3")
ARMS = {name: Arm(name, outputs={input: Output(f"{name} on {input}") for input in INPUTS}) for name in "abc"}


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_a_table_and_json_lines_hold_the_same_outputs_and_further_columns_are_kept(written):
    table = written(
        "a.csv", 'Arm,input,output,input_text,words\nx,1,"so,\nso",Why?,2\ny,1,,Why?,0\n\nx,2,b,,1\ny,2,c,,1\n'
    )
    rows = [("x", 1, "so,\nso", "Why?", "2"), ("y", 1, "", "Why?", "0"), ("x", 2, "b", "", "1"), ("y", 2, "c", "", "1")]
    columns = ("arm", "input", "output", "input_text", "words")
    lines = written("a.jsonl", "\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in rows))
    first, second = arms_of(table)
    assert arms_of(lines) == (first, second)
    assert first == Arm(
        "x", outputs={"1": Output("so,\nso", "Why?", {"words": "2"}), "2": Output("b", None, {"words": "1"})}
    )
    for name, separator in (("a.tsv", "\t"), ("b.csv", ";"), ("c.csv", "\t")):
        other = written(name, "arm\tinput\toutput\nx\t1\ta, b\ny\t1\tc\n".replace("\t", separator))
        assert [arm.outputs["1"].text for arm in arms_of(other)] == ["a, b", "c"]
    assert first.digest != first._replace(outputs={**first.outputs, "3": Output("d")}).digest


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "arm,input,outptu\nx,1,a\n", r"a.csv:1: there is no column output \(did you mean 'outptu'\?\)"),
        ("a.csv", "arm,input,output,output\n", r"a.csv:1: the column 'output' is given twice"),
        ("a.csv", "arm,input,output,name\n", r"a.csv:1: a further column cannot be called 'name'; rename it"),
        (
            "a.csv",
            "arm,input,output\nx,1,a\nx,1,b\n",
            r"a.csv:3: a second output of 'x' on the input '1', as at .*a.csv:2",
        ),
        ("a.csv", "arm,input,output\nx,,a\n", r"a.csv:2: the input is empty"),
        ("a.csv", "arm,input,output\nx,1,a,b\n", r"a.csv:2: 4 columns, but the first line names 3"),
        ("a.csv", "arm,input,output\nx,1,a\n", r"a.csv: outputs of 1 arms"),
        ("a.csv", "arm,input,output\nx,1,a\ny,2,b\n", r"a.csv: no two arms have different outputs on an input that"),
        (
            "a.csv",
            "arm,input,output,input_text\nx,1,a,Why?\ny,1,b,How?\n",
            r"a.csv:3: another input_text of '1' than at",
        ),
        ("a.jsonl", '{"arm": "x", "input": "1"}\n', r"a.jsonl:1: output is missing"),
        ("a.jsonl", '\n{"arm": "x", "input": "1", "output": null}\n', r"a.jsonl:2: output must be a text"),
        ("a.jsonl", "[1]\n", r"a.jsonl:1: must be an object"),
        ("a.jsonl", "{\n", r"a.jsonl:1: not JSON"),
    ],
)
def test_what_is_wrong_with_outputs_is_said_with_its_line(written, name, text, message):
    with pytest.raises(InputError, match=message):
        arms_of(written(name, text))


def answered(session, draws, most):
    """The questions that were asked, the first arm by its name winning each."""
    questions = []
    while len(questions) < most and (question := draws.next()) is not None:
        questions.append(question)
        session.tell(question.pair, min(question.pair), input=question.input)
    return questions


def test_a_pair_has_each_input_once_before_any_comes_again(tmp_path):
    with Session("random", ARMS, seed=5) as session:
        questions = answered(session, Draws(session, ARMS), 60)
        assert all(question.first.text == f"{question.pair[0]} on {question.input}" for question in questions)
        for pair in ({"a", "b"}, {"a", "c"}, {"b", "c"}):
            inputs = [question.input for question in questions if {*question.pair} == pair]
            whole = len(inputs) // 3 * 3
            assert all({*inputs[k : k + 3]} == {*INPUTS} for k in range(0, whole, 3))
            assert session.inputs_used(pair) == Counter(inputs)
        orders = {tuple(q.input for q in questions if {*q.pair} == pair)[:3] for pair in ({"a", "b"}, {"a", "c"})}
    with Session("random", ARMS, seed=6) as session:
        other = answered(session, Draws(session, ARMS), 60)
    assert len(orders) == 2 or [q.input for q in other] != [q.input for q in questions]


def test_a_session_that_is_opened_again_draws_what_it_would_have_drawn(tmp_path):
    with Session("rucb", ARMS, seed=5) as session:
        expected = [(tuple(q.pair), q.input) for q in answered(session, Draws(session, ARMS), 12)]
    log, questions = tmp_path / "a.jsonl", []
    with Session("rucb", ARMS, seed=5, log=log):
        pass
    for _ in range(4):
        with Session.open(log) as session:
            draws = Draws(session, ARMS)
            questions += [(tuple(q.pair), q.input) for q in answered(session, draws, 3)]
            left = draws.next()
        with Session.open(log) as session:
            assert Draws(session, ARMS).next() == left, "an open question keeps its input"
    assert questions == expected


def test_a_skipped_input_counts_as_used_and_one_that_was_taken_back_does_not():
    with Session("random", ["a", "b"], seed=1) as session:
        draws = Draws(session, ARMS)
        first = draws.next()
        session.skip(first.pair, input=first.input)
        second = draws.next()
        assert second.input != first.input
        session.tell(second.pair, "a", input=second.input)
        session.undo()
        assert draws.next() == second


def test_equal_outputs_are_a_tie_that_nobody_is_asked_about(tmp_path):
    arms = {"a": ARMS["a"], "b": Arm("b", outputs={**ARMS["a"].outputs, "q3": Output("other")})}
    with Session("random", arms, seed=1, log=tmp_path / "a.jsonl") as session:
        draws = Draws(session, arms)
        questions = answered(session, draws, 3)
        assert {question.input for question in questions} == {"q3"}
        ties = [event for event in session._history.answers() if event["winner"] is None]
        assert {event["input"] for event in ties} == {"q1", "q2"} and all(e["details"] == AUTOMATIC for e in ties)
        assert session.judges == {None: 3} == {record.judge: record.answers for record in session.judge_records()}
        draws.next()
        told = session.told
        session.undo()
        assert session.judges == {None: 2} and session.told < told, "ties go with the answer before them"
        assert draws.next().input == "q3"
        session.tell(session.out[0], "a", input="q3")
        assert Draws(session, arms).next(budget=session.told) is None
    with Session("random", arms, seed=1) as session:
        ties_only = Draws(session, arms).next(budget=1)
        assert ties_only is not None or session.told == 1
    with Session("random", ["a", "b"], ties="drop") as session, pytest.raises(InputError, match="no answer to take"):
        session.tie(session.ask(), input="q1", details=AUTOMATIC)
        session.undo()


def test_pairs_without_a_common_input_or_with_the_same_outputs_are_never_asked():
    arms = [
        ARMS["a"],
        ARMS["b"],
        Arm("c", outputs=ARMS["a"].outputs),
        Arm("d", outputs={"q9": Output("x")}),
        Arm("e", "y"),
    ]
    pairs = never_asked(arms)
    assert pairs == {
        ("a", "c"): "have the same outputs",
        **{(name, "d"): "have no input in common" for name in ("a", "b", "c")},
    }
    assert remarks_on_outputs(arms)[0] == "never asked, because they have the same outputs: 'a' and 'c'"


def test_a_program_reads_the_input_once_and_of_each_side_all_that_the_file_says():
    arms = {
        name: Arm(name, outputs={"q1": Output(name.upper(), "Why?", {"tokens": 3, "note": "ü"})}) for name in ("x", "y")
    }
    with Session("random", arms) as session:
        question = Draws(session, arms).next()
    line = json.loads(line_of(question, Judge((), asks="Which?", instructions="Be fair.")))
    assert line.pop("first") == {
        "tokens": 3,
        "note": "ü",
        "name": question.pair[0],
        "text": question.first.text,
        "path": None,
    }
    assert line.pop("second")["name"] == question.pair[1]
    assert line == {
        "number": 0,
        "attempt": 1,
        "question": "Which?",
        "instructions": "Be fair.",
        "input": "q1",
        "input_text": "Why?",
    }


def test_empty_outputs_are_noted():
    arms = [Arm("a", outputs={"1": Output(" "), "2": Output("x")}), Arm("b", outputs={"1": Output("y")})]
    assert remarks_on_outputs(arms) == ["empty outputs are judged like all others: 1 of 'a'"]
