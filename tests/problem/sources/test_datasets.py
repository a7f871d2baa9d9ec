"""Fetched data: checked against what was published, from a server or from a copy, and asked for in one line."""

import hashlib
import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from duelbench.errors import InputError
from duelbench.problem.sources import datasets, importing
from duelbench.problem.sources.datasets import Collection, DataFile, copied, download, fetched
from tests.optional_data import optional

ORDERS = {"sushi3a.5000.10.order": b"2 1\n0 2 1 0\n", "sushi3b.5000.10.order": b"3 1\n0 2 1 0\n"}


class Handler(BaseHTTPRequestHandler):
    """Serves a few paths."""

    def do_GET(self):
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "ftp://127.0.0.1/passwd")
            self.end_headers()
        elif self.path == "/near":
            self.send_response(302)
            self.send_header("Location", "/data")
            self.end_headers()
        elif self.path == "/data":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"x" * 100)
        elif self.path == "/broken":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x")
        else:
            self.send_error(404)

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


def get(address: str, **options) -> bytes:
    return download(address, schemes=("http",), **options)


def test_an_answer_is_read_and_redirects_are_followed(server):
    assert get(f"{server}/data") == b"x" * 100
    assert get(f"{server}/near") == b"x" * 100


def test_only_the_allowed_schemes_are_followed(server):
    with pytest.raises(InputError, match=r"only https is followed: nothing was kept"):
        download(f"{server}/data")
    with pytest.raises(InputError, match=r"ftp://127.0.0.1/passwd: only http is followed"):
        get(f"{server}/away")
    with pytest.raises(InputError, match="only https is followed"):
        download("file:///etc/passwd")


def test_an_answer_that_is_too_long_is_refused(server):
    assert len(get(f"{server}/data", limit=100)) == 100
    with pytest.raises(InputError, match="sends more than 99 bytes; this is not the data set"):
        get(f"{server}/data", limit=99)


def test_a_server_that_refuses_or_is_not_there_or_breaks_off_is_one_message(server):
    with pytest.raises(InputError, match=r"the server answers 404 Not Found; .*--from PATH"):
        get(f"{server}/missing")
    with pytest.raises(InputError, match=r"cannot be reached .*is this machine online"):
        get("http://127.0.0.1:9/data")
    with pytest.raises(InputError, match="breaks off after 1 bytes"):
        get(f"{server}/broken")


def test_every_public_address_is_https_and_every_file_has_a_hash_or_is_zipped():
    for collection in datasets.COLLECTIONS.values():
        assert all(url.startswith("https://") for url in collection.urls)
        assert collection.is_zipped or all(file.sha256 for file in collection.files)
        assert collection.is_zipped or len(collection.urls) == len(collection.files)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"sushi3-2016/{name}", content)
    return buffer.getvalue()


SUSHI = datasets.COLLECTIONS["sushi"]
GOOD = b"the matrix"
CHECKED = Collection("demo", "", "", (DataFile("a.npz", hashlib.sha256(GOOD).hexdigest()),), ("https://x/a.npz",))


def test_a_download_with_another_hash_is_refused(monkeypatch):
    monkeypatch.setattr(datasets, "download", lambda url: GOOD)
    assert fetched(CHECKED) == {"a.npz": GOOD}
    monkeypatch.setattr(datasets, "download", lambda url: GOOD + b"!")
    with pytest.raises(InputError, match=r"https://x/a.npz: has the SHA-256 [0-9a-f]{64}, not .*: nothing was kept"):
        fetched(CHECKED)


def test_an_archive_is_unpacked_in_memory(monkeypatch):
    monkeypatch.setattr(datasets, "download", lambda url: zipped({"README-en.txt": b"", **ORDERS}))
    assert fetched(SUSHI) == ORDERS


def test_a_wrong_archive_is_refused(monkeypatch):
    for archive, message in (
        (b"<html>", "no zip archive"),
        (zipped({"README": b""}), "the archive has no sushi3a"),
        (zipped(ORDERS)[:-30], "no zip archive"),
        (zipped({**ORDERS, "sushi3a.5000.10.order": b"0" * (33 << 20)}), "has more than 32 MB"),
    ):
        monkeypatch.setattr(datasets, "download", lambda url, archive=archive: archive)
        with pytest.raises(InputError, match=message):
            fetched(SUSHI)


def test_a_copy_is_recognised_by_its_hash_whatever_it_is_called(tmp_path):
    (tmp_path / "renamed.bin").write_bytes(GOOD)
    assert copied(CHECKED, tmp_path / "renamed.bin") == {"a.npz": GOOD}
    (tmp_path / "a.npz").write_bytes(b"something else")
    with pytest.raises(InputError, match="is none of the files of 'demo'; is it the whole file"):
        copied(CHECKED, tmp_path / "a.npz")
    with pytest.raises(InputError, match="is none of the files"):
        copied(CHECKED, tmp_path)


def test_a_copy_can_be_the_archive_or_its_folder(tmp_path):
    (tmp_path / "sushi.zip").write_bytes(zipped(ORDERS))
    assert copied(SUSHI, tmp_path / "sushi.zip") == ORDERS
    folder = tmp_path / "unpacked"
    folder.mkdir()
    with pytest.raises(InputError, match=r"there is none of sushi3a.5000.10.order, sushi3b"):
        copied(SUSHI, folder)
    for name, content in ORDERS.items():
        (folder / name).write_bytes(content)
    assert copied(SUSHI, folder) == ORDERS
    with pytest.raises(InputError, match="there is no such file"):
        copied(SUSHI, tmp_path / "nothing")


def test_data_that_were_not_fetched_are_asked_for_in_one_line_and_unknown_names_get_the_nearest():
    for name in datasets.DATASETS:
        with pytest.raises(InputError, match=f"^{name} .*`duelbench matrix fetch {name.split('-')[0]}`"):
            datasets.dataset_path(name)
    with pytest.raises(InputError, match="'mslr-perfect'"):
        datasets.dataset_path("mslr-prefect")
    with pytest.raises(InputError, match="'sushi'"):
        datasets.collection("sush")


def test_stored_data_that_changed_are_refused(tmp_path):
    folder = datasets.data_folder() / "mslr"
    folder.mkdir(parents=True)
    (folder / "MSLR_Perfect_PMat.npz").write_bytes(b"tampered")
    with pytest.raises(InputError, match="is damaged: get it again with `duelbench matrix fetch mslr --force`"):
        importing.load_dataset("mslr-perfect")


def test_the_data_folder_is_the_users(monkeypatch, tmp_path):
    assert datasets.data_folder() == tmp_path / "data-home" / "duelbench"
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    monkeypatch.setattr("sys.platform", "linux")
    assert datasets.data_folder().parts[-3:] == (".local", "share", "duelbench")
    monkeypatch.setattr("sys.platform", "darwin")
    assert datasets.data_folder().parts[-2:] == ("Application Support", "duelbench")


def test_stored_data_are_read_by_name():
    folder = datasets.data_folder() / "sushi"
    folder.mkdir(parents=True)
    for name, content in ORDERS.items():
        (folder / name).write_bytes(content)
    assert importing.load_dataset("sushi-a").P.tolist() == [[0.5, 0.0], [1.0, 0.5]]


def test_the_published_files_have_the_published_hashes():
    for file in datasets.COLLECTIONS["mslr"].files:
        path = optional("data", "mslr", file.name)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256
