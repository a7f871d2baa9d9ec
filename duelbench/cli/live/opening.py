"""The session that ``duelbench live`` was asked for: a new one, or the one of its log."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from duelbench.bandits.algorithms import registry
from duelbench.cli.live.presentation import contradictions, stored
from duelbench.cli.options import as_in_a_spec, named_values
from duelbench.common.numerals import whole_number
from duelbench.errors import InputError
from duelbench.judging.arms import Arm
from duelbench.judging.log import check_folder
from duelbench.judging.outputs import never_asked
from duelbench.judging.session import Session
from duelbench.judging.settings import STOP, number_of, settle

ALGORITHM, ALGORITHM_WITH_BUDGET = "d-ts-plus", "self-sparring"
"""The default algorithms: one that ends soon, and one that is right most often after a number of answers.

The table in docs/live.md has the measurements; `docs/studies/budgets.py` makes them.
"""

SETTINGS = {**{name: name for name in ("algorithm", "seed", "ties", "orders", "warm", "once")}, "forbid": "forbidden"}
"""Options -> what a session calls these settings."""


def log_beside(arms: Path) -> Path:
    """The log of a session on some arms, where no other is named.

    Examples
    --------
    >>> log_beside(Path("some/dishes.txt")).as_posix(), log_beside(Path("photos/")).as_posix()
    ('some/dishes.jsonl', 'photos.jsonl')
    >>> log_beside(Path("outputs.jsonl")).as_posix()
    'outputs-log.jsonl'
    """
    path = arms if arms.name not in ("", "..") else arms.resolve()
    end = "-log" if path.suffix == ".jsonl" else ""
    return path.with_name(f"{path.name if path.is_dir() else path.stem}{end}.jsonl")


@contextmanager
def opened(
    path: Path, arms: Sequence[Arm], log: Path, options: Mapping[str, Any], has_budget: bool = False
) -> Iterator[tuple[Session, bool]]:
    """Open the session of the log, or start one; yield it, and whether it is new.

    ``path`` is that of the arms, ``options`` are those of a session by their names without dashes, None if the command
    line does not have them. Raises an InputError if they are wrong, or they or the arms are not those of the log.
    """
    options = {option: value for option, value in options.items() if value is not None}
    names = [arm.name for arm in arms]
    digests = {arm.name: arm.digest for arm in arms}
    never = never_asked(arms)
    if log.exists() and log.stat().st_size:
        with Session.open(log, digests=digests) as session:
            _check_arms(path, names, session, log)
            _check_settings(options, [*never], session, log)
            for pair, why in never.items():
                if not any({*pair} == {*known} for known in session.settings["forbidden"]):
                    raise InputError(
                        f"{path}: {pair[0]!r} and {pair[1]!r} {why}, but the session in {log} asks about them; put the"
                        " outputs back, or begin another session with --log OTHER.jsonl"
                    )
            yield session, False
    else:
        check_folder(log)
        default = ALGORITHM_WITH_BUDGET if has_budget else ALGORITHM
        options = {"algorithm": default, **options}
        settings = {**_settings(options, names, [*never]), "presentation": stored(options, arms)}
        with Session(**settings, arms=names, log=log, digests=digests) as session:
            yield session, True


def _settings(
    options: Mapping[str, Any],
    names: Sequence[str],
    never: Sequence[tuple[str, str]],
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The settings on the command line, and those of the log, ``known``, where the command line has none."""
    algorithm = options["algorithm"] if known is None else options.get("algorithm", known["algorithm"])
    settings: dict[str, Any] = {SETTINGS[option]: options[option] for option in SETTINGS if option in options}
    settings["forbidden"] = [*never, *(_pair(text, names) for text in options.get("forbid", ()))]
    stop = {key: options[key] for key in STOP if key in options}
    if stop.get("rule") == "pairs":
        stop["target"] = "copeland"
    parameters = _parameters(algorithm, options.get("param", ()))
    if "horizon" in parameters or known:
        settings["horizon"] = parameters.pop("horizon", known and known["horizon"])
    return {**settings, "algorithm": algorithm, "stop": stop, "parameters": parameters}


def _parameters(algorithm: str, options: Sequence[str]) -> dict[str, Any]:
    """What ``--param`` says, read as in a spec."""
    known = registry.get(algorithm).parameters
    parsed: dict[str, Any] = {}
    for name, text in named_values([*options], "alpha=0.51").items():
        try:
            value = as_in_a_spec(text)
            if name == "horizon":
                parsed[name] = whole_number(value, 1, 10**15, "rounds")
            else:
                parsed[name] = known[name].read(value) if name in known else text
        except ValueError as error:
            raise InputError(f"--param {name}={text}: {name} {error}") from None
    return parsed


def _pair(text: str, names: Sequence[str]) -> tuple[str, str]:
    """Two names with a comma between them; the names may have commas, too."""
    parts = text.split(",")
    splits = [(",".join(parts[:k]).strip(), ",".join(parts[k:]).strip()) for k in range(1, len(parts))]
    pairs = [pair for pair in splits if {*pair} <= {*names}]
    if len(pairs) == 1:
        first, second = pairs[0]
        if first == second:
            raise InputError(f"--forbid {text}: an arm is never asked against itself; leave it out")
        return first, second
    if len(parts) == 2:
        for name in splits[0]:
            number_of(name, names, f"--forbid {text}: ")
    raise InputError(f"--forbid {text}: write two names with a comma between them, as in --forbid 'tuna,egg'")


def _check_arms(path: Path, names: list[str], session: Session, log: Path) -> None:
    odd = next((name for name in [*names, *session.arms] if (name in names) != (name in session.arms)), None)
    if odd is not None:
        where = f"in {path} but not in" if odd in names else f"not in {path} but in"
        raise InputError(
            f"{log}: belongs to other arms: {odd!r} is {where} the session; put the arms back, or start another session"
            f" with its answers: --warm {shlex.quote(str(log))} --log OTHER.jsonl"
        )


def _check_settings(options: Mapping[str, Any], never: Sequence[tuple[str, str]], session: Session, log: Path) -> None:
    """Refuse options that are not those of the log."""
    logged = session.settings
    here = settle(**_settings(options, session.arms, never, logged), arms=session.arms).header()
    compared = {f"--{option}": (here[key], logged[key]) for option, key in SETTINGS.items() if option in options}
    compared |= {
        f"--{key}": (here["stop"][key], (logged["stop"] or {}).get(key, "none")) for key in STOP if key in options
    }
    for argument in options.get("param", ()):
        name = argument.partition("=")[0]
        wanted, recorded = (
            {**settings["parameters"], "horizon": settings["horizon"]}.get(name) for settings in (here, logged)
        )
        compared[f"--param {argument}"] = wanted, recorded
    compared |= contradictions(options, session)
    for option, (wanted, recorded) in compared.items():
        if wanted != recorded:
            raise InputError(
                f"{option}: the session in {log} has {'another one' if isinstance(recorded, list) else recorded};"
                " leave the option out to go on with it, or start another session with --log OTHER.jsonl"
            )
