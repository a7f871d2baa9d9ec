"""Data sets that cannot ship with duelbench: where to get them, where they are stored, and reading them by name.

Only `download` opens a connection, and only ``duelbench matrix fetch`` calls it.

References
----------
.. [1] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015: ranker f of MSLR orders the
   documents of a query by feature f; p_ij is how often clicks on an interleaved list prefer ranker i.
.. [2] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016, Table 9.
"""

import hashlib
import io
import os
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from duelbench.bandits.problem.matrix_files import check_file
from duelbench.errors import InputError, nearest_or_all, reading

MAX_DOWNLOAD = 32 * 2**20  # Largest download, in bytes

TIMEOUT_SECONDS = 30

_MSLR = "https://raw.githubusercontent.com/nightingal3/duelling-bandits/da41c471d3c984f0fd2851ae91a573eb7623b234/data/"


@dataclass(frozen=True)
class DataFile:
    """A file as it is stored."""

    name: str
    sha256: str | None = None  # of its bytes, where it was published
    dataset: str = ""  # the name by which it is read


@dataclass(frozen=True)
class Collection:
    """The files that one ``duelbench matrix fetch`` downloads."""

    name: str
    description: str
    terms: str  # on which it may be used
    files: tuple[DataFile, ...]  # stored in the folder of its name
    urls: tuple[str, ...]  # one for each file; or one only, a zip archive that holds them all

    @property
    def is_zipped(self) -> bool:
        """Whether the files come in one archive."""
        return len(self.urls) < len(self.files)


_MSLR_SHA256 = {
    "Informational": "ef05eca2b7b27f63faaa292b0e88b17311560bf76124693354d953c702b7e9da",
    "Navigational": "302f4d88cba0bcace47a0e7a6e5bebdd8961b2ad912db9b682b3f2a9a05c3a94",
    "Perfect": "5a8ea50334af26d1efc7c2a9731dc9336d96dbbc3ec8d741509e25b3324b55a5",
}

COLLECTIONS: Mapping[str, Collection] = {
    "mslr": Collection(
        "mslr",
        "136 rankers of MSLR-WEB30K compared under three click models (Zoghi et al. 2015)",
        "no licence is stated with the original release; cite the paper",
        tuple(
            DataFile(f"MSLR_{model}_PMat.npz", sha256, f"mslr-{model.lower()}")
            for model, sha256 in _MSLR_SHA256.items()
        ),
        tuple(f"{_MSLR}MSLR_{model}_PMat.npz" for model in _MSLR_SHA256),
    ),
    "sushi": Collection(
        "sushi",
        "orders of sushi by 5,000 people: ten sorts each (set A), and ten of a hundred (set B) (Kamishima 2003)",
        "for research; not to be redistributed; cite the paper",
        tuple(DataFile(f"sushi3{part}.5000.10.order", None, f"sushi-{part}") for part in "ab"),
        ("https://www.kamishima.net/asset/sushi3-2016.zip",),
    ),
}

_MSLR_WEB = (
    "judged documents of {queries} queries, 136 features, grades 0 to 4 (Qin & Liu 2013)\n"
    "  where: https://www.microsoft.com/en-us/research/project/mslr/, {size} in five folds\n"
    "  terms: Microsoft's, for research; read and accept them there. Nothing is downloaded by this command.\n"
    "  then:  duelbench matrix from-rankings Fold1/train.txt --clicks navigational -o {name}.csv"
)

ELSEWHERE: Mapping[str, str] = {
    "mslr-web10k": _MSLR_WEB.format(queries="10,000", size="1.2 GB", name="mslr-web10k"),
    "mslr-web30k": _MSLR_WEB.format(queries="31,000", size="3.7 GB", name="mslr-web30k"),
}
"""Data sets that you download yourself: what they are, where to get them, their terms, and how to use them."""

DATASETS: Mapping[str, tuple[Collection, DataFile]] = {
    file.dataset: (collection, file) for collection in COLLECTIONS.values() for file in collection.files
}
"""The data sets by name, fetched or not."""

SUBSETS: Mapping[str, tuple[int, ...]] = {
    "mslr5-condorcet": (2, 4, 3, 1, 5),
    "mslr5-noncondorcet": (93, 7, 92, 94, 105),
    "mslr16-condorcet": (10, 22, 36, 58, 59, 66, 67, 68, 77, 98, 109, 112, 115, 116, 117, 125),
    "mslr16-noncondorcet": (2, 21, 42, 60, 67, 70, 79, 90, 91, 98, 99, 103, 106, 109, 117, 130),
    "mslr32-condorcet": (
        *(7, 21, 24, 28, 32, 35, 37, 38, 43, 44, 45, 48, 52, 56, 61, 68),
        *(71, 73, 82, 85, 87, 91, 96, 99, 100, 105, 112, 115, 117, 121, 123, 133),
    ),
    "mslr32-noncondorcet": tuple(range(4, 129, 4)),
}
"""Rankers (from 1) of the informational matrix: the five of [1]_ and [2]_ (Tables 7 and 8), 16 and 32 of [2]_."""


def data_folder() -> Path:
    """The folder of fetched data: ``duelbench`` in the user's data folder."""
    folder = os.environ.get("XDG_DATA_HOME")
    if folder and Path(folder).is_absolute():
        return Path(folder, "duelbench")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "duelbench"
    return Path.home() / ".local" / "share" / "duelbench"


