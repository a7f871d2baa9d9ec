"""``duelbench live``: what is asked for, what goes on from the log, and what is refused with nothing written."""

import json
import shlex
import sys
from pathlib import Path

import pytest

import duelbench
from duelbench.data.session_log import line_of, read
from duelbench.errors import InputError, RunsFailed
from tests.cli import commands
from tests.cli.commands import done, failed, refused

FIRST = shlex.join([sys.executable, "-S", "-E", "-c", "import sys; print(min(sys.argv[1:]))"])
NEVER = shlex.join([sys.executable, "-S", "-E", "-c", "import sys; sys.exit('no key')"])


@pytest.fixture
def dishes(here):
    """The working folder, with the arms dishes.txt."""
    (here / "dishes.txt").write_text("egg\nsquid\ntuna\n")
    return here


def live(*arguments, said=""):
    """The answer of the command, and what it says beside."""
    result = done("live", *arguments, said=said)
    return result.stdout, result.stderr


def document(*arguments, said=""):
    return commands.document("live", *arguments, said=said)


def answers(log="dishes.jsonl"):
    return document(log)["told"]


def test_the_same_command_goes_on_where_it_stopped_and_asks_what_was_left(dishes):
    live("dishes.txt", "--seed", 4, said="1\n2\n1\n")
    (left,) = document("dishes.jsonl")["out"]
    _, beside = live("dishes.txt", "--seed", 4, said="1\n")
    assert "dishes.jsonl: resumed, 3 answers so far" in beside
    assert f"duel 4\n1  {left[0]}\n2  {left[1]}" in beside
    with duelbench.Session("d-ts-plus", ["egg", "squid", "tuna"], seed=4) as other:
        for place in (0, 1, 0, 0):
            pair = other.ask()
            other.tell(pair, pair[place])
        with duelbench.Session.open("dishes.jsonl", read_only=True) as session:
            assert session.wins.tolist() == other.wins.tolist()


def test_status_says_all_arms_as_one_document_while_the_session_is_open(dishes):
    with duelbench.Session("rucb", ["egg", "squid", "tuna"], seed=3, log="dishes.jsonl") as session:
        while (pair := session.ask()) is not None:
            session.tell(pair, min(pair))
        said = document("dishes.jsonl")
        with pytest.raises(InputError, match="this session is already open"):
            duelbench.Session.open("dishes.jsonl")
    egg = said["arms"][0]
    assert (said["done"], said["answer"], said["recommended"], egg["name"]) == (True, "egg", "egg", "egg")
    assert (said["told"], said["ties"], said["verdict"]) == (session.told, 0, "winner")
    assert egg["duels"] == egg["won"] and egg["borda"] == 1.0 and egg["copeland"] == 1.0
    assert egg["copeland_low"] <= egg["copeland_high"] == 1.0 and 0 < egg["borda_low"] < egg["borda_high"] <= 1.0
    assert sum(arm["duels"] for arm in said["arms"]) == 2 * session.told
    assert said["position"]["sentence"].startswith("The arm shown first won")


def test_a_command_decides_until_it_is_decided(dishes):
    out, beside = live("dishes.txt", "--exec", FIRST, "-j", 2, "--judge", "min")
    assert "egg is the best; if one arm beats all others and answers are independent" in out.splitlines()[0]
    assert beside.endswith(f"{answers()} answers in dishes.jsonl\n")
    (judge,) = document("dishes.jsonl")["judges"]
    assert [one["judge"] for one in document("dishes.jsonl")["weighed"]["etas"]] == ["min"]
    assert (judge["judge"], judge["answers"], judge["seconds"] < 60) == ("min", answers(), True)
    assert f"min    {judge['answers']:7}     0 " in out


def test_a_command_that_fails_ends_with_code_3_and_its_words_and_the_rest_is_kept(dishes, monkeypatch):
    monkeypatch.setattr("duelbench.judging.judging.LONGEST_PAUSE_SECONDS", 0.01)
    live("dishes.txt", said="1\n1\n")
    said = failed(RunsFailed, "live", "dishes.txt", "--exec", NEVER)
    assert said.endswith("exit code 1: no key; 3 duels without an answer set aside, 3 in a row")
    assert failed(RunsFailed, "live", "dishes.txt", "--exec", NEVER, "--on-failure", "stop").endswith("code 1: no key")
    assert RunsFailed.exit_code == 3
    assert answers() == 2
    assert live("dishes.txt", "--log", "new.jsonl")[0] == "0 answers: nothing is known yet.\n"


