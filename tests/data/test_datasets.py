"""Fetched data: checked against what was published, from a server or from a copy, and asked for in one line."""

import hashlib
import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from duelbench.data import datasets, importing
from duelbench.data.datasets import Collection, DataFile, copied, download, fetched
from duelbench.errors import InputError

ORDERS = {"sushi3a.5000.10.order": b"2 1\n0 2 1 0\n", "sushi3b.5000.10.order": b"3 1\n0 2 1 0\n"}


ANSWERS = {
    "/away": (302, {"Location": "ftp://127.0.0.1/passwd"}, b""),
    "/near": (302, {"Location": "/data"}, b""),
    "/data": (200, {}, b"x" * 100),
    "/broken": (200, {"Content-Length": "1000"}, b"x"),
}


class Handler(BaseHTTPRequestHandler):
    """Serves a few paths."""

    def do_GET(self):
        status, headers, body = ANSWERS.get(self.path, (404, {}, b""))
        self.send_response(status)
        for header in headers.items():
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture(scope="module")
def server():
    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=served.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
    thread.join()
    served.server_close()


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    for proxy in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    monkeypatch.setenv("no_proxy", "*")


def test_an_answer_is_read_within_its_limit_and_what_else_happens_is_one_message(server):
    for path in ("data", "near"):
        assert download(f"{server}/{path}", schemes=("http",), limit=100) == b"x" * 100
    for address, limit, word in (
        (f"{server}/away", 100, "ftp://127.0.0.1/passwd: only http is followed"),
        (f"{server}/data", 99, "more than 99 bytes"),
        (f"{server}/missing", 100, "404 Not Found; .*--from PATH"),
        (f"{server}/broken", 5000, "breaks off after 1 bytes"),
        ("http://127.0.0.1:9/data", 100, "cannot be reached .*online"),
    ):
        with pytest.raises(InputError, match=word):
            download(address, schemes=("http",), limit=limit)
    for address in (f"{server}/data", "file:///etc/passwd"):
        with pytest.raises(InputError, match="only https is followed"):
            download(address)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"sushi3-2016/{name}", content)
    return buffer.getvalue()


SUSHI = datasets.COLLECTIONS["sushi"]
GOOD = b"the matrix"
CHECKED = Collection("demo", "", "", (DataFile("a.npz", hashlib.sha256(GOOD).hexdigest()),), ("https://x/a.npz",))


def test_downloads_are_checked_and_unpacked_in_memory(monkeypatch):
    def answer(content: bytes) -> None:
        monkeypatch.setattr(datasets, "download", lambda url: content)

    answer(GOOD)
    assert fetched(CHECKED) == {"a.npz": GOOD}
    answer(zipped({"README-en.txt": b"", **ORDERS}))
    assert fetched(SUSHI) == ORDERS
    for collection, content, message in (
        (CHECKED, GOOD + b"!", "https://x/a.npz: has the SHA-256 [0-9a-f]{64}, not .*"),
        (SUSHI, b"<html>", "not a readable zip archive"),
        (SUSHI, zipped({"README": b""}), "the archive has no sushi3a"),
        (SUSHI, zipped(ORDERS)[:-30], "not a readable zip archive"),
        (SUSHI, zipped({**ORDERS, "sushi3a.5000.10.order": b"0" * (33 << 20)}), "has more than 32 MB"),
    ):
        answer(content)
        with pytest.raises(InputError, match=message):
            fetched(collection)


def test_a_copy_is_recognised_whatever_it_is_called_and_may_be_the_archive_or_its_folder(tmp_path):
    (tmp_path / "renamed.bin").write_bytes(GOOD)
    assert copied(CHECKED, tmp_path / "renamed.bin") == {"a.npz": GOOD}
    (tmp_path / "sushi.zip").write_bytes(zipped(ORDERS))
    assert copied(SUSHI, tmp_path / "sushi.zip") == ORDERS
    (tmp_path / "a.npz").write_bytes(b"something else")
    (tmp_path / "unpacked").mkdir()
    for collection, name, message in (
        (CHECKED, "a.npz", "is none of the files of 'demo'"),
        (CHECKED, "", "is none of the files"),
        (SUSHI, "unpacked", "there is none of sushi3a.5000.10.order, sushi3b"),
        (SUSHI, "nothing", "no such file"),
    ):
        with pytest.raises(InputError, match=message):
            copied(collection, tmp_path / name)
    for name, content in ORDERS.items():
        (tmp_path / "unpacked" / name).write_bytes(content)
    assert copied(SUSHI, tmp_path / "unpacked") == ORDERS


def test_data_that_were_not_fetched_are_asked_for_in_one_line_and_unknown_names_get_the_nearest():
    for name in datasets.DATASETS:
        with pytest.raises(InputError, match=f"^{name} .*`duelbench matrix fetch {name.split('-')[0]}`"):
            datasets.dataset_path(name)
    with pytest.raises(InputError, match="'mslr-perfect'"):
        datasets.dataset_path("mslr-prefect")
    with pytest.raises(InputError, match="'sushi'"):
        datasets.collection("sush")


def test_the_data_folder_is_the_users(monkeypatch, tmp_path):
    assert datasets.data_folder() == tmp_path / "data-home" / "duelbench"
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    monkeypatch.setattr("sys.platform", "linux")
    assert datasets.data_folder().parts[-3:] == (".local", "share", "duelbench")
    monkeypatch.setattr("sys.platform", "darwin")
    assert datasets.data_folder().parts[-2:] == ("Application Support", "duelbench")


def test_stored_data_are_read_by_name_unless_they_changed():
    for name, content in {**ORDERS, "MSLR_Perfect_PMat.npz": b"tampered"}.items():
        folder = datasets.data_folder() / ("mslr" if name.startswith("MSLR") else "sushi")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    assert importing.load_dataset("sushi-a").P.tolist() == [[0.5, 0.0], [1.0, 0.5]]
    with pytest.raises(InputError, match=r"is damaged: .*`duelbench matrix fetch mslr --force`"):
        importing.load_dataset("mslr-perfect")
