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
from duelbench.cli.live.presentation import Presentation
from duelbench.judging.arms import Arm
from duelbench.judging.web.address import HOST, Address, new_address, store, stored_address

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
        words = [sys.executable, "-m", "duelbench", "live", str(tmp_path / "dishes.txt"), "--web"]
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


@pytest.mark.thorough
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
    assert "95% interval" in out and "Traceback" not in error
    assert "1 answer in" in error and "run the same command to resume" in error


def test_where_the_port_of_last_time_is_taken_both_port_and_token_are_new(monkeypatch, tmp_path, capsys):
    addresses = []

    def ended_at_once(server):
        addresses.append(server.address)
        server.server_close()
        raise KeyboardInterrupt

    monkeypatch.setattr(web.Server, "serve", ended_at_once)
    log = tmp_path / "answers.jsonl"
    with socket.socket() as other, Session("random", arms=[arm.name for arm in ARMS]) as session:
        other.bind((HOST, 0))
        other.listen()
        before = Address(other.getsockname()[1], new_address().token)
        store(before, log)
        with web.prepared(ARMS, log) as page:
            web.serve(session, page, log, presentation=Presentation(), judge=None, budget=None)
    assert "uses the earlier port" in capsys.readouterr().err
    assert addresses[0].port != before.port and addresses[0].token != before.token
    assert stored_address(log) == addresses[0]
