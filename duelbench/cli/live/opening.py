"""Opens the session of ``duelbench live``: a new one, or the one of its log."""

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
"""The default algorithms: one that stops early, and one that is right most often after a given number of answers.

The table in docs/live.md has the measurements of `docs/studies/budgets.py`.
"""

SETTINGS = {**{name: name for name in ("algorithm", "seed", "ties", "orders", "warm", "once")}, "forbid": "forbidden"}
"""Options -> the parameters of a session."""


def log_beside(arms: Path) -> Path:
    """Return the default log of a session on some arms.

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

    ``path`` is the file or folder of the arms. ``options`` are the options of a session by their names without dashes,
    None for those that the command line lacks. Raises an InputError if an option is wrong, or an option or the arms are
    not those of the log.
    """
    options = {option: value for option, value in options.items() if value is not None}
    names = [arm.name for arm in arms]
    digests = {arm.name: arm.digest for arm in arms}
    never = never_asked(arms)
    if log.exists() and log.stat().st_size:
        with Session.open(log, digests=digests) as session:
            _check_arms(path, names, session, log)
            _check_settings(options, [*never], session, log)
            forbidden = [{*pair} for pair in session.settings["forbidden"]]
            for pair, reason in never.items():
                if {*pair} not in forbidden:
                    raise InputError(
                        f"{path}: {pair[0]!r} and {pair[1]!r} {reason}, but the session in {log} asks about them; put"
                        " the outputs back, or start another session with --log OTHER.jsonl"
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
    logged: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the settings of the command line, else those of the log, ``logged``."""
    algorithm = options["algorithm"] if logged is None else options.get("algorithm", logged["algorithm"])
    settings: dict[str, Any] = {SETTINGS[option]: options[option] for option in SETTINGS if option in options}
    settings["forbidden"] = [*never, *(_pair(text, names) for text in options.get("forbid", ()))]
    stop = {key: options[key] for key in STOP if key in options}
    if stop.get("rule") == "pairs":
        stop["target"] = "copeland"
    parameters = _parameters(algorithm, options.get("param", ()))
    if "horizon" in parameters or logged:
        settings["horizon"] = parameters.pop("horizon", logged and logged["horizon"])
    return {**settings, "algorithm": algorithm, "stop": stop, "parameters": parameters}


def _parameters(algorithm: str, options: Sequence[str]) -> dict[str, Any]:
    """Read ``--param`` as in a spec."""
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
    """Read two names with a comma between them; the names may have commas, too."""
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
    unshared = [name for name in [*names, *session.arms] if (name in names) != (name in session.arms)]
    if unshared:
        name = unshared[0]
        location = f"in {path} but not in" if name in names else f"not in {path} but in"
        raise InputError(
            f"{log}: belongs to other arms: {name!r} is {location} the session; put the arms back, or start another"
            f" session with its answers: --warm {shlex.quote(str(log))} --log OTHER.jsonl"
        )


def _check_settings(options: Mapping[str, Any], never: Sequence[tuple[str, str]], session: Session, log: Path) -> None:
    """Refuse options that are not those of the log."""
    logged = session.settings
    wanted_settings = settle(**_settings(options, session.arms, never, logged), arms=session.arms).header()
    compared = {
        f"--{option}": (wanted_settings[key], logged[key]) for option, key in SETTINGS.items() if option in options
    }
    logged_stop = logged["stop"] or {}
    for key in STOP:
        if key in options:
            compared[f"--{key}"] = wanted_settings["stop"][key], logged_stop.get(key, "none")
    for argument in options.get("param", ()):
        name = argument.partition("=")[0]
        wanted, recorded = (
            {**settings["parameters"], "horizon": settings["horizon"]}.get(name)
            for settings in (wanted_settings, logged)
        )
        compared[f"--param {argument}"] = wanted, recorded
    compared |= contradictions(options, session)
    for option, (wanted, recorded) in compared.items():
        if wanted != recorded:
            raise InputError(
                f"{option}: the session in {log} has {'another value' if isinstance(recorded, list) else recorded};"
                " leave the option out to continue it, or start another session with --log OTHER.jsonl"
            )
