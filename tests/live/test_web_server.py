"""The server answers the page alone, by token, host and origin, and serves only what the page is made of."""

import http.client
import json

import pytest

from duelbench import Session
from duelbench.errors import DuelbenchError
from duelbench.live.arms import Arm
from duelbench.live.web.address import HOST, Address, file_beside, keep, kept_address, new_address
from duelbench.live.web.exhibits import Exhibit, exhibit
from duelbench.live.web.server import MOST_BYTES
from tests.live.web_serving import serving

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


@pytest.mark.parametrize("name", ["", "page.css", "page.js", "arm/1", "arm/2"])
def test_what_the_page_is_made_of_is_served_and_never_kept_by_the_browser(server, name):
    status, headers, content = ask(server, "GET", name)
    assert status == 200 and content
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe-inline'; script" not in headers["Content-Security-Policy"]


def test_the_file_of_an_arm_may_run_nothing_and_fetch_nothing(server):
    _, headers, content = ask(server, "GET", "arm/1")
    assert content == PICTURE and headers["Content-Type"] == "image/svg+xml"
    rules = headers["Content-Security-Policy"]
    assert (
        rules.startswith("sandbox;")
        and "script-src" not in rules
        and "http" not in rules
        and "'self'" not in rules.split("frame-ancestors")[0]
    )


@pytest.mark.parametrize(
    "name",
    [
        "arm/0",
        "arm/3",
        "arm/-1",
        "arm/",
        "arm/1/..",
        "arm/../page.css",
        "secret.txt",
        "arm/secret.txt",
        "server.py",
        "../server.py",
        "%2e%2e/server.py",
        "arm/²",
    ],
)
def test_nothing_else_is_served(server, name):
    status, _, content = ask(server, "GET", name.replace("²", "%C2%B2"))
    assert status == 404 and content in (b"there is no such page\n", b"this arm has no file\n")


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/", "/look", "/page.js", "/{half}/look", "/{token}x/look", "//look", "/favicon.ico"])
def test_without_the_token_nobody_gets_an_answer(server, method, path):
    token = server.address.token
    status, _, content = ask(
        server, method, path.format(token=token, half=token[:20]), "{}" if method == "POST" else None
    )
    assert status == 403 and token not in content.decode()


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""]
)
def test_a_name_that_was_turned_to_this_machine_opens_nothing(server, method, host):
    status, _, _ = ask(
        server, method, "look", "{}" if method == "POST" else None, Host=host.format(port=server.address.port)
    )
    assert status == 403


def test_this_machine_may_be_called_localhost(server):
    host = f"localhost:{server.address.port}"
    assert ask(server, "GET", "", Host=host)[0] == 200
    assert ask(server, "POST", "look", '{"tab": "a"}', Host=host, Origin=f"http://{host}")[0] == 200


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1"]
)
def test_only_the_page_itself_changes_anything(server, origin):
    origin = origin and origin.format(port=server.address.port)
    assert ask(server, "POST", "look", '{"tab": "a"}', Origin=origin)[0] == 403


def test_what_a_form_of_another_page_can_send_is_refused(server):
    assert ask(server, "POST", "look", '{"tab": "a"}', Content_Type="text/plain")[0] == 415


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "{}", '{"tab": 1}', '{"tab": ""}', json.dumps({"tab": "x" * 101}), "[" * 10_000, b"\xff"]
)
def test_what_is_no_message_of_the_page_is_refused(server, body):
    status, _, content = ask(server, "POST", "look", body)
    assert status == 400 and json.loads(content)["error"]


@pytest.mark.parametrize(
    ("headers", "status", "why"),
    [
        ({"Content_Length": None, "Transfer_Encoding": "chunked"}, 411, "must say how many bytes"),
        ({"Content_Length": "-1"}, 400, "not '-1'"),
        ({"Content_Length": "9" * 5000}, 413, "bytes at most"),
    ],
)
def test_a_message_of_no_known_length_is_refused_with_the_reason(server, headers, status, why):
    found, _, content = ask(server, "POST", "look", iter([b"{}"]), **headers)
    assert found == status and why in json.loads(content)["error"]


@pytest.mark.parametrize("method", ["HEAD", "PUT", "OPTIONS", "TRACE"])
def test_other_methods_are_refused_under_the_same_rules(server, method):
    status, headers, content = ask(server, method, "")
    assert status == 405 and headers["Allow"] == "GET, POST"
    assert "default-src 'none'" in headers["Content-Security-Policy"] and headers["Cache-Control"] == "no-store"
    assert (content == b"") == (method == "HEAD")


def test_the_address_without_its_last_slash_leads_to_the_page(server):
    status, headers, _ = ask(server, "GET", f"/{server.address.token}")
    assert status == 308 and headers["Location"] == f"/{server.address.token}/"


