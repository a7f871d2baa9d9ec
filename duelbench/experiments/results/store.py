"""Writes and reads the NPZ file of a run, and detects every damage.

The bytes depend only on the run's trace, identity and environment (versions and processor). They end with a *seal*: the
run's key, and the SHA-256 of everything before. It is the comment of the ZIP archive, which NumPy ignores.
"""

import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.bandits.algorithms.contract import UNANSWERED
from duelbench.bandits.simulation.terms import FORMAT, Identity, digest_of_rounds
from duelbench.bandits.simulation.trace import Trace
from duelbench.common import atomic
from duelbench.errors import IncompleteResults, InputError
from duelbench.experiments.results.environment import environment

MAX_BYTES = 2**30
"""The size of the largest file that is read."""

MAX_META_BYTES = 2**20

_SEAL_WORD = b"duelbench "
_SEAL_BYTES = len(_SEAL_WORD) + 64 + 1 + 64
_HEADER_START = 10  # bytes before the header in NPY 1.0: magic string, version, length of the header
_COMMENT_LENGTH = struct.Struct("<H")
_NAME_AND_EXTRA = struct.Struct("<HH")
_BEFORE_SIZES = 26  # bytes of a member's header before the lengths of its name and of its extra field


class DamagedResult(IncompleteResults):
    """A damaged file in a results folder; ``reason`` says what is wrong."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} is damaged: {reason} (`duelbench run` computes it again)")
        self.path = Path(path)
        self.reason = reason


class NewerResult(IncompleteResults):
    """A file in a results folder with the format of a newer duelbench: a wrong input, since no run repairs it."""

    exit_code = InputError.exit_code

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"{path} was written by a newer duelbench (results format {version}; this one reads up to {FORMAT}):"
            " upgrade duelbench, or keep new results elsewhere"
        )
        self.path = path


@dataclass(frozen=True)
class Result:
    """A run that was read from its file."""

    identity: Identity
    run: int  # 0-based
    trace: Trace
    environment: Mapping[str, str]  # versions and processor of its computation


def encode(trace: Trace, identity: Identity, run: int) -> bytes:
    """Return the bytes of a run's file; raise a `ValueError` if the trace does not fit the identity."""
    arrays = _arrays_of(trace)
    if not _is_possible(arrays, identity):
        raise ValueError("the trace cannot be one of its cell")
    meta = {
        "format": FORMAT,
        "key": identity.key(run),
        "run": run,
        "identity": identity.content(),
        "sha256": {name: hashlib.sha256(array.tobytes()).hexdigest() for name, array in arrays.items()},
        "environment": environment(),
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in {**arrays, "meta": np.array(json.dumps(meta, sort_keys=True))}.items():
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(member, _made_header(array.dtype.str, array.shape) + array.tobytes())
    without_comment = archive.getvalue()[: -_COMMENT_LENGTH.size]
    seal = _SEAL_WORD + identity.key(run).encode() + b" "
    sealed = without_comment + _COMMENT_LENGTH.pack(_SEAL_BYTES) + seal
    return sealed + hashlib.sha256(sealed).hexdigest().encode()


@lru_cache(maxsize=1024)
def _made_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Return the header of an NPY file."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": dtype, "fortran_order": False, "shape": shape})
    return header.getvalue()


def _is_possible(arrays: Mapping[str, np.ndarray], identity: Identity) -> bool:
    """Return whether the arrays can be those of a run with this identity."""
    n, n_arms = identity.n_checkpoints, identity.n_arms
    shapes: dict[str, tuple[int, ...]] = {
        "regret": (len(identity.regret), n),
        "duels": (n_arms, n_arms if identity.decision is None else 1),
        "recommended": (n,),
        "explored": (n,),
        "places": (n_arms,),
    }
    most = n_arms - 1 if identity.decision is None else n_arms  # a scalar bandit may recommend the number of all arms
    return bool(
        all(arrays[name].shape == shapes[name] for name in shapes.keys() & arrays.keys())
        and digest_of_rounds(arrays["round"]) == identity.checkpoints
        and arrays["round"][-1] == arrays["duels"].sum() == identity.horizon
        and np.isfinite(arrays["regret"]).all()
        and arrays["duels"].min() >= 0
        and 0 <= arrays["recommended"].min() <= arrays["recommended"].max() <= most
        and UNANSWERED <= arrays.get("answer", UNANSWERED) < n_arms
    )


def _arrays_of(trace: Trace) -> dict[str, np.ndarray]:
    """Return the arrays in the file of a run, by name."""
    arrays = {
        "round": np.asarray(trace.rounds, "<i8"),
        "regret": np.asarray(trace.regret, "<f8"),
        "duels": np.asarray(trace.duels, "<i8"),
        "recommended": np.asarray(trace.recommended, "<i8"),
        "decisions": np.asarray(trace.decisions, "<i8"),
    }
    for name in ("explored", "finished", "answer", "places"):
        if (value := getattr(trace, name)) is not None:
            arrays[name] = np.asarray(value, "<i8")
    return arrays


