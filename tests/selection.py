"""Which of many alike cases the quick tests take; the others run with `make test-thorough`."""

from collections.abc import Iterable
from typing import Any

import pytest


def quick(cases: Iterable[Any], *chosen: Any, slow: Iterable[Any] = ()) -> list[Any]:
    """Cases for `pytest.mark.parametrize`: those that are not ``chosen`` are marked as thorough, or as ``slow``.

    Examples
    --------
    >>> [bool(case.marks) for case in quick(["a", "b"], "b")]
    [True, False]
    """
    cases, slow = list(cases), list(slow)
    missing = [case for case in (*chosen, *slow) if case not in cases]
    assert not missing, f"no such cases: {missing}"

    def marks(case: Any) -> list[Any]:
        return [] if case in chosen else [pytest.mark.slow if case in slow else pytest.mark.thorough]

    return [_parameters(case, marks(case)) for case in cases]


def _parameters(case: Any, marks: list[Any]) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