def test_a_command_is_asked_in_both_orders_and_people_are_not(dishes):
    assert "--orders both: is for --exec CMD only" in refused("live", "dishes.txt", "--orders", "both")
    flipping = shlex.join([sys.executable, "-S", "-E", "-c", "print(1)"])
    out, _ = live("dishes.txt", "--exec", flipping, "--orders", "both", "--budget", 2)
    assert "100% (34% to 100%)" in out and "-  0% to 100%" not in out and "likely to win" not in out
    assert "The arm shown first" not in out and "cannot be said" not in out
    assert "--orders: the session in dishes.jsonl has both" in refused(
        "live", "dishes.txt", "--exec", flipping, "--orders", "random"
    )
    live("dishes.txt", "--exec", flipping, "--budget", 3)  # in both orders, too
    assert document("dishes.jsonl")["judges"][0]["flips"]["n"] == 3
    live("dishes.txt", said="1\n")  # the log does not hold people to it


def test_what_a_page_needs_is_there_before_a_session_begins(dishes):
    (dishes / "dishes.csv").write_text("name,path\na,a.bin\nb,\n")
    (dishes / "a.bin").write_bytes(b"\xff")
    assert "is not a text in UTF-8" in refused("live", "dishes.csv", "--web")
    assert sorted(path.name for path in dishes.iterdir()) == ["a.bin", "dishes.csv", "dishes.txt"]


def test_a_budget_counts_all_answers_of_the_session_and_a_page_without_a_question_is_not_served(dishes):
    live("dishes.txt", "--exec", FIRST, "--budget", 3)
    live("dishes.txt", "--exec", FIRST, "--budget", 5)
    _, beside = live("dishes.txt", "--exec", FIRST, "--budget", 4)
    assert beside.endswith("5 answers in dishes.jsonl; to continue, raise --budget or leave it out\n")
    assert answers() == 5
    assert "http://" not in live("dishes.txt", "--budget", 5, "--web")[1]


def test_a_log_goes_on_only_with_the_options_that_it_began_with(dishes):
    live("dishes.txt", said="1\n")
    for options in ("--seed 1", "--delta 0.2", "--ties drop", "--forbid egg,tuna"):
        name, value = options.split()
        assert f"{name}: the session in dishes.jsonl has " in refused("live", "dishes.txt", name, value)
    with_same = ("--seed", 0, "--algorithm", "d-ts-plus", "--delta", 0.05, "--rule", "e-bets", "--ties", "half")
    live("dishes.txt", *with_same, said="1\n")
    assert answers() == 2
    live("dishes.txt", "--log", "other.jsonl", "--rule", "e-condorcet", said="1\n")
    live("dishes.txt", "--log", "other.jsonl", said="1\n")  # without the rule's name, which is not the usual one
    assert document("other.jsonl")["rule"] == "e-condorcet" and answers("other.jsonl") == 2


def test_an_algorithm_with_a_test_of_its_own_ends_by_it_and_others_have_none(dishes):
    out, _ = live("dishes.txt", "--exec", FIRST, "--algorithm", "kelly-elimination", "--delta", 0.2)
    assert "egg is the best; if" in out and "at most 0.2 (the test of Kelly elimination)" in out
    said = document("dishes.jsonl")
    assert (said["rule"], said["done"], said["settled"], said["answer"]) == ("own", True, True, "egg")
    live("dishes.txt", "--rule", "own", "--param", "delta=0.2")  # it goes on
    assert "--rule: the session in dishes.jsonl has own" in refused("live", "dishes.txt", "--rule", "e-bets")
    assert "d-ts-plus has no test of its own" in refused("live", "dishes.txt", "--log", "new.jsonl", "--rule", "own")


def test_a_log_goes_on_only_with_its_own_arms_in_any_order(dishes):
    live("dishes.txt", said="1\n")
    for arms, words in (("egg\ntuna\nsquid\nrice\n", "'rice' is in"), ("egg\ntuna\n", "'squid' is not in")):
        (dishes / "dishes.txt").write_text(arms)
        message = refused("live", "dishes.txt")
        assert "dishes.jsonl: belongs to other arms" in message and words in message
    (dishes / "dishes.txt").write_text("tuna\nsquid\negg\n")
    live("dishes.txt", said="1\n")
    assert answers() == 2
    (dishes / "dishes.jsonl").write_text('{"mine": 1}\n')
    assert "dishes.jsonl" in refused("live", "dishes.txt")  # what is no log is not touched