def dataset_path(name: str) -> Path:
    """The file of a data set; if it is missing or damaged, an InputError names the command that fetches it."""
    if name not in DATASETS:
        raise InputError(f"there is no data set '{name}'{nearest_or_all(name, DATASETS)}")
    collection, file = DATASETS[name]
    path = data_folder() / collection.name / file.name
    command = f"duelbench matrix fetch {collection.name}"
    if not path.is_file():
        raise InputError(f"{name} is not on this machine: get it with `{command}` (or, from a copy, --from PATH)")
    if file.sha256 is not None and sha256_of(path) != file.sha256:
        raise InputError(f"{path} is damaged: get it again with `{command} --force`")
    return path


def sha256_of(path: Path) -> str:
    """The SHA-256 of the bytes of a file."""
    with reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def collection(name: str) -> Collection:
    """The collection of that name; if there is none, an InputError suggests the nearest name."""
    if name not in COLLECTIONS:
        known = nearest_or_all(name, [*COLLECTIONS, *ELSEWHERE])
        raise InputError(f"there is nothing called '{name}' to fetch{known}")
    return COLLECTIONS[name]


def fetched(wanted: Collection) -> dict[str, bytes]:
    """The files of a collection, downloaded from their public addresses and checked."""
    if wanted.is_zipped:
        return _unzipped(wanted, download(wanted.urls[0]), wanted.urls[0])
    return {file.name: _checked(file, download(url), url) for file, url in zip(wanted.files, wanted.urls, strict=True)}


def copied(wanted: Collection, path: Path) -> dict[str, bytes]:
    """Read the files of a collection from a local copy: their folder, the archive, or a single file.

    A file is recognised by its SHA-256, so its name does not matter.
    """
    if path.is_dir():
        copies = [path / file.name for file in wanted.files if (path / file.name).is_file()]
        if not copies:
            names = ", ".join(file.name for file in wanted.files)
            raise InputError(f"{path}: there is none of {names} in this folder")
        return {name: data for copy in copies for name, data in copied(wanted, copy).items()}
    data = _read(path)
    if wanted.is_zipped and data.startswith(b"PK"):
        return _unzipped(wanted, data, str(path))
    digest = hashlib.sha256(data).hexdigest()
    for file in wanted.files:
        if file.sha256 == digest or (file.sha256 is None and file.name == path.name):
            return {file.name: data}
    raise InputError(f"{path}: SHA-256 {digest} is none of the files of '{wanted.name}'; is it the whole file?")


def _read(path: Path) -> bytes:
    check_file(str(path), "data set")
    with reading(path), path.open("rb") as file:
        data = file.read(MAX_DOWNLOAD + 1)
    if len(data) > MAX_DOWNLOAD:
        raise InputError(f"{path}: has more than {MAX_DOWNLOAD >> 20} MB; this is not the data set")
    return data


def _checked(file: DataFile, data: bytes, origin: str) -> bytes:
    digest = hashlib.sha256(data).hexdigest()
    if file.sha256 is not None and digest != file.sha256:
        raise InputError(f"{origin}: has the SHA-256 {digest}, not {file.sha256}: nothing was saved")
    return data


def _unzipped(wanted: Collection, archive: bytes, origin: str) -> dict[str, bytes]:
    """The collection's files from an archive, in any folder of it."""
    files = {}
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            members = {PurePosixPath(info.filename).name: info for info in opened.infolist()}
            for file in wanted.files:
                if file.name not in members:
                    raise InputError(f"{origin}: the archive has no {file.name}: nothing was saved")
                with opened.open(members[file.name]) as stream:
                    data = stream.read(MAX_DOWNLOAD + 1)
                if len(data) > MAX_DOWNLOAD:
                    raise InputError(f"{origin}: {file.name} has more than {MAX_DOWNLOAD >> 20} MB: nothing was saved")
                files[file.name] = _checked(file, data, origin)
    except InputError:
        raise
    except Exception as error:  # zipfile raises BadZipFile, EOFError, zlib.error and others for a damaged archive.
        raise InputError(f"{origin}: is not a readable zip archive ({error}): nothing was saved") from None
    return files


def download(url: str, *, limit: int = MAX_DOWNLOAD, schemes: Sequence[str] = ("https",)) -> bytes:
    """Download from a URL, at most ``limit`` bytes; redirections must use one of the ``schemes``, too."""
    import http.client
    import urllib.error
    import urllib.parse
    import urllib.request

    class Redirects(urllib.request.HTTPRedirectHandler):
        """Follows redirections to the allowed schemes only."""

        def redirect_request(self, req, fp, code, msg, headers, newurl):
            check(newurl)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    def check(address: str) -> None:
        if urllib.parse.urlsplit(address).scheme not in schemes:
            raise InputError(f"{address}: only {', '.join(schemes)} is followed: nothing was saved")

    check(url)
    try:
        with urllib.request.build_opener(Redirects).open(url, timeout=TIMEOUT_SECONDS) as answer:
            data: bytes = answer.read(limit + 1)
            missing = answer.length
    except urllib.error.HTTPError as error:
        error.close()
        raise InputError(f"{url}: the server answers {error.code} {error.reason}; {_OTHERWISE}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"{url}: cannot be reached ({reason}): is this machine online? {_OTHERWISE}") from None
    if len(data) > limit:
        raise InputError(f"{url}: sends more than {limit} bytes; this is not the data set: nothing was saved")
    if missing:  # http.client does not report this if you read a given number of bytes
        raise InputError(f"{url}: breaks off after {len(data)} bytes: nothing was saved; try again")
    return data


_OTHERWISE = "A copy from elsewhere serves as well: --from PATH"
