"""The server answers the page alone, by token, host and origin, and serves only what the page is made of."""

import http.client
import json

import pytest

from duelbench import Session
from duelbench.errors import DuelbenchError
from duelbench.judging.arms import Arm
from duelbench.judging.web.address import HOST, Address, file_beside, new_address, store, stored_address
from duelbench.judging.web.exhibits import exhibit
from duelbench.judging.web.server import MOST_BYTES
from tests.judging.web_serving import serving

PICTURE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="teal"/></svg>'
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Three arms: a name, a picture and a page of HTML."""
    folder = tmp_path_factory.mktemp("arms")
    (folder / "teal.svg").write_bytes(PICTURE)
    (folder / "page.html").write_text("<script>parent.document.title = 'mine'</script><p>A page.</p>")
    (folder / "secret.txt").write_text("secret")
    arms = [Arm("tea"), Arm("teal", path=folder / "teal.svg"), Arm("page", path=folder / "page.html")]
    with (
        Session("random", arms=[arm.name for arm in arms], seed=1) as session,
        serving(session, [exhibit(arm) for arm in arms]) as server,
    ):
        yield server


def ask(server, method, path, body=None, **headers):
    """Status, headers and content of the answer; ``path`` is relative to the page unless it begins with a slash."""
    names = {"Host": f"{HOST}:{server.address.port}"}
    if method == "POST":
        names |= {"Origin": f"http://{HOST}:{server.address.port}", "Content-Type": "application/json"}
    names |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection(HOST, server.address.port, timeout=10)
    try:
        target = path if path.startswith("/") else f"/{server.address.token}/{path}"
        connection.request(method, target, body, {name: value for name, value in names.items() if value is not None})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def said(server, act, **content):
    status, _, answer = ask(server, "POST", act, json.dumps({"tab": "a", **content}))
    return status, json.loads(answer)


def test_what_the_page_is_made_of_is_served_and_files_of_arms_may_run_and_fetch_nothing(server):
    for name in ("", "page.css", "page.js", "arm/1", "arm/2"):
        status, headers, content = ask(server, "GET", name)
        assert status == 200 and content
        assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
        rules = headers["Content-Security-Policy"]
        assert "default-src 'none'" in rules and "unsafe-inline'; script" not in rules
        if name.startswith("arm/"):
            assert rules.startswith("sandbox;") and "script-src" not in rules and "http" not in rules
            assert "'self'" not in rules.split("frame-ancestors")[0]
    _, headers, content = ask(server, "GET", "arm/1")
    assert content == PICTURE and headers["Content-Type"] == "image/svg+xml"


def test_nothing_else_is_served(server):
    others = ("arm/0", "arm/3", "arm/-1", "arm/", "arm/1/..", "arm/../page.css", "secret.txt", "arm/secret.txt")
    for name in (*others, "../server.py", "%2e%2e/server.py", "arm/%C2%B2"):
        status, _, content = ask(server, "GET", name)
        assert status == 404 and content in (b"there is no such page\n", b"this arm has no file\n"), name


def test_without_the_token_or_under_another_name_nobody_gets_an_answer(server):
    """A name may have been turned to this machine."""
    token, port = server.address.token, server.address.port
    paths = ("/", "/look", "/page.js", f"/{token[:20]}/look", f"/{token}x/look", "//look")
    hosts = ("evil.example", f"evil.example:{port}", HOST, f"{HOST}:1", f"localhost.evil.example:{port}", "")
    for method, body in (("GET", None), ("POST", "{}")):
        for path in paths:
            status, _, content = ask(server, method, path, body)
            assert status == 403 and token not in content.decode(), path
        for host in hosts:
            assert ask(server, method, "look", body, Host=host)[0] == 403, host


def test_only_the_page_itself_changes_anything(server):
    port = server.address.port
    for origin in (None, "null", "http://evil.example", f"https://{HOST}:{port}", f"http://{HOST}:1"):
        assert ask(server, "POST", "look", '{"tab": "a"}', Origin=origin)[0] == 403, origin
    assert ask(server, "POST", "look", '{"tab": "a"}', Content_Type="text/plain")[0] == 415  # as forms of others send
    host = f"localhost:{port}"
    assert ask(server, "POST", "look", '{"tab": "a"}', Host=host, Origin=f"http://{host}")[0] == 200


def test_what_is_no_message_of_the_page_is_refused_and_a_long_one_not_even_read(server):
    for body in ("", "{", "[]", "{}", '{"tab": 1}', json.dumps({"tab": "x" * 101}), "[" * 10_000, b"\xff"):
        status, _, content = ask(server, "POST", "look", body)
        assert status == 400 and json.loads(content)["error"], body
    assert ask(server, "POST", "look", "x" * (MOST_BYTES + 1))[0] == 413
    for headers, status in (
        ({"Content_Length": None, "Transfer_Encoding": "chunked"}, 411),
        ({"Content_Length": "-1"}, 400),
        ({"Content_Length": "9" * 5000}, 413),
    ):
        found, _, content = ask(server, "POST", "look", iter([b"{}"]), **headers)
        assert found == status and json.loads(content)["error"]
    for method in ("HEAD", "PUT", "OPTIONS", "TRACE"):
        status, headers, _ = ask(server, method, "")
        assert status == 405 and "default-src 'none'" in headers["Content-Security-Policy"]


def test_an_answer_that_is_none_is_refused(server):
    told = said(server, "look")[1]["told"]
    for content in (
        {},
        {"number": "0", "outcome": "first"},
        {"number": True, "outcome": "tie"},
        {"number": 0, "outcome": "third"},
        {"number": 0, "outcome": "first", "judge": 7},
        {"number": 0, "outcome": "first", "arms": [0]},
    ):
        status, view = said(server, "answer", **content)
        assert status == 400 and view["error"], content
    assert said(server, "look")[1]["told"] == told


def test_a_judge_whose_name_cannot_be_kept_is_told_so_and_the_question_stays(tmp_path):
    with Session("random", arms=["a", "b"], log=tmp_path / "log.jsonl") as session, serving(session) as server:
        _, view = said(server, "look")
        for judge in ("\ud800", "a\u200bb", "a\nb", "x" * 101):
            status, refused = said(server, "answer", number=view["question"]["number"], outcome="first", judge=judge)
            assert status == 400 and "Judge" in refused["error"]
            assert said(server, "look")[1] == view
        assert said(server, "answer", number=view["question"]["number"], outcome="first", judge=" Åsa ")[0] == 200
        assert session.judges == {"Åsa": 1}


def test_the_address_is_kept_for_its_owner_alone_and_none_that_others_may_have_read_or_changed_is_used(tmp_path):
    log = tmp_path / "answers.jsonl"
    address = Address(12345, new_address().token)
    store(address, log)
    file = file_beside(log)
    assert stored_address(log) == address and file.stat().st_mode & 0o077 == 0
    file.chmod(0o644)
    assert stored_address(log) is None
    file.chmod(0o600)
    for content in (
        "[]",
        "\x00",
        '{"port": 80, "token": "{t}"}',
        '{"port": "8080", "token": "{t}"}',
        '{"port": 8080, "token": "short"}',
        '{"port": 8080, "token": "../../../../../../../../../../etc/passwd"}',
    ):
        file.write_text(content.replace("{t}", address.token))
        assert stored_address(log) is None, content


def test_an_answer_that_cannot_be_kept_is_not_acknowledged_and_after_a_fault_pages_go_on(monkeypatch, capfd):
    def full(*_, **__):
        raise DuelbenchError("the log cannot be written: the disk is full")

    with Session("random", arms=["a", "b"]) as session, serving(session) as server:
        _, view = said(server, "look")
        monkeypatch.setattr(session, "tell", full)
        status, refused = said(server, "answer", number=view["question"]["number"], outcome="first")
        assert status == 500 and "disk is full" in refused["error"]
        monkeypatch.setattr(session, "tell", lambda *_, **__: 1 / 0)
        assert said(server, "answer", number=view["question"]["number"], outcome="first")[0] == 500
        monkeypatch.undo()
        assert said(server, "look")[1]["question"] == view["question"]
    assert "ZeroDivisionError" in capfd.readouterr().err
