"""The judges of docs/examples decide, retry, and give up as they say."""

import http.server
import json
import os
import runpy
import subprocess
import sys
import threading
import time

import pytest

from tests.docs.following import ROOT

JUDGES = ROOT / "docs" / "examples" / "judges"
QUESTION = {
    "number": 1,
    "first": {"name": "a", "text": "A {second} text.", "path": None},
    "second": {"name": "b", "text": None, "path": None},
}


def said(content):
    usage = {"prompt_tokens": 100, "completion_tokens": 2}
    return 200, json.dumps({"choices": [{"message": {"content": content}}], "usage": usage}).encode()


@pytest.fixture
def ask(tmp_path):
    """``ask(answers)`` asks the judge, while a server gives these answers in turn; what was asked is in ``asked``."""
    asked = []

    class Model(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers["Authorization"], json.loads(body)))
            answer = self.server.answers.pop(0)
            if answer == "stall":
                time.sleep(1.5)
                return
            self.send_response(answer[0])
            self.end_headers()
            self.wfile.write(answer[1])

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def run(answers, *arguments, **more):
        server.answers = list(answers)
        variables = {
            "JUDGE_URL": f"http://127.0.0.1:{server.server_port}/v1/",
            "JUDGE_MODEL": "small",
            "JUDGE_KEY": "secret",
            "JUDGE_TIMEOUT": "0.5",
            "JUDGE_TRIES": "2",
            "JUDGE_PRICES": "10,100",
            "NO_PROXY": "127.0.0.1",
            **more,
        }
        return subprocess.run(
            [sys.executable, str(JUDGES / "openai_compatible.py"), *(arguments or ("a", "b"))],
            input=json.dumps(QUESTION),
            env={**os.environ, **variables},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    run.asked = asked
    yield run
    server.shutdown()
    server.server_close()


@pytest.mark.thorough
def test_a_model_judges_and_its_tokens_are_counted(ask):
    assert ask([said(" 2.\n")]).stdout == "2\n"
    path, key, body = ask.asked[0]
    assert (path, key, body["model"]) == ("/v1/chat/completions", "Bearer secret", "small")
    assert "<first>\nA {second} text.\n</first>\n\n<second>\nb\n</second>" in body["messages"][0]["content"]
    assert ask([said("The first one."), said("Tie")]).stdout == "tie\n"
    assert ask([], "--usage", JUDGE_PRICES="0.15").stderr.startswith("judge: JUDGE_PRICES is '0.15'; write dollars")
    assert ask([], "--usage").stdout == "3 answers, 300 tokens in, 6 out, $0.00\n"


@pytest.mark.thorough
@pytest.mark.parametrize(("turned", "answer"), [("2", "1\n"), ("1", "tie\n"), ("tie", "tie\n")])
def test_in_both_orders_a_model_that_prefers_a_side_has_a_tie(ask, turned, answer):
    assert ask([said("1"), said(turned)], JUDGE_ORDERS="both").stdout == answer
    second = ask.asked[1][2]["messages"][0]["content"]
    assert "<first>\nb\n</first>" in second


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("answers", "stdout", "stderr"),
    [
        (["stall", said("1")], "1\n", "judge: "),
        ([(200, b"<html>"), said("1")], "1\n", "judge: JSONDecodeError"),
        ([(200, b'{"choices": []}'), (200, b"[]")], "", "judge: IndexError"),
        ([(429, b""), said("2")], "2\n", "judge: the server answered 429"),
        ([(401, b"no such\nkey"), said("2")], "", "judge: the server answered 401 Unauthorized no such key"),
        ([said("both"), said("12")], "", "judge: the model answered 'both'"),
    ],
)
def test_a_server_that_stalls_garbles_or_refuses_is_asked_again_or_ends_the_judge(ask, answers, stdout, stderr):
    done = ask(answers)
    assert (done.stdout, done.returncode) == (stdout, 0 if stdout else 1)
    assert done.stderr.startswith(stderr) and "Traceback" not in done.stderr
    assert len(ask.asked) == (1 if "401" in stderr else 2)


def test_an_answer_of_a_model_is_its_last_word_if_no_other_is_in_it():
    verdict = runpy.run_path(str(JUDGES / "openai_compatible.py"))["verdict"]
    for words, answer in {
        "**1**": "1",
        "Answer: 2": "2",
        "<think>\n1? 2?</think> 2": "2",
        "It is a _Tie_.": "tie",
    }.items():
        assert verdict(words) == answer, words
    for words in ("", "**", "12", "-1", "0.2", "1 or 2", "1, 2", "2 is better", "<think>1", "Text 1 beats 2", "first"):
        assert verdict(words) is None, words


def test_a_match_without_a_command_says_how_to_give_one():
    done = subprocess.run([sys.executable, str(JUDGES / "match.py"), "a", "b"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("match: add the command that plays a game")


@pytest.mark.parametrize(("printed", "answer"), [("0-1 then 1-0", "1\n"), ("1/2-1/2", "tie\n"), ("11-0", "")])
def test_a_match_is_decided_by_its_last_result(printed, answer):
    play = [
        sys.executable,
        "-c",
        "import sys; assert sys.argv[1] == 'A ' + chr(123) + 'second} text.'; print(sys.argv[2])",
    ]
    words = [sys.executable, str(JUDGES / "match.py"), *play, "{first}", printed, "a", "b"]
    done = subprocess.run(words, input=json.dumps(QUESTION), capture_output=True, text=True)
    assert (done.stdout, done.returncode) == (answer, 0 if answer else 1), done.stderr
