"""Which of alike cases the quick tests take, and how often: `make test-thorough` and `make test-long` take more."""

import os
from collections.abc import Iterable
from typing import Any

import pytest


def times(count: int) -> int:
    """How often something random is tried: ``count`` times, or as many times more as `make test-long` asks for."""
    return count * int(os.environ.get("DUELBENCH_TRY", "1"))


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
