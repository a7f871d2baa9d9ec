"""The judges that `duelbench new judge` writes decide, wait, repeat and give up as they say, against a server here."""

import http.server
import io
import json
import sys
import threading
import time
from types import ModuleType

import pytest

from duelbench.experiments.plugins.starting import write_judge
from duelbench.judging.arms import Arm
from duelbench.judging.judging import ENDS_SESSION, Judge, Processes, Refused, line_of
from duelbench.judging.outputs import Question
from duelbench.judging.session import Pair

QUESTION = Question(Pair("a", "b", 1), Arm("a", "A {second} text."), Arm("b", ""), "q1", "Say something.")
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def reply(content, usage=USAGE):
    return 200, {}, json.dumps({"model": "small-1", "choices": [{"message": {"content": content}}], "usage": usage})


class Model(http.server.BaseHTTPRequestHandler):
    """Gives the replies of its server in turn: status, headers and content, or nothing for a while."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], body))
        answer = self.server.replies.pop(0)
        if answer == "stall":
            time.sleep(0.3)
            return
        status, headers, content = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        server.replies, server.requests = [], []
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1/")
        monkeypatch.setenv("OPENAI_MODEL", "small")
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server
        server.shutdown()


@pytest.fixture
def written(tmp_path, monkeypatch):
    """``written()`` is a judge that was just written, as a module that waits for nothing: ``waited`` has the pauses."""
    monkeypatch.chdir(tmp_path)

    def write(runs_prompts=False, **constants):
        module = ModuleType("judge")
        exec(compile(write_judge("my-judge", runs_prompts, force=True).read_text(), "judge", "exec"), module.__dict__)
        module.waited = []
        monkeypatch.setattr(module.time, "sleep", module.waited.append)
        for name, value in {"SECONDS": 0.1, "TRIES": 2, **constants}.items():
            setattr(module, name, value)
        return module

    return write


@pytest.fixture
def ask(server, capsys, monkeypatch):
    """``ask(judge, replies)``: what it prints, its exit code, and the last line of its complaints."""

    def run(judge, replies, attempt=1, question=QUESTION):
        server.replies, server.requests = list(replies), []
        monkeypatch.setattr(
            sys, "stdin", io.StringIO(line_of(question, Judge((), asks="Which?", instructions="Be fair."), attempt))
        )
        code = judge.main()
        printed, complaints = capsys.readouterr()
        return json.loads(printed) if printed else None, code, complaints.rpartition("judge: ")[2].strip()

    return run


def test_the_model_reads_question_instructions_input_and_texts_and_the_answer_says_what_was_used(written, ask, server):
    answer, code, _ = ask(written(PRICES=(10, 100)), [reply(" **2**\n")])
    assert code == 0 and answer == {
        "winner": "2",
        "model": "small-1",
        "reply": " **2**\n",
        "tokens": 120,
        "cost": 0.003,
    }
    ((path, key, body),) = server.requests
    assert (path, key, body["model"], body["temperature"]) == ("/v1/chat/completions", "Bearer secret", "small", 0.0)
    content = body["messages"][0]["content"]
    assert content.startswith(
        "Which?\n\nBe fair.\n\nBoth texts are answers to this:\n<input>\nSay something.\n</input>"
    )
    assert "<text_1>\nA {second} text.\n</text_1>\n\n<text_2>\n\n</text_2>" in content


def test_without_prices_or_usage_the_cost_is_unknown(written, ask):
    assert "cost" not in ask(written(), [reply("1")])[0]
    without_usage = ask(written(PRICES=(10, 100)), [reply("1", None)])[0]
    assert without_usage.keys() == {"winner", "model", "reply"}
    assert ask(written(), [reply("1", {"cost": 0.5, **USAGE})])[0]["cost"] == 0.5


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_wrong_key_or_model_ends_the_session_at_the_first_request(written, ask, server, code):
    answer, exit_code, complaint = ask(written(), [(code, {}, "no such\nkey")])
    assert answer is None and exit_code == ENDS_SESSION and len(server.requests) == 1
    assert complaint.startswith(f"the server answered {code}") and complaint.endswith("no such key")


def test_retry_after_is_obeyed_and_one_that_is_too_long_ends_the_session(written, ask, server):
    judge = written(TRIES=4)
    late = "Wed, 21 Oct 2015 07:28:00 GMT"
    busy = [(429, {"Retry-After": "7"}, ""), (503, {"Retry-After": late}, ""), (500, {}, ""), reply("1")]
    assert ask(judge, busy)[0]["winner"] == "1"
    assert judge.waited == [7.0, 0.0, 4.0]
    answer, code, complaint = ask(judge, [(429, {"Retry-After": "3600"}, "")])
    assert (answer, code) == (None, ENDS_SESSION) and "asks to wait 3600 s" in complaint
    assert ask(judge, [(429, {}, '{"code": "insufficient_quota"}')])[1] == ENDS_SESSION


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("stall", ""),
        ((200, {}, "<html>"), "no usable reply from http://127.0.0.1"),
        ((200, {}, '{"choices": []}'), "no usable reply from http://127.0.0.1"),
        ((200, {}, "[]"), "no usable reply from http://127.0.0.1"),
        ((502, {}, "bad gateway"), "the server answered 502 Bad Gateway bad gateway"),
    ],
)
def test_a_server_that_stalls_or_garbles_is_asked_again_and_then_given_up(written, ask, server, trouble, words):
    assert ask(written(), [trouble, reply("tie")])[0]["winner"] == "tie"
    answer, code, complaint = ask(written(), [trouble, trouble])
    assert (answer, code, len(server.requests)) == (None, 1, 2) and complaint.startswith(words)


def test_a_request_that_the_server_refuses_is_not_repeated(written, ask, server):
    assert ask(written(), [(400, {}, "too long")])[1:] == (1, "the server answered 400 Bad Request too long")
    assert len(server.requests) == 1
    fixed = [(400, {}, "Unsupported value: 'temperature'"), reply("1")]
    assert ask(written(), fixed)[0]["winner"] == "1"
    assert "temperature" not in server.requests[1][2]


def test_the_same_request_is_never_made_twice_at_temperature_0_and_all_replies_are_paid_for(written, ask, server):
    answer, _, _ = ask(written(), [reply("Both are good."), reply("1")])
    assert [body["temperature"] for _, _, body in server.requests] == [0.0, 0.7] and answer["tokens"] == 240
    answer, code, complaint = ask(written(), [reply("Hm."), reply("")], attempt=2)
    assert [body["temperature"] for _, _, body in server.requests] == [0.7, 0.7]
    assert (answer, code, complaint) == (None, 1, "the model named no winner")


def test_a_reply_is_understood_where_it_is_clear(written):
    verdict = written().verdict
    for words, winner in {
        "**1**": "1",
        "**B**": "2",
        "Answer:2": "2",
        "<think>\n1? 2?</think> 2": "2",
        "It is a _Tie_.": "tie",
        "Text 2 is better.": "2",
        "I prefer <text_2>.": "2",
        "The first one is clearly better than the second.": "1",
        "Text 1 beats 2": "1",
        "2\n\nIt names the cause.": "2",
        "Both are fine.\n\nFinal answer: **2**": "2",
        '{"winner": 1}': "1",
        '```json\n{"reason": "...", "winner": "text 2"}\n```': "2",
    }.items():
        assert verdict(words) == winner, words
    for words in (
        *("", "**", "12", "-1", "0.2", "1 or 2", "1, 2", "<think>1", "Neither.", "A good question.", "{}"),
        *("Text 1 is not better", "1 is no better than 2", "Text 1 has 2 errors", '{"winner": 3}', '{"winner": "1"'),
        *("I can't say that text 1 is better.", "Text 1 is better in style, but text 2 is better in substance."),
    ):
        assert verdict(words) is None, words


def test_a_judge_that_runs_prompts_runs_each_once_on_an_input_and_says_which(written, ask, server, tmp_path):
    judge = written(runs_prompts=True)
    prompts = QUESTION._replace(
        first=Arm("a", "Shorten: {input}!"), second=Arm("b", "Explain."), input=None, input_text=None
    )
    assert ask(judge, [], question=prompts)[1:] == (
        ENDS_SESSION,
        "inputs.txt: [Errno 2] No such file or directory: 'inputs.txt'; write inputs into it, one a line",
    )
    (tmp_path / "inputs.txt").write_text("rain\n\n")
    answer, _, _ = ask(judge, [reply("R."), reply("Water falls."), reply("1")], question=prompts)
    assert (answer["winner"], answer["input"], answer["tokens"]) == ("1", "rain", 360)
    contents = [body["messages"][0]["content"] for _, _, body in server.requests]
    assert contents[:2] == ["Shorten: rain!", "Explain.\n\nrain"] and "<text_1>\nR.\n</text_1>" in contents[2]
    assert ask(judge, [reply("2")], question=prompts.turned)[0]["winner"] == "2", "the outputs are kept"
    assert "<text_1>\nWater falls.\n</text_1>" in server.requests[0][2]["messages"][0]["content"]
    (tmp_path / "more.txt").write_text("{}\n")
    judge.OUTPUTS = "more.txt"
    assert ask(judge, [], question=prompts)[1:] == (
        ENDS_SESSION,
        "more.txt does not hold the outputs of this judge ('arm'); rename it",
    )
    kept = [json.loads(line) for line in (tmp_path / "my_judge_outputs.jsonl").read_text().splitlines()]
    assert [(line["arm"], line["input"], line["output"]) for line in kept] == [
        ("a", "rain", "R."),
        ("b", "rain", "Water falls."),
    ]


def test_as_a_program_it_ends_the_session_where_a_variable_is_missing(written, server, monkeypatch):
    written()
    monkeypatch.delenv("OPENAI_MODEL")
    with (
        Processes() as processes,
        pytest.raises(Refused, match=r"\): judge: set the variable OPENAI_MODEL"),
    ):
        processes.decide(Judge((sys.executable, "-S", "-E", "my_judge.py")), QUESTION, str)
