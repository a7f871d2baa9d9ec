"""Which of many alike cases the quick tests take; the others run with `make test-all`."""

from collections.abc import Iterable
from typing import Any

import pytest


def quick(cases: Iterable[Any], *chosen: Any) -> list[Any]:
    """Cases for `pytest.mark.parametrize`: those that are not ``chosen`` are marked as thorough.

    Examples
    --------
    >>> [bool(case.marks) for case in quick(["a", "b"], "b")]
    [True, False]
    """
    cases = list(cases)
    missing = [case for case in chosen if case not in cases]
    assert not missing, f"no such cases: {missing}"
    return [_parameters(case, [] if case in chosen else [pytest.mark.thorough]) for case in cases]


def _parameters(case: Any, marks: list[Any]) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