def read_run(path: Path, identity: Identity | None = None, run: int | None = None) -> Result:
    """Read a run and check its file, and its identity and index if you give them.

    Raises
    ------
    DamagedResult
        When the file is missing, damaged, not a result, or the result of something else.
    NewerResult
        When its format is newer.
    """
    data = _read_bytes(path)
    if sealed_key(data) is None:
        raise _unsealed(path, data)
    try:
        result = _decode(path, data)
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedResult(path, _one_line(error)) from error
    if identity is not None and result.identity != identity:
        raise DamagedResult(path, f"it holds another experiment's run of {result.identity.algorithm}")
    if run is not None and result.run != run:
        raise DamagedResult(path, f"it holds run {result.run}")
    return result


def read_key(path: Path | str) -> str:
    """Check that a file is undamaged, and return the key in its seal; raises as `read_run`."""
    data = _read_bytes(path)
    key = sealed_key(data)
    if key is None:
        raise _unsealed(Path(path), data)
    return key


def sealed_key(data: bytes) -> str | None:
    """Return the key in a file's seal; None if the seal is damaged or does not fit the content."""
    body, digest = data[:-64], data[-64:]
    seal = body[-(_SEAL_BYTES - 64) :]
    if not seal.startswith(_SEAL_WORD) or hashlib.sha256(body).hexdigest().encode() != digest:
        return None
    return seal[len(_SEAL_WORD) : -1].decode("ascii")


def _read_bytes(path: Path | str) -> bytes:
    try:
        return atomic.read(path, MAX_BYTES)
    except FileNotFoundError:
        is_link = os.path.islink(path)
        raise DamagedResult(path, "it is a link to nothing" if is_link else "there is no such file") from None
    except OSError as error:
        if os.path.isdir(path):
            raise DamagedResult(path, "it is not a file but a folder") from error
        if os.path.exists(path) and not os.path.isfile(path):
            raise DamagedResult(path, "it is not a file") from error
        raise DamagedResult(path, f"it cannot be read: {error.strerror or error}") from error


def _unsealed(path: Path, data: bytes) -> DamagedResult | NewerResult:
    """Return the error about a file whose seal does not fit."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            if "meta.npy" not in file.namelist() or file.getinfo("meta.npy").file_size > MAX_META_BYTES:
                return DamagedResult(path, "it is not a result of duelbench")
            version = json.loads(str(np.load(io.BytesIO(file.read("meta.npy")), allow_pickle=False)))["format"]
            if isinstance(version, int) and version > FORMAT:
                return NewerResult(path, version)
    except Exception as error:  # zipfile, zlib, NumPy and json raise all kinds of errors on damaged bytes
        return DamagedResult(path, _one_line(error))
    return DamagedResult(path, "its content does not fit the SHA-256 at its end")


def _decode(path: Path, data: bytes) -> Result:
    """Return the result in a file whose seal fits, which shows that `encode` made the file."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        arrays = {info.filename.removesuffix(".npy"): _array(_unpacked(data, info)) for info in file.infolist()}
    meta = json.loads(str(arrays.pop("meta")))
    version = meta["format"]
    if version > FORMAT:
        raise NewerResult(path, version)
    if version != FORMAT:
        raise ValueError(f"it has the unknown results format {version!r}")
    identity = Identity.from_content(meta["identity"])
    fields: dict[str, Any] = {name: array if array.ndim else int(array) for name, array in arrays.items()}
    trace = Trace(fields.pop("round"), definitions=identity.regret, algorithm=identity.algorithm, **fields)
    return Result(identity, meta["run"], trace, dict(meta["environment"]))


def _unpacked(data: bytes, info: zipfile.ZipInfo) -> bytes:
    """Return a member of an archive, several times as fast as `zipfile`: figures read 10^5 members."""
    sizes = _NAME_AND_EXTRA.unpack_from(data, info.header_offset + _BEFORE_SIZES)
    begin = info.header_offset + _BEFORE_SIZES + _NAME_AND_EXTRA.size + sum(sizes)
    return zlib.decompress(data[begin : begin + info.compress_size], -zlib.MAX_WBITS)


def _array(content: bytes) -> np.ndarray:
    """Return the array in an NPY file."""
    length = int.from_bytes(content[_HEADER_START - 2 : _HEADER_START], "little")
    dtype, shape = _parsed_header(content[: _HEADER_START + length])
    return np.frombuffer(content, dtype, offset=_HEADER_START + length).reshape(shape).copy()


@lru_cache(maxsize=1024)
def _parsed_header(header: bytes) -> tuple[np.dtype, tuple[int, ...]]:
    """Return type and shape.

    They are cached, because runs of a cell have the same headers, and parsing one takes as long as reading the array.
    """
    file = io.BytesIO(header)
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return dtype, shape


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error.args[0] if isinstance(error, KeyError) and error.args else error).split())
    return text or type(error).__name__
