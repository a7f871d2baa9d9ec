"""Reads how a live session shows its questions from options or from the log, and checks that these agree."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.errors import InputError
from duelbench.judging.arms import Arm, content_of
from duelbench.judging.session import Session

QUESTION = "Which is better?"


class Presentation(NamedTuple):
    """The text that judges see beside the two arms."""

    question: str = QUESTION
    names: bool = False  # whether people see the names of arms that have a text or a file
    instructions: str | None = None  # how to judge, in words


def stored(options: Mapping[str, Any], arms: Sequence[Arm]) -> dict[str, Any]:
    """Return the presentation for the log of a new session; it has whole texts only with ``--keep-texts``."""
    path: Path | None = options.get("instructions")
    presentation: dict[str, Any] = {"question": options.get("question", QUESTION), "names": "names" in options}
    if path is not None:
        presentation["instructions"] = {"path": str(path), "digest": _digest(_read(path))}
    if "keep_texts" in options:
        presentation["texts"] = {
            "arms": {arm.name: {key: out.text for key, out in arm.outputs.items()} or arm.text for arm in arms},
            "inputs": {input: output.input_text for arm in arms for input, output in arm.outputs.items()},
            "instructions": None if path is None else _read(path),
        }
    return presentation


def contradictions(options: Mapping[str, Any], session: Session) -> dict[str, tuple[Any, Any]]:
    """Return the values of the command line and the log by option, empty if the log has no presentation."""
    logged = session.settings["presentation"]
    if "question" not in logged:  # a session from Python, or from an earlier version
        return {}
    wanted: dict[str, Any] = {option: options[option] for option in ("question", "names") if option in options}
    recorded = {"question": logged["question"], "names": logged["names"] or "hidden names"}
    if "instructions" in options:
        wanted["instructions"] = _digest(_read(options["instructions"]))
        recorded["instructions"] = logged.get("instructions", {}).get("digest", "no instructions")
    if "keep_texts" in options:
        wanted["keep-texts"], recorded["keep-texts"] = True, "texts" in logged or "no texts"
    return {f"--{option}": (value, recorded[option]) for option, value in wanted.items()}


def presentation_of(session: Session, options: Mapping[str, Any]) -> Presentation:
    """Return the presentation of a session; add a note to the session if its instructions have changed."""
    logged = session.settings["presentation"]
    logged_instructions = logged.get("instructions")
    path = options.get("instructions")
    if path is None and logged_instructions:
        path = Path(logged_instructions["path"])
    instructions = None if path is None else _read(path)
    if logged_instructions and instructions and _digest(instructions) != logged_instructions["digest"]:
        session.notes.append(f"the instructions in {path} have changed since the session started")
    question = logged.get("question") or options.get("question") or QUESTION
    return Presentation(question, bool(logged.get("names", options.get("names"))), instructions)


def _read(path: Path) -> str:
    text = content_of(path).strip()
    if not text:
        raise InputError(f"--instructions {path}: is empty; write in it how to judge, or leave the option out")
    return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
