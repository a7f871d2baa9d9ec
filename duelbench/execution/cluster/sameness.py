"""Whether the duelbench at the other end of a cluster is this one."""

from collections.abc import Callable

from duelbench.version import VERSION

Answer = tuple[str, str] | None
"""The version of a duelbench and the SHA-256 of its sources; None where there is none."""


def question() -> Callable[[], Answer]:
    """What workers are asked. They may have no duelbench, so that the function itself is sent and not its name.

    Examples
    --------
    >>> question()() == own_answer()
    True
    """

    def version_and_sources() -> Answer:
        import hashlib
        import pathlib

        try:
            from duelbench import version
        except ImportError:
            return None
        package = pathlib.Path(version.__file__).parent
        sources = hashlib.sha256()
        for file in sorted(package.rglob("*.py")):
            sources.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
        return version.VERSION, sources.hexdigest()

    return version_and_sources


def own_answer() -> Answer:
    """What this process answers."""
    return question()()


def in_words(answer: object) -> str:
    """An answer that is not ours, to follow "has".

    Examples
    --------
    >>> in_words(None), in_words(("99.1", "ab"))
    ('no duelbench', 'duelbench 99.1')
    """
    if answer is None:
        return "no duelbench"
    if not isinstance(answer, tuple):
        return f"not answered ({type(answer).__name__}: {answer})"
    version, _ = answer
    return f"duelbench {version}" if version != VERSION else f"other sources of duelbench {version}"
