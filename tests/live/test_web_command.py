"""``duelbench live --web`` from the terminal: it says where the page is, outlives being killed, and ends in peace."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from duelbench import Session
from duelbench.cli.live import web
from duelbench.errors import InputError
from duelbench.live.arms import Arm
from duelbench.live.web.address import HOST, Address, keep, kept_address, new_address

ARMS = [Arm("tea"), Arm("water"), Arm("milk")]


def said(url, act, **content):
    """What the server says to a page."""
    origin = re.match(r"http://[^/]*", url)[0]
    headers = {"Content-Type": "application/json", "Origin": origin}
    body = json.dumps({"tab": "a", **content}).encode()
    with urllib.request.urlopen(urllib.request.Request(url + act, body, headers), timeout=20) as answer:
        return json.load(answer)


@pytest.fixture
def begun(tmp_path):
    """Starts the command on the same arms, again and again: the process and its address."""
    (tmp_path / "dishes.txt").write_text("".join(f"{arm.name}\n" for arm in ARMS))
    started = []

    def begin():
        words = [
            sys.executable,
            "-m",
            "duelbench",
            "live",
            str(tmp_path / "dishes.txt"),
            "--web",
            "--algorithm",
            "random",
        ]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        for line in process.stderr:
            if line.startswith("http://"):
                return process, line.strip()
        raise AssertionError("no address was printed")

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def test_a_killed_server_goes_on_at_its_address_and_ctrl_c_ends_it_with_what_is_known(begun):
    process, url = begun()
    view = said(url, "look")
    view = said(url, "answer", number=view["question"]["number"], outcome="first")
    process.kill()
    process.wait()

    process, again = begun()
    assert again == url
    assert said(again, "look")["told"] == 1
    assert said(again, "look")["question"] == view["question"]
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "chance to win" in out and "Traceback" not in error
    assert "1 answer in" in error and "the same command goes on" in error


@pytest.fixture
def taken():
    """A port at which somebody else listens."""
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def ended(monkeypatch):
    """Servers end at once, as by Ctrl-C; their addresses."""
    addresses = []

    def serve(server):
        addresses.append(server.address)
        server.server_close()
        raise KeyboardInterrupt

    monkeypatch.setattr(web.Server, "serve", serve)
    return addresses


@pytest.fixture
def session():
    with Session("random", arms=[arm.name for arm in ARMS]) as session:
        yield session


def test_a_port_that_is_taken_is_said(taken):
    with pytest.raises(InputError, match=f"--port {taken}: cannot be used: .*leave it out"):
        web.page(ARMS, port=taken)


def test_the_port_that_is_asked_for_is_used(session, ended, taken):
    free = taken + 1 if taken < 65535 else taken - 1
    try:
        web.serve(session, web.page(ARMS, port=free))
    except InputError:
        pytest.skip("the next port is taken, too")
    assert ended[0].port == free


def test_where_the_port_of_last_time_is_taken_both_port_and_token_are_new(session, ended, taken, tmp_path, capsys):
    log = tmp_path / "answers.jsonl"
    before = Address(taken, new_address().token)
    keep(before, log)
    web.serve(session, web.page(ARMS, log=log), log=log)
    assert "is taken" in capsys.readouterr().err
    assert ended[0].port != taken and ended[0].token != before.token
    assert kept_address(log) == ended[0]


def test_the_second_server_on_a_log_has_the_address_of_the_first(session, ended, tmp_path, capsys):
    for _ in range(2):
        log = tmp_path / "answers.jsonl"
        web.serve(session, web.page(ARMS, log=log), log=log)
    assert ended[0] == ended[1]
    assert capsys.readouterr().err.count(ended[0].url) == 2


def test_where_the_address_cannot_be_kept_the_page_is_served_all_the_same(session, ended, tmp_path):
    log = tmp_path / "no" / "such" / "folder.jsonl"
    web.serve(session, web.page(ARMS, log=log), log=log)
    assert ended


def test_a_browser_is_opened_only_where_it_is_asked_for(session, ended, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(web.webbrowser, "open", opened.append)
    web.serve(session, web.page(ARMS))
    assert not opened
    web.serve(session, web.page(ARMS), opens=True)
    assert opened == [ended[1].url]
    assert "No browser was found" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\x89PNG"])
def test_a_file_that_a_page_cannot_show_is_refused_with_its_name(tmp_path, content):
    file = tmp_path / "arm.bin"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"'tea': .*arm\.bin is not a text in UTF-8"):
        web.page([Arm("tea", path=file), *ARMS[1:]])
