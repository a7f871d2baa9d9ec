"""The session that ``duelbench live`` was asked for: a new one, or the one of its log."""

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.cli.folders import as_in_a_spec
from duelbench.errors import InputError
from duelbench.live.arms import Arm
from duelbench.live.log import check_folder
from duelbench.live.names import check_arm_names
from duelbench.live.session import Session
from duelbench.live.settings import settle_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ALGORITHM, RULE, DELTA = "d-ts-plus", "e-condorcet", 0.05
"""What a new session has by default."""

ENDING = ".jsonl"


@dataclass(frozen=True)
class Asked:
    """What the command line says of a session; None where it says nothing.

    Parameters
    ----------
    path : Path
        Of the arms.
    log : Path, optional
    algorithm, rule, ties : str, optional
    parameters, forbidden : sequence of str
        As ``NAME=VALUE``, and as two names with a comma.
    horizon, seed : int, optional
    delta : float, optional
    warm : Path, optional
    """

    path: Path
    log: Path | None = None
    algorithm: str | None = None
    parameters: tuple[str, ...] = ()
    horizon: int | None = None
    seed: int | None = None
    rule: str | None = None
    delta: float | None = None
    ties: str | None = None
    forbidden: tuple[str, ...] = ()
    warm: Path | None = None

    @property
    def log_path(self) -> Path:
        """The log that is asked for; by default beside the arms.

        Examples
        --------
        >>> Asked(Path("some/dishes.txt")).log_path.as_posix(), Asked(Path("photos/")).log_path.as_posix()
        ('some/dishes.jsonl', 'photos.jsonl')
        """
        if self.log is not None:
            return self.log
        path = self.path if self.path.name not in ("", "..") else self.path.resolve()
        return path.with_name((path.name if path.is_dir() else path.stem) + ENDING)


@dataclass(frozen=True, eq=False)
class Opened:
    """A session, and what it is about.

    Parameters
    ----------
    session : Session
    path : Path
        Of the arms.
    arms : tuple of Arm
        In the order of the session.
    log : Path
    is_new : bool
        Whether it begins now.
    """

    session: Session
    path: Path
    arms: tuple[Arm, ...]
    log: Path
    is_new: bool

    @property
    def by_name(self) -> dict[str, Arm]:
        """The arms by their names."""
        return {arm.name: arm for arm in self.arms}


@contextmanager
def opened(asked: Asked, arms: tuple[Arm, ...], is_kept: bool = True) -> "Iterator[Opened]":
    """Within it there is the session: that of the log, where there is one.

    Parameters
    ----------
    asked : Asked
    arms : tuple of Arm
    is_kept : bool
        False leaves the log as it is.

    Raises
    ------
    InputError
        When options are wrong, or they or the arms are others than those of the log.
    """
    log = asked.log_path
    digests = {arm.name: arm.digest for arm in arms}
    if log.exists() and log.stat().st_size:
        with (
            tempfile.TemporaryDirectory() as folder,
            _resumed(log, None if is_kept else Path(folder), digests) as session,
        ):
            _check_same(asked, arms, session, log)
            by_name = {arm.name: arm for arm in arms}
            yield Opened(session, asked.path, tuple(by_name[name] for name in session.arms), log, is_new=False)
    else:
        names = [arm.name for arm in arms]
        check_arm_names(names, str(asked.path))
        check_folder(log)
        algorithm, parameters, terms = _terms(asked, names)
        with Session(algorithm, names, log=log if is_kept else None, digests=digests, **terms, **parameters) as session:
            yield Opened(session, asked.path, arms, log, is_new=True)


def _resumed(log: Path, folder: Path | None, digests: "Mapping[str, str]") -> Session:
    """The session of a log, or of a copy of it in a folder; messages name the log."""
    if folder is None:
        return Session.open(log, digests=digests)
    copy = Path(shutil.copy(log, folder))
    try:
        return Session.open(copy, digests=digests)
    except InputError as error:
        raise InputError(str(error).replace(str(copy), str(log))) from None