def test_a_wrong_address_is_a_sentence_in_a_browser(server):
    _, headers, content = ask(server, "GET", "/wrong/")
    assert headers["Content-Type"].startswith("text/plain") and b"open the one that it has printed" in content


def test_a_long_message_is_not_even_read(server):
    assert ask(server, "POST", "look", "x" * (MOST_BYTES + 1))[0] == 413


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"number": "0", "outcome": "first"},
        {"number": True, "outcome": "tie"},
        {"number": 0, "outcome": 1},
        {"number": 0, "outcome": "third"},
        {"number": 0, "outcome": "first", "judge": 7},
        {"number": 0, "outcome": "first", "arms": [0]},
        {"number": 0, "outcome": "first", "arms": 1},
    ],
)
def test_an_answer_that_is_none_is_refused(server, content):
    told = said(server, "look")[1]["told"]
    status, view = said(server, "answer", **content)
    assert status == 400 and view["error"]
    assert said(server, "look")[1]["told"] == told


def test_a_question_is_asked_and_answered(server):
    _, view = said(server, "look")
    status, after = said(server, "answer", number=view["question"]["number"], outcome="first", judge="Ada")
    assert status == 200 and after["told"] == view["told"] + 1


def test_what_is_known_has_a_row_for_each_arm(server):
    _, view = said(server, "known")
    assert sorted(arm["name"] for arm in view["arms"]) == ["page", "tea", "teal"]
    assert all(0 <= arm["borda_low"] <= arm["borda"] <= arm["borda_high"] <= 1 for arm in view["arms"])


def test_a_file_that_has_gone_is_said(tmp_path):
    file = tmp_path / "a.png"
    file.write_bytes(b"")
    with (
        Session("random", arms=["a", "b"]) as session,
        serving(session, [exhibit(Arm("a", path=file)), Exhibit("name", "b")]) as server,
    ):
        file.unlink()
        status, _, content = ask(server, "GET", "arm/0")
    assert status == 404 and b"cannot be read" in content


def test_an_answer_that_cannot_be_kept_is_not_acknowledged(monkeypatch):
    with Session("random", arms=["a", "b"]) as session, serving(session) as server:
        _, view = said(server, "look")

        def full(*_, **__):
            raise DuelbenchError("the log cannot be written: the disk is full")

        monkeypatch.setattr(session, "tell", full)
        status, refused = said(server, "answer", number=view["question"]["number"], outcome="first")
        monkeypatch.undo()
        assert status == 500 and "disk is full" in refused["error"]
        assert said(server, "look")[1]["question"] == view["question"]


def test_a_fault_of_the_code_is_told_and_the_other_pages_go_on(monkeypatch, capfd):
    with Session("random", arms=["a", "b"]) as session, serving(session) as server:
        monkeypatch.setattr(session, "ask", lambda: 1 / 0)
        status, view = said(server, "look")
        monkeypatch.undo()
        assert status == 500 and "ZeroDivisionError" in view["error"]
        assert said(server, "look")[1]["question"]
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.parametrize("judge", ["\ud800", "a\u200bb", "a\nb", "x" * 101])
def test_a_judge_whose_name_cannot_be_kept_is_told_so_and_the_question_stays(tmp_path, judge):
    with Session("random", arms=["a", "b"], log=tmp_path / "log.jsonl") as session, serving(session) as server:
        _, view = said(server, "look")
        status, refused = said(server, "answer", number=view["question"]["number"], outcome="first", judge=judge)
        assert status == 400 and "Judge: the name" in refused["error"]
        assert said(server, "look")[1] == view
        assert said(server, "answer", number=view["question"]["number"], outcome="first", judge="Åsa")[0] == 200
        assert session.judges == {"Åsa": 1}


def test_the_address_is_kept_beside_the_log_for_its_owner_alone(tmp_path):
    log = tmp_path / "answers.jsonl"
    address = Address(12345, new_address().token)
    keep(address, log)
    assert kept_address(log) == address
    assert file_beside(log).stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl.address"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"port": 80, "token": "{t}"}',
        '{"port": "8080", "token": "{t}"}',
        '{"port": 8080, "token": "short"}',
        '{"port": 8080, "token": "../../../../../../../../../../etc/passwd"}',
        "\x00",
    ],
)
def test_an_address_that_is_none_is_passed_over(tmp_path, content):
    file = file_beside(tmp_path / "log")
    file.write_text(content.replace("{t}", "x" * 43))
    file.chmod(0o600)
    assert kept_address(tmp_path / "log") is None


def test_an_address_that_others_may_have_read_is_not_used_again(tmp_path):
    keep(Address(12345, new_address().token), tmp_path / "log")
    file_beside(tmp_path / "log").chmod(0o644)
    assert kept_address(tmp_path / "log") is None


def test_every_address_has_a_token_of_its_own():
    assert len({new_address().token for _ in range(100)}) == 100
