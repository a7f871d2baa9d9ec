"""The results folder: one NPZ file per run, a manifest per experiment. Damage is noticed, never read as a result.

A run's file is a function of its trace, its identity and the environment (versions and processor); nothing in it
depends on when, in which process or how fast it was computed. The file ends with a *seal*: the run's key and the
SHA-256 of everything before. It is the comment of the ZIP archive, so that NumPy reads the file like any other NPZ.
"""

import hashlib
import io
import json
import math
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from duelbench import system
from duelbench.algorithms.contract import UNANSWERED
from duelbench.errors import IncompleteResults, InputError
from duelbench.results.environment import environment
from duelbench.results.identity import FORMAT, Identity, digest_of_rounds
from duelbench.simulation.trace import Trace

MAX_BYTES = 2**30
"""No file is read that is larger, or that says that its arrays are (bytes)."""

MAX_META_BYTES = 2**20

ARRAYS = ("round", "regret", "duels", "recommended", "decisions")
EXPLORATION = ("explored", "finished")
"""Arrays of algorithms that say what they still explore; results from before they did are without."""

IDENTIFICATION = (*EXPLORATION, "answer"), (*EXPLORATION, "answer", "places")
"""Arrays of such algorithms on matrices, and of those that rank; results from before answers were kept are without."""

MEMBERS = tuple(
    sorted(f"{name}.npy" for name in (*ARRAYS, "meta", *more)) for more in ((), EXPLORATION, *IDENTIFICATION)
)
"""The files in a result, in each form that it can have."""

_SEAL_WORD = b"duelbench "
_SEAL_BYTES = len(_SEAL_WORD) + 64 + 1 + 64
_HEADER_START = 10  # of NPY 1.0: magic string, version, length of the header
_COMMENT_LENGTH = struct.Struct("<H")
_NAME_AND_EXTRA = struct.Struct("<HH")
_BEFORE_SIZES = 26  # bytes of a member's own header before the lengths of its name and of what follows it

# What damaged bytes make zipfile, zlib, NumPy and json raise.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    TokenError,
    MemoryError,
    OSError,
)


class DamagedResult(IncompleteResults):
    """A file of the results folder is not what it should be.

    Parameters
    ----------
    path : Path or str
    reason : str
        What is wrong with the file, to follow a colon.
    """

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} is damaged: {reason} (`duelbench run` computes it again)")
        self.path = Path(path)
        self.reason = reason


class NewerResult(IncompleteResults):
    """A file of the results folder has a format that only a newer duelbench knows; alone it is a wrong input."""

    exit_code = InputError.exit_code

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"{path} was written by a newer duelbench (results format {version}; this one reads up to {FORMAT}):"
            " upgrade duelbench, or keep new results elsewhere with --out"
        )
        self.path = path


@dataclass(frozen=True)
class Result:
    """One run as read from its file.

    Parameters
    ----------
    identity : Identity
    run : int
        0-based.
    trace : Trace
    environment : mapping
        Versions and processor that computed it; see `duelbench.results.environment`.
    digest : str
        SHA-256 of the arrays, 64 hexadecimal digits: the same for two runs exactly when all of their numbers are.
    """

    identity: Identity
    run: int
    trace: Trace
    environment: Mapping[str, str]
    digest: str