def test_options_reach_the_session_and_are_kept(dishes):
    (dishes / "dishes.txt").write_text("egg, fried\nsquid\ntuna\n")
    (dishes / "before.csv").write_text('winner,loser,count\n"egg, fried",tuna,3\n')
    rule = "--rule pairs --delta 0.1 --ties drop --warm before.csv --algorithm rucb --param alpha=8e-1"
    options = (*rule.split(), "--param", "horizon=1e6", "--forbid", "squid,egg, fried")
    live("dishes.txt", *options, said="t\n")
    with duelbench.Session.open("dishes.jsonl", read_only=True) as session:
        settings = session.settings
        assert session.told == session.ties.sum() / 2 == 1 and session.wins.sum() == 0  # the tie counts for nobody
    assert (settings["algorithm"], settings["parameters"]["alpha"], settings["ties"]) == ("rucb", 0.8, "drop")
    assert settings["forbidden"] == [["egg, fried", "squid"]] and settings["horizon"] == 10**6
    assert (settings["stop"]["rule"], settings["stop"]["delta"], settings["stop"]["target"]) == (
        "pairs",
        0.1,
        "copeland",
    )
    live("dishes.txt", *options)  # it goes on
    said = refused("live", "dishes.txt", "--param", "horizon=100")
    assert "--param horizon=100: the session in dishes.jsonl has 1000000" in said
    (dishes / "before.csv").write_text('winner,loser,count\n"egg, fried",tuna,4\n')
    assert "--warm: the session in dishes.jsonl has another value" in refused("live", "dishes.txt", *options)


def test_earlier_duels_come_from_several_files(dishes):
    (dishes / "dishes.txt").write_text("egg\nsquid\n")
    (dishes / "p1.csv").write_text("winner,loser\negg,squid\n")
    (dishes / "p2.json").write_text('[{"winner": "egg", "loser": "squid", "n": 2}]')
    told = live("dishes.txt", "--warm", "p1.csv", "--warm", "p2.json", said="q\n")[1]
    assert "3 earlier duels" in told and "note: p2.json: 2 votes on 2 arms in winner, loser, n" in told
    assert "--columns a=b: is for a table of earlier duels" in refused("live", "dishes.txt", "--columns", "a=b")


def test_a_log_is_an_input_of_other_commands(dishes):
    live("dishes.txt", said="1\nt\n1\n")
    assert commands.document("show", "dishes.jsonl")["names"] == ["egg", "squid", "tuna"]
    assert "1 pair was never compared; it counts as a tie" in done("show", "dishes.jsonl").stderr
    done("matrix", "import", "dishes.jsonl", "--missing", "half", "-o", "dishes.csv")


OUTPUTS = "arm,input,output\n" + "".join(f"{arm},q{k},{arm}{k}\n" for arm in "abc" for k in range(3)) + "d,q9,d\n"


def test_outputs_are_judged_on_inputs_that_both_arms_have(here):
    (here / "outputs.csv").write_text(OUTPUTS)
    code = "import json, sys; q = json.load(sys.stdin); print(json.dumps({'winner': min(sys.argv[1:]), 'saw': q}))"
    judge = shlex.join([sys.executable, "-S", "-E", "-c", code])
    result, beside = live("outputs.csv", "--exec", judge, "--budget", 6, "--question", "Which?")
    assert result.startswith("6 answers on 3 inputs: undecided; ")
    assert "never asked, because they have no input in common: 'a' and 'd'; 'b' and 'd'; 'c' and 'd'" in beside
    assert "Answers took unknown tokens; the cost is unknown." in beside
    with duelbench.Session.open("outputs.jsonl", read_only=True) as session:
        assert session.settings["forbidden"] == [["a", "d"], ["b", "d"], ["c", "d"]]
        for details in session.details:
            saw = details["saw"]
            assert saw["question"] == "Which?" and saw["first"]["text"] == saw["first"]["name"] + saw["input"][1]
    live("outputs.csv", "--forbid", "a,b", "--log", "other.jsonl", said="1\n")
    live("outputs.csv", "--forbid", "a,b", "--log", "other.jsonl", said="1\n")
    lines = [json.dumps({"arm": arm, "input": "q", "output": arm}) for arm in "abd"]
    (here / "outputs.csv").write_text(OUTPUTS.replace("c,q", "c,p"))
    assert "'a' and 'c' have no input in common, but the session" in refused("live", "outputs.csv")
    (here / "more.jsonl").write_text("\n".join(lines))
    assert live("more.jsonl", said="1\n")[1].endswith("1 answer in more-log.jsonl; run the same command to resume\n")


