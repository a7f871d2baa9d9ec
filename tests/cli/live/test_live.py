"""``duelbench live``: what is asked for, what goes on from the log, and what is refused with nothing written."""

import json
import shlex
import socket
import sys

import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.cli.app import app
from duelbench.cli.live.known import known, lines_of
from duelbench.errors import InputError, RunsFailed

FIRST = shlex.join([sys.executable, "-S", "-E", "-c", "import sys; print(min(sys.argv[1:]))"])
NEVER = shlex.join([sys.executable, "-S", "-E", "-c", "import sys; sys.exit('no key')"])


@pytest.fixture
def dishes(tmp_path, monkeypatch):
    """A working folder with the arms dishes.txt."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dishes.txt").write_text("egg\nsquid\ntuna\n")
    return tmp_path


def live(*arguments, said="", fails=None):
    """The answer of the command, and what it says beside."""
    result = CliRunner().invoke(app, ["live", *map(str, arguments)], input=said)
    if fails is None:
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout, result.stderr
    assert type(result.exception) is fails, result.exception
    return str(result.exception)


def document(*arguments, said=""):
    return json.loads(live(*arguments, "--json", said=said)[0])


def answers(log="dishes.jsonl"):
    return document("--status", log)["told"]


def test_what_is_known_is_the_answer_and_the_log_is_beside_the_arms(dishes):
    out, beside = live("dishes.txt", said="1\n2\n")
    assert out.startswith("2 answers, 1 out: D-TS+ recommends ")
    assert "chance to win" in out and "between this and an answer" in out
    assert "3 arms; answers are kept in dishes.jsonl" in beside
    assert beside.endswith("2 answers in dishes.jsonl; the same command goes on\n")


def test_the_same_command_goes_on_where_it_stopped_and_asks_what_was_left(dishes):
    live("dishes.txt", "--seed", 4, said="1\n2\n1\n")
    left = document("dishes.txt", "--dry-run")["next"]
    _, beside = live("dishes.txt", "--seed", 4, said="1\n")
    assert "dishes.jsonl: goes on, 3 answers so far" in beside
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
        said = document("--status", "dishes.jsonl")
        assert "(there is no" not in live("--status", "dishes.jsonl")[0]
        with pytest.raises(InputError, match="this process has this session open already"):
            duelbench.Session.open("dishes.jsonl")
    egg = said["arms"][0]
    assert (said["done"], said["answer"], said["recommended"], egg["name"]) == (True, "egg", "egg", "egg")
    assert (said["told"], said["ties"], said["open_pairs"], said["duels_needed"]) == (session.told, 0, [], None)
    assert egg["duels"] == egg["won"] and egg["borda"] == 1.0 and egg["copeland"] == 1.0
    assert egg["copeland_low"] <= egg["copeland_high"] == 1.0 and 0 < egg["borda_low"] < egg["borda_high"] <= 1.0
    assert sum(arm["duels"] for arm in said["arms"]) == 2 * session.told
    assert said["position"]["sentence"].startswith("The arm shown first won")


def test_ties_count_half_a_win_for_each_or_are_dropped_as_asked_for(dishes):
    half = document("dishes.txt", said="t\n")
    assert (half["told"], half["ties"]) == (1, 1)
    assert sum(arm["won"] for arm in half["arms"]) == 1
    drop = document("dishes.txt", "--log", "drop.jsonl", "--ties", "drop", said="t\n")
    assert (drop["told"], drop["ties"]) == (1, 1)
    assert sum(arm["won"] for arm in drop["arms"]) == 0


def test_a_forbidden_pair_is_never_asked_and_commas_in_names_are_no_matter(dishes):
    (dishes / "dishes.txt").write_text("egg, fried\nsquid\ntuna\n")
    terms = ("dishes.txt", "--forbid", "squid,egg, fried", "--exec", FIRST, "--budget", "12", "--algorithm", "rucb")
    live(*terms)
    with duelbench.Session.open("dishes.jsonl", read_only=True) as session:
        assert session.told == 12
        assert session.wins[0, 1] == session.wins[1, 0] == 0
        assert session.terms["forbidden"] == [["egg, fried", "squid"]]
    live(*terms)  # it goes on


def test_duels_from_before_count(dishes):
    (dishes / "before.csv").write_text("winner,loser,count\negg,tuna,30\negg,squid,30\n")
    said = document("dishes.txt", "--warm", "before.csv", said="")
    assert (said["told"], said["done"], said["answer"]) == (0, True, "egg")
    live("dishes.txt", "--warm", "before.csv")
    (dishes / "before.csv").write_text("winner,loser,count\negg,tuna,31\n")
    assert "--warm: the session in dishes.jsonl has another one" in live(
        "dishes.txt", "--warm", "before.csv", fails=InputError
    )


def test_parameters_are_read_as_in_a_spec_and_kept(dishes):
    live("dishes.txt", "--algorithm", "rucb", "--param", "alpha=8e-1", "--rule", "pairs", "--delta", "0.1")
    with duelbench.Session.open("dishes.jsonl", read_only=True) as session:
        assert session.terms["algorithm"] == "rucb"
        assert session.terms["parameters"]["alpha"] == 0.8
        said = session.terms["stop"]
        assert (said["rule"], said["delta"], said["target"]) == ("pairs", 0.1, "copeland")
    assert document("--status", "dishes.jsonl")["rule"] == "pairs"
    live("dishes.txt", "--param", "alpha=0.80", "--rule", "pairs", "--algorithm", "rucb")


def test_a_command_decides_until_it_is_decided(dishes):
    out, beside = live("dishes.txt", "--exec", FIRST, "-j", 2, "--judge", "min")
    assert "if one arm beats all others, it is egg (" in out.splitlines()[0]
    assert beside.endswith(f"{answers()} answers in dishes.jsonl\n")
    with duelbench.Session.open("dishes.jsonl", read_only=True) as session:
        assert session.judges == {"min": session.told}


def test_a_budget_counts_all_answers_of_the_session(dishes):
    live("dishes.txt", "--exec", FIRST, "--budget", 3)
    live("dishes.txt", "--exec", FIRST, "--budget", 5)
    live("dishes.txt", "--exec", FIRST, "--budget", 4)
    assert answers() == 5


def test_a_command_that_fails_ends_with_code_3_and_its_words_and_the_rest_is_kept(dishes):
    live("dishes.txt", said="1\n1\n")
    said = live("dishes.txt", "--exec", NEVER, "--retries", 0, fails=RunsFailed)
    assert said.endswith("exit code 1: no key")
    assert RunsFailed.exit_code == 3
    assert answers() == 2


def test_a_page_on_which_nothing_is_to_be_asked_is_not_served(dishes):
    live("dishes.txt", "--budget", 2, said="1\n2\n")
    out, beside = live("dishes.txt", "--budget", 2, "--web")
    assert "All 2 answers that were asked for are given." in beside and "http://" not in beside
    assert "chance to win" in out
    assert "next     nothing: all 2 answers are given" in live("dishes.txt", "--budget", 2, "--web", "--dry-run")[0]


def test_what_a_page_needs_is_there_before_a_session_begins(dishes):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert "cannot be used" in live("dishes.txt", "--web", "--port", port, fails=InputError)
    (dishes / "dishes.csv").write_text("name,path\na,a.bin\nb,\n")
    (dishes / "a.bin").write_bytes(b"\xff")
    assert "is not a text in UTF-8" in live("dishes.csv", "--web", fails=InputError)
    assert sorted(path.name for path in dishes.iterdir()) == ["a.bin", "dishes.csv", "dishes.txt"]


def test_an_arm_that_is_likelier_to_win_than_the_one_recommended_is_named():
    session = duelbench.Session("rucb", ["egg", "squid", "tuna"], seed=1)
    for _ in range(12):
        pair = session.ask()
        session.tell(pair, max(pair))
    document = known(session)
    first, *_, last = (arm["name"] for arm in document["arms"])
    assert not any("is likelier" in line for line in lines_of(document | {"recommended": first}))
    (line,) = (line for line in lines_of(document | {"recommended": last}) if "is likelier" in line)
    assert line.startswith(f"By all answers {first} is likelier to win than {last}, which the algorithm recommends (")


@pytest.mark.parametrize("log", ["new", "there"])
def test_a_dry_run_writes_nothing_and_names_the_first_pair(dishes, log):
    if log == "there":
        live("dishes.txt", said="1\n")
    before = {path.name: path.read_bytes() for path in dishes.iterdir()}
    said, _ = live("dishes.txt", "--dry-run", "--exec", FIRST)
    first = document("dishes.txt", "--dry-run", "--exec", FIRST)
    assert said.endswith("Nothing was asked, nothing was written.\n")
    assert f"next     {first['next'][0]} against {first['next'][1]}" in said
    assert first["command"] == [*shlex.split(FIRST), *first["next"]]
    assert {path.name: path.read_bytes() for path in dishes.iterdir()} == before
    _, beside = live("dishes.txt", said="")
    assert f"1  {first['next'][0]}\n2  {first['next'][1]}" in beside


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "name the ARMS to compare, a file or a folder; or a log: --status LOG"),
        (("dihses.txt",), "dihses.txt: there is no such file (did you mean 'dishes.txt'?)"),
        (("dishes.txt", "--status", "dishes.jsonl"), "--status dishes.jsonl: takes no ARMS; leave dishes.txt out"),
        (("dishes.txt", "--algorithm", "d-tss"), "did you mean 'd-ts'"),
        (("dishes.txt", "--param", "alpha"), "--param alpha: write parameters as NAME=VALUE, as in alpha=0.51"),
        (("dishes.txt", "--algorithm", "rucb", "--param", "aplha=1"), "unknown parameter 'aplha' for rucb"),
        (("dishes.txt", "--algorithm", "rucb", "--param", "alpha=x"), "--param alpha=x: alpha 'x' is not a number"),
        (("dishes.txt", "--algorithm", "rucb", "--param", "alpha=1", "--param", "alpha=2"), "alpha is given twice"),
        (("dishes.txt", "--delta", "1.5"), "delta"),
        (("dishes.txt", "--forbid", "egg"), "--forbid egg: write two names with a comma between them"),
        (("dishes.txt", "--forbid", "egg,tunna"), "there is no arm 'tunna' (did you mean 'tuna'?)"),
        (("dishes.txt", "--exec", "true", "--web"), "--exec and --web exclude each other"),
        (("dishes.txt", "-j", "2"), "--jobs: is for --exec CMD only"),
        (("dishes.txt", "--timeout", "9"), "--timeout: is for --exec CMD only"),
        (("dishes.txt", "--port", "99"), "--port: is for --web only"),
        (("dishes.txt", "--open"), "--open: is for --web only"),
        (("dishes.txt", "--exec", "true", "--timeout", "0"), "--timeout 0: must be a number of seconds above 0"),
        (("dishes.txt", "--exec", "no-such-program"), "there is no program 'no-such-program'"),
        (("dishes.txt", "--warm", "gone.csv"), "gone.csv: there is no such file"),
        (("--status", "dishes.jsonl", "--web"), "--status dishes.jsonl: asks nothing; leave --web out"),
        (("dishes.txt", "--judge", " "), "--judge: the name is empty"),
        (("dishes.txt", "--judge", "a\u200bb"), "--judge: the name is 'a\\u200bb', which cannot be printed"),
        (("dishes.txt", "--log", "nosuch/x.jsonl"), "there is no folder nosuch for the log; make it first"),
        (("dishes.txt", "--log", "nosuch/x.jsonl", "--dry-run"), "there is no folder nosuch for the log; make it"),
        (("dishes.txt", "--log", "dishes.txt", "--dry-run"), "dishes.txt: line 1 is not the first line"),
        (("dishes.txt", "--forbid", "egg,rice"), "there is no arm 'rice' (there are egg, squid, tuna)"),
        (("--status", "gone.jsonl"), "gone.jsonl"),
        (("--status", "dishes.txt"), "dishes.txt"),
    ],
)
def test_what_is_wrong_is_said_in_one_message_and_nothing_is_written(dishes, options, said):
    assert said in live(*options, fails=InputError)
    assert [path.name for path in dishes.iterdir()] == ["dishes.txt"]


def test_a_name_that_is_too_long_begins_no_session_and_goes_on_where_one_has_it(dishes, monkeypatch):
    (dishes / "long.txt").write_text("egg\n" + "x" * 3000 + "\n")
    assert "long.txt: the name 'xxx" in live("long.txt", said="1\n", fails=InputError)
    assert not (dishes / "long.jsonl").exists()
    with monkeypatch.context() as before_there_was_the_rule:
        before_there_was_the_rule.setattr("duelbench.live.names.LONGEST_OF_ARM", 3000)
        live("long.txt", said="1\n")
    live("long.txt", said="1\n")
    with duelbench.Session.open("long.jsonl") as session:
        assert session.told == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--seed", "1"), "--seed: the session in dishes.jsonl has 0; leave the option out to go on with it, or begin"),
        (("--algorithm", "rucb"), "--algorithm: the session in dishes.jsonl has d-ts-plus"),
        (("--delta", "0.2"), "--delta: the session in dishes.jsonl has 0.05"),
        (("--rule", "pairs"), "--rule: the session in dishes.jsonl has e-condorcet"),
        (("--ties", "drop"), "--ties: the session in dishes.jsonl has half"),
        (("--forbid", "egg,tuna"), "--forbid: the session in dishes.jsonl has another one"),
        (("--param", "alpha=0.9"), "--param alpha=0.9: the session in dishes.jsonl has "),
    ],
)
def test_a_log_goes_on_only_with_the_options_that_it_began_with(dishes, options, said):
    live("dishes.txt", said="1\n")
    before = (dishes / "dishes.jsonl").read_bytes()
    assert said in live("dishes.txt", *options, said="1\n", fails=InputError)
    assert (dishes / "dishes.jsonl").read_bytes() == before
    with_same = ("--seed", 0, "--algorithm", "d-ts-plus", "--delta", 0.05, "--rule", "e-condorcet", "--ties", "half")
    live("dishes.txt", *with_same, said="1\n")
    assert answers() == 2


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        (
            "egg\ntuna\nsquid\nrice\n",
            "dishes.jsonl: belongs to other arms: 'rice' is in dishes.txt but not in the session",
        ),
        ("egg\ntuna\n", "dishes.jsonl: belongs to other arms: 'squid' is not in dishes.txt but in the session"),
    ],
)
def test_a_log_goes_on_only_with_its_own_arms_in_any_order(dishes, arms, said):
    live("dishes.txt", said="1\n")
    (dishes / "dishes.txt").write_text(arms)
    assert said in live("dishes.txt", said="1\n", fails=InputError)
    (dishes / "dishes.txt").write_text("tuna\nsquid\negg\n")
    live("dishes.txt", said="1\n")
    assert answers() == 2


def test_a_file_that_is_no_log_is_not_touched(dishes):
    (dishes / "dishes.jsonl").write_text('{"mine": 1}\n')
    assert "dishes.jsonl" in live("dishes.txt", said="1\n", fails=InputError)
    assert (dishes / "dishes.jsonl").read_text() == '{"mine": 1}\n'


def test_an_arm_that_has_changed_is_named_when_the_session_goes_on(dishes):
    (dishes / "arms").mkdir()
    for name in "abc":
        (dishes / "arms" / f"{name}.txt").write_text(name)
    live("arms", said="1\n")
    assert "has changed" not in live("arms", said="")[1]
    (dishes / "arms" / "b.txt").write_text("another")
    (dishes / "arms" / "old").mkdir()
    beside = live("arms", said="")[1]
    assert (
        "\nwhat is shown of 'b' has changed since the session began; the answers to what it was still count\n" in beside
    )
    assert "\narms: the folder old in it is passed over\n" in beside


def test_a_command_without_a_budget_is_told_how_long_it_goes_on(dishes):
    said = "no --budget: goes on until the rule has its answer"
    assert said not in live("dishes.txt", "--exec", FIRST, "--budget", 2)[1]
    assert said in live("dishes.txt", "--exec", FIRST)[1]


def test_a_rule_that_no_table_of_wins_knows_is_told_from_that_of_the_numbers(dishes):
    said = "Both are by e-condorcet; e-bets may need fewer or more."
    assert said in live("dishes.txt", "--rule", "e-bets", said="1\n" * 4)[0]
    known = document("--status", "dishes.jsonl")
    assert (known["rule"], known["rule_of_certainty"]) == ("e-bets", "e-condorcet")
    live("dishes.txt", "--exec", FIRST)
    assert document("--status", "dishes.jsonl")["done"] and said not in live("--status", "dishes.jsonl")[0]


def test_long_names_that_begin_alike_are_told_apart(dishes):
    same, last = "the same long beginning of a prompt, ", ["and one end", "another", "and one end"]
    names = [same + last[0], same + last[1], same + "in the middle, too, " * 2 + last[2], "tea"]
    (dishes / "dishes.csv").write_text("name\n" + "".join(f'"{name}"\n' for name in names))
    rows = [line for line in live("dishes.csv", said="1\n")[0].splitlines() if line.startswith(("the same", "tea"))]
    assert len(rows) == len({row[:32] for row in rows}) == 4