def _terms(
    asked: Asked, names: "Sequence[str]", known: "Mapping[str, Any] | None" = None
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """An algorithm, its parameters and the other terms: what the command line says, and what is ``known`` otherwise."""
    algorithm = asked.algorithm or (known["algorithm"] if known else ALGORITHM)
    said: dict[str, Any] = {
        "seed": asked.seed,
        "horizon": asked.horizon or (known["horizon"] if known else None),
        "ties": asked.ties,
        "forbidden": [_pair(text, names) for text in asked.forbidden] or None,
        "warm": asked.warm,
    }
    given: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    stop: dict[str, Any] = {"rule": asked.rule or RULE, "delta": DELTA if asked.delta is None else asked.delta}
    if stop["rule"] == "pairs":
        stop["target"] = "copeland"
    return algorithm, _parameters(algorithm, asked.parameters), {"stop": stop, **given}


def _parameters(algorithm: str, given: tuple[str, ...]) -> dict[str, Any]:
    """What ``--param`` says, read as in a spec."""
    from duelbench.algorithms import registry
    from duelbench.spec.parameters import OfParameter

    known = registry.get(algorithm).parameters
    said: dict[str, Any] = {}
    for argument in given:
        name, equals, text = argument.partition("=")
        if not equals:
            raise InputError(f"--param {argument}: write parameters as NAME=VALUE, as in alpha=0.51")
        if name in said:
            raise InputError(f"--param {argument}: {name} is given twice")
        try:
            said[name] = OfParameter(known[name]).parse(as_in_a_spec(text)) if name in known else text
        except ValueError as error:
            raise InputError(f"--param {argument}: {name} {error}") from None
    return said


def _pair(text: str, names: "Sequence[str]") -> tuple[str, str]:
    """Two names with a comma between them; the names may have commas, too."""
    parts = text.split(",")
    found = [
        (",".join(parts[:k]).strip(), ",".join(parts[k:]).strip())
        for k in range(1, len(parts))
        if {",".join(parts[:k]).strip(), ",".join(parts[k:]).strip()} <= {*names}
    ]
    if len(found) == 1:
        return found[0]
    if len(parts) == 2:
        return parts[0].strip(), parts[1].strip()  # the session says which of them is no arm
    raise InputError(f"--forbid {text}: write two names with a comma between them, as in --forbid 'tuna,egg'")


def _check_same(asked: Asked, arms: tuple[Arm, ...], session: Session, log: Path) -> None:
    """Refuse arms and options that are not those of the log."""
    _check_arms(asked.path, [arm.name for arm in arms], session, log)
    there = session.terms
    algorithm, parameters, terms = _terms(asked, session.arms, there)
    here = settle_terms(algorithm, session.arms, **terms, parameters=parameters).header()
    given: dict[str, tuple[Any, str]] = {
        "--algorithm": (asked.algorithm, "algorithm"),
        "--horizon": (asked.horizon, "horizon"),
        "--seed": (asked.seed, "seed"),
        "--ties": (asked.ties, "ties"),
        "--forbid": (asked.forbidden, "forbidden"),
        "--warm": (asked.warm, "warm"),
    }
    for option, (said, key) in given.items():
        if said not in (None, ()) and here[key] != there[key]:
            _refuse(option, log, there[key] if key in ("algorithm", "horizon", "seed", "ties") else "another one")
    there_stops = there["stop"] or {}
    for key, value in (("rule", asked.rule), ("delta", asked.delta)):
        if value is not None and here["stop"][key] != there_stops.get(key):
            _refuse(f"--{key}", log, there_stops.get(key, "none"))
    for argument in asked.parameters:
        name = argument.partition("=")[0]
        if here["parameters"][name] != there["parameters"].get(name):
            _refuse(f"--param {argument}", log, there["parameters"].get(name, "none"))


def _check_arms(path: Path, names: "list[str]", session: Session, log: Path) -> None:
    odd = next((name for name in [*names, *session.arms] if (name in names) != (name in session.arms)), None)
    if odd is not None:
        where = f"in {path} but not in" if odd in names else f"not in {path} but in"
        raise InputError(
            f"{log}: belongs to other arms: {odd!r} is {where} the session; put the arms back, or begin another session"
            " with --log OTHER.jsonl"
        )


def _refuse(option: str, log: Path, there: object) -> None:
    raise InputError(
        f"{option}: the session in {log} has {there}; leave the option out to go on with it, or begin another session"
        " with --log OTHER.jsonl"
    )