def test_question_names_and_instructions_are_in_the_log_and_need_not_be_said_again(dishes):
    (dishes / "how.md").write_text("Think of the taste.\n")
    (dishes / "dishes.csv").write_text("name,text\negg,Fried.\ntuna,Raw.\n")
    _, beside = live("dishes.csv", "--question", "Tastier?", "--names", "--instructions", "how.md", said="1\n")
    for _ in range(2):
        assert "Tastier?\nThink of the taste." in beside and "1  egg" in beside
        _, beside = live("dishes.csv", said="1\n")
    assert "--question: the session in dishes.jsonl has Tastier?" in refused(
        "live", "dishes.csv", "--question", "Which?"
    )
    assert "--keep-texts: the session in dishes.jsonl has no texts" in refused("live", "dishes.csv", "--keep-texts")
    presentation = duelbench.Session.open("dishes.jsonl", read_only=True).settings["presentation"]
    assert presentation["instructions"]["path"] == "how.md" and "texts" not in presentation
    (dishes / "how.md").write_text("Think of the looks.\n")
    assert "the instructions in how.md have changed since the session started" in live("dishes.csv")[1]
    (dishes / "how.md").write_text("\n")
    assert "how.md: is empty" in refused("live", "dishes.csv", "--instructions", "how.md", "--log", "new.jsonl")
    assert not (dishes / "new.jsonl").exists()
    live("dishes.csv", "--keep-texts", "--log", "kept.jsonl")
    texts = duelbench.Session.open("kept.jsonl", read_only=True).settings["presentation"]["texts"]
    assert texts["arms"] == {"egg": "Fried.", "tuna": "Raw."}


def test_a_log_that_stores_no_question_goes_on(dishes):
    with duelbench.Session("d-ts-plus", ["egg", "squid", "tuna"], log="dishes.jsonl") as session:
        session.tell(session.ask(), session.out[0][0])
    header, *events = read(Path("dishes.jsonl"))[0]
    digest, lines = "", []
    for event in ({key: value for key, value in header.items() if key != "presentation"}, *events):
        line, digest = line_of(event, digest)
        lines.append(line)
    Path("dishes.jsonl").write_text("\n".join(lines) + "\n")
    _, beside = live("dishes.txt", "--question", "Tastier?", said="1\n")
    assert "Tastier?" in beside and answers() == 2


def test_calls_of_a_command_are_bounded_and_people_have_none(dishes):
    assert "--max-calls: is for --exec CMD only" in refused("live", "dishes.txt", "--max-calls", 3)
    _, beside = live("dishes.txt", "--exec", FIRST, "--orders", "both", "--max-calls", 4)
    assert answers() == 2 and "4 of 4 calls of the command are made" in beside


def test_the_default_algorithm_depends_on_whether_there_is_a_budget(dishes):
    live("dishes.txt", "--budget", 1, said="1\n")
    assert duelbench.Session.open("dishes.jsonl", read_only=True).settings["algorithm"] == "self-sparring"
    live("dishes.txt", said="1\n")  # it goes on with the algorithm of the log
    live("dishes.txt", "--log", "other.jsonl", said="1\n")
    assert duelbench.Session.open("other.jsonl", read_only=True).settings["algorithm"] == "d-ts-plus"


def test_each_pair_is_asked_once(dishes):
    out, _ = live("dishes.txt", "--exec", FIRST, "--once")
    assert "has beaten all others; each pair was asked at most once" in out
    assert document("dishes.jsonl")["rule"] is None


def test_an_answer_is_corrected_in_its_log(dishes):
    live("dishes.txt", said="1\n1\n")
    first = duelbench.Session.open("dishes.jsonl", read_only=True)._history.answers()[0]
    loser = first["second"] if first["winner"] == first["first"] else first["first"]
    assert done("live", "dishes.jsonl", "--correct", f"1={loser}").stderr.startswith(f"answer 1 is now {loser}\n")
    assert duelbench.Session.open("dishes.jsonl", read_only=True)._history.answers()[0]["winner"] == loser
    done("live", "dishes.jsonl", "--correct", "2=tie")
    assert duelbench.Session.open("dishes.jsonl", read_only=True).ties.sum() == 2
    assert "there is no answer 3; this session has 2 answers" in refused("live", "dishes.jsonl", "--correct", "3=egg")
    assert "write the number of an answer" in refused("live", "dishes.jsonl", "--correct", "egg")
    assert "name the log" in refused("live", "dishes.txt", "--correct", "1=egg")
