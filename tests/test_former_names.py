"""Names that plug-ins import from former places work for one version, with a warning that says where they are now."""

import importlib
from collections.abc import Sequence

import pytest

FORMER: Sequence[tuple[str, str, str, str]] = (
    ("duelbench.algorithms.kernel", "kernel", "duelbench.kernels.decorators", "kernel"),
    ("duelbench.algorithms.kernel", "inlined", "duelbench.kernels.decorators", "inlined"),
    ("duelbench.algorithms.kernel", "apart", "duelbench.kernels.decorators", "not_inlined"),
    ("duelbench.algorithms.statistics", "draw_index", "duelbench.kernels.sampling", "draw_index"),
    ("duelbench.algorithms.statistics", "new_bounds", "duelbench.kernels.confidence_bounds", "new_bounds"),
    ("duelbench.algorithms.statistics", "kl_to_half", "duelbench.kernels.divergence", "kl_to_half"),
    ("duelbench.decision", "Decision", "duelbench.problem.decision_rule", "Decision"),
)


@pytest.mark.parametrize(("module", "name", "place", "present"), FORMER)
def test_a_former_name_leads_to_the_present_one_and_warns(module, name, place, present):
    with pytest.warns(DeprecationWarning, match=f"{module}.{name} is now {place}.{present}"):
        found = getattr(importlib.import_module(module), name)
    assert found is getattr(importlib.import_module(place), present)


def test_a_name_that_never_was_there_is_none_now():
    with pytest.raises(AttributeError, match="has no attribute 'nonesuch'"):
        _ = importlib.import_module("duelbench.algorithms.kernel").nonesuch


def test_names_that_did_not_move_need_no_warning():
    from duelbench.algorithms.contract import NEVER, SEVERAL, Algorithm, Parameter

    assert (NEVER, SEVERAL) == (2**62, -2) and Algorithm and Parameter