def encode(trace: Trace, identity: Identity, run: int) -> bytes:
    """The bytes of a run's file.

    Raises
    ------
    ValueError
        When the trace is not one of that identity.
    """
    arrays = _arrays_of(trace)
    _check_arrays(arrays, identity)
    meta = {
        "format": FORMAT,
        "key": identity.key(run),
        "run": run,
        "identity": identity.content(),
        "sha256": {name: _digest(array) for name, array in arrays.items()},
        "environment": environment(),
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in {**arrays, "meta": np.array(json.dumps(meta, sort_keys=True))}.items():
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(member, _made_header(array.dtype.str, array.shape) + array.tobytes())
    return _seal(archive.getvalue(), identity.key(run))


@lru_cache(maxsize=1024)
def _made_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """What stands before the data in the NPY format; the runs of a cell have the same."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": dtype, "fortran_order": False, "shape": shape})
    return header.getvalue()


def _check_arrays(arrays: Mapping[str, np.ndarray], identity: Identity) -> None:
    for name, (_, shape) in _layout(identity, arrays).items():
        if arrays[name].shape != shape:
            raise ValueError(f"the trace's {name} has shape {arrays[name].shape}, expected {shape}")
    if digest_of_rounds(arrays["round"]) != identity.checkpoints:
        raise ValueError("the trace was not recorded at the checkpoints")
    if arrays["round"][-1] != identity.horizon or arrays["duels"].sum() != identity.horizon:
        raise ValueError(f"the trace does not have the {identity.horizon} duels of its horizon")
    if not np.isfinite(arrays["regret"]).all():
        raise ValueError("the trace's regret is not finite")
    most = identity.n_arms - 1 if identity.decision is None else identity.n_arms  # a count can be that of all
    if arrays["duels"].min() < 0 or not 0 <= arrays["recommended"].min() <= arrays["recommended"].max() <= most:
        raise ValueError("the trace has an arm or a count that cannot be")
    if "answer" in arrays and not UNANSWERED <= arrays["answer"] < identity.n_arms:
        raise ValueError(f"the trace has the answer {arrays['answer']}")


def _layout(identity: Identity, there: Collection[str]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Array -> (dtype, shape) that the identity asks for, of those that are always or else ``there``."""
    n, n_arms = identity.n_checkpoints, identity.n_arms
    more: dict[str, tuple[str, tuple[int, ...]]] = {
        "explored": ("<i8", (n,)),
        "finished": ("<i8", ()),
        "answer": ("<i8", ()),
        "places": ("<i8", (n_arms,)),
    }
    return {
        "round": ("<i8", (n,)),
        "regret": ("<f8", (len(identity.regret), n)),
        "duels": ("<i8", (n_arms, n_arms if identity.decision is None else 1)),
        "recommended": ("<i8", (n,)),
        "decisions": ("<i8", ()),
        **{name: form for name, form in more.items() if name in there},
    }


def _digest(array: np.ndarray) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()


def _arrays_of(trace: Trace) -> dict[str, np.ndarray]:
    """The arrays that a run's file has of a trace, by name."""
    arrays = {
        "round": np.asarray(trace.rounds, "<i8"),
        "regret": np.asarray(trace.regret, "<f8"),
        "duels": np.asarray(trace.duels, "<i8"),
        "recommended": np.asarray(trace.recommended, "<i8"),
        "decisions": np.asarray(trace.decisions, "<i8"),
    }
    if trace.explored is not None:
        arrays["explored"] = np.asarray(trace.explored, "<i8")
        arrays["finished"] = np.asarray(trace.finished, "<i8")
    if trace.answer is not None:
        arrays["answer"] = np.asarray(trace.answer, "<i8")
    if trace.places is not None:
        arrays["places"] = np.asarray(trace.places, "<i8")
    return arrays


def digest_of(trace: Trace) -> str:
    """`Result.digest` of the file that a trace would have.

    Examples
    --------
    >>> from duelbench.simulation.simulate import simulate
    >>> P = [[0.5, 1.0], [0.0, 0.5]]
    >>> a, b, c = (simulate("random", P, horizon=10, seed=seed, checkpoints=[10]) for seed in (0, 0, 1))
    >>> digest_of(a) == digest_of(b), digest_of(a) == digest_of(c)
    (True, False)
    """
    return _digest_of({name: _digest(array) for name, array in _arrays_of(trace).items()})


def _digest_of(digests: Mapping[str, str]) -> str:
    """One digest of several arrays, of the digest of each by its name."""
    return hashlib.sha256(json.dumps(dict(digests), sort_keys=True).encode()).hexdigest()


def _seal(archive: bytes, key: str) -> bytes:
    """An archive without comment, with the seal as its comment."""
    sealed = archive[: -_COMMENT_LENGTH.size] + _COMMENT_LENGTH.pack(_SEAL_BYTES) + _SEAL_WORD + key.encode() + b" "
    return sealed + hashlib.sha256(sealed).hexdigest().encode()


def read_run(path: Path, identity: Identity | None = None, run: int | None = None) -> Result:
    """Read one run and check all of it.

    Parameters
    ----------
    path : Path
    identity : Identity, optional
        What the file must hold; without it any run is welcome.
    run : int, optional
        The index that it must have.

    Returns
    -------
    Result

    Raises
    ------
    DamagedResult
        When the file is missing, damaged, not a result, or the result of something else.
    NewerResult
        When its format is newer.
    """
    data = _read_bytes(path)
    try:
        result = _decode(path, data)
    except _DAMAGE as error:
        raise DamagedResult(path, _one_line(error)) from error
    if sealed_key(data) != result.identity.key(result.run):
        raise DamagedResult(path, "the seal at its end does not fit its content")
    if identity is not None and result.identity != identity:
        raise DamagedResult(path, f"it holds another experiment's run of {result.identity.algorithm}")
    if run is not None and result.run != run:
        raise DamagedResult(path, f"it holds run {result.run}")
    return result


def read_key(path: Path | str) -> str:
    """The key of the run in a file that is whole to the last bit: quick, because the seal says both.

    Parameters
    ----------
    path : Path or str

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    DamagedResult, NewerResult
        As `read_run`.
    """
    key = sealed_key(_read_bytes(path))
    if key is not None:
        return key
    result = read_run(Path(path))  # raises, and says what is wrong
    return result.identity.key(result.run)


def sealed_key(data: bytes) -> str | None:
    """The key in a file's seal, or None where the seal is not whole or does not fit what stands before it."""
    body, digest = data[:-64], data[-64:]
    seal = body[-(_SEAL_BYTES - 64) :]
    if not seal.startswith(_SEAL_WORD) or hashlib.sha256(body).hexdigest().encode() != digest:
        return None
    return seal[len(_SEAL_WORD) : -1].decode("ascii")


def _read_bytes(path: Path | str) -> bytes:
    """The content of a regular file of a sensible size; opened so that nobody waits for a FIFO.

    By the system's calls alone: a plan reads a hundred thousand files, and a file object takes as long as the reading.
    """
    try:
        file = os.open(path, _TO_READ)
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise DamagedResult(path, "it is not a file" + " but a folder" * stat.S_ISDIR(status.st_mode))
            if status.st_size > MAX_BYTES:
                raise DamagedResult(path, f"it has {status.st_size} bytes, more than any result")
            return _all_bytes(file, status.st_size)
        finally:
            os.close(file)
    except FileNotFoundError:
        is_link = os.path.islink(path)
        raise DamagedResult(path, "it is a link to nothing" if is_link else "there is no such file") from None
    except OSError as error:
        if not os.path.isfile(path) and os.path.exists(path):
            raise DamagedResult(path, "it is not a file" + " but a folder" * os.path.isdir(path)) from error
        raise DamagedResult(path, f"it cannot be read: {error.strerror or error}") from error


_TO_READ = os.O_RDONLY | system.WITHOUT_WAITING


def _all_bytes(file: int, size: int) -> bytes:
    """The first ``size`` bytes, or as many as there are."""
    data = os.read(file, size)
    while len(data) < size and (more := os.read(file, size - len(data))):
        data += more
    return data


def _decode(path: Path, data: bytes) -> Result:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        if "meta.npy" not in file.namelist():
            raise ValueError("it is not a result of duelbench")
        meta = _decode_meta(path, _member(data, file, "meta.npy", MAX_META_BYTES))
        identity = Identity.from_content(meta["identity"])
        run = meta["run"]
        if meta["key"] != identity.key(run):
            raise ValueError("its identity does not fit its key")
        if sorted(file.namelist()) not in MEMBERS:
            raise ValueError(f"it has the arrays {', '.join(sorted(file.namelist()))}")
        arrays = {}
        for name, (dtype, shape) in _layout(identity, [name.removesuffix(".npy") for name in file.namelist()]).items():
            arrays[name] = _array(_member(data, file, f"{name}.npy", MAX_BYTES), dtype, shape)
            if _digest(arrays[name]) != meta["sha256"][name]:
                raise ValueError(f"the content of {name} does not fit its SHA-256")
    if digest_of_rounds(arrays["round"]) != identity.checkpoints:
        raise ValueError("its rounds are not its checkpoints")
    trace = Trace(
        arrays["round"],
        arrays["regret"],
        arrays["duels"],
        arrays["recommended"],
        int(arrays["decisions"]),
        identity.regret,
        arrays.get("explored"),
        int(arrays["finished"]) if "finished" in arrays else None,
        identity.algorithm,
        int(arrays["answer"]) if "answer" in arrays else None,
        arrays.get("places"),
    )
    return Result(
        identity, run, trace, dict(meta["environment"]), _digest_of({name: meta["sha256"][name] for name in arrays})
    )


def _decode_meta(path: Path, content: bytes) -> dict[str, Any]:
    dtype, shape, offset = _header(content)
    if dtype.kind != "U" or shape != ():
        raise ValueError("its meta is not a string")
    meta = json.loads(str(np.frombuffer(content, dtype, count=1, offset=offset)[0]))
    version = meta["format"]
    if isinstance(version, int) and version > FORMAT:
        raise NewerResult(path, version)
    if version != FORMAT:
        raise ValueError(f"it has the unknown results format {version!r}")
    return meta


def _member(data: bytes, file: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """A member's content, never more than ``limit`` bytes of it in memory.

    Unpacked here, because a file object of `zipfile` takes several times as long, and figures read 10^5 members.
    """
    info = file.getinfo(name)
    if info.file_size > limit:
        raise ValueError(f"{name} says that it has {info.file_size} bytes")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is compressed in an unknown way")
    sizes = _NAME_AND_EXTRA.unpack_from(data, info.header_offset + _BEFORE_SIZES)
    begin = info.header_offset + _BEFORE_SIZES + _NAME_AND_EXTRA.size + sum(sizes)
    content = data[begin : begin + info.compress_size]
    if info.compress_type == zipfile.ZIP_DEFLATED:
        # The size bounds what is unpacked, whatever the archive holds; a limit of 0 would be none.
        content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, max(1, info.file_size))
    if len(content) != info.file_size:
        raise EOFError(f"{name} is cut short")
    if zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {name!r}")
    return content


def _array(content: bytes, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    found_dtype, found_shape, offset = _header(content)
    if found_dtype != np.dtype(dtype) or found_shape != shape:
        raise ValueError(f"an array is {found_dtype} {found_shape}, expected {np.dtype(dtype)} {shape}")
    size = math.prod(shape)
    if len(content) - offset != size * found_dtype.itemsize:
        raise ValueError("an array is cut short or too long")
    return np.frombuffer(content, found_dtype, count=size, offset=offset).reshape(shape).copy()


def _header(content: bytes) -> tuple[np.dtype, tuple[int, ...], int]:
    """dtype, shape and offset of the data of an NPY file in memory; nothing is allocated on its word."""
    length = int.from_bytes(content[_HEADER_START - 2 : _HEADER_START], "little")
    return _parsed_header(content[: _HEADER_START + length])


@lru_cache(maxsize=1024)
def _parsed_header(header: bytes) -> tuple[np.dtype, tuple[int, ...], int]:
    """Runs of a cell have the same headers, and to parse one takes as long as to read the array."""
    file = io.BytesIO(header)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array has an unknown version")
    shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(file)
    if fortran_order or dtype.hasobject:
        raise ValueError("an array is not in C order or holds objects")
    return dtype, shape, file.tell()


def _one_line(error: BaseException) -> str:
    words = " ".join(str(error.args[0] if isinstance(error, KeyError) and error.args else error).split())
    return words or type(error).__name__
