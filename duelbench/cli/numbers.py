"""Whole numbers as options of commands: written as in a spec, so that 1e3 and 1_000 are a thousand."""

from collections.abc import Callable

import typer


def whole(low: int, high: int = 2**63 - 1, unit: str = "") -> Callable[[str | int], int]:
    """A parser for an option: whole numbers from ``low`` to ``high``; ``unit`` is what they count.

    Examples
    --------
    >>> whole(1, 10**6, "runs")("1e2")
    100
    """

    def parse(text: str | int) -> int:
        from duelbench.spec.kinds import Whole
        from duelbench.spec.yaml_source import Scalar

        try:
            return Whole(low, high, unit).parse(Scalar(text))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse
