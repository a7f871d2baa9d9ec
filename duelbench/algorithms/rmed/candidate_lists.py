"""The loop of the RMED family: pass after pass over a list L_C, while the list of the next pass is drawn up.

Items are numbered in the private order, so that a list in increasing order is a list in private order.
"""

from typing import NamedTuple

import numpy as np

from duelbench.kernels.decorators import inlined

CURSOR, SIZE, NEXT_SIZE = 0, 1, 2  # places in Passes.place


class Passes(NamedTuple):
    """The lists L_C, L_R and L_N; arrays are updated in place.

    current : (n_items,) int64. L_C in increasing order; the first SIZE entries count.
    remaining : (n_items,) bool. L_R: items of this pass that are not drawn yet.
    upcoming : (n_items,) int64. L_N in increasing order; the first NEXT_SIZE entries count.
    enlisted : (n_items,) bool. Whether an item is in L_N.
    place : (3,) int64. Place of the present item in L_C, size of L_C, size of L_N.
    """

    current: np.ndarray
    remaining: np.ndarray
    upcoming: np.ndarray
    enlisted: np.ndarray
    place: np.ndarray


def new_passes(n_items: int, first_pass: int) -> Passes:
    """Before the first draw: L_C and L_R are items 0 .. ``first_pass`` - 1, L_N is empty.

    Examples
    --------
    >>> passes = new_passes(3, 2)
    >>> int(present(passes)), passes.remaining.tolist()
    (0, [True, True, False])
    """
    return Passes(
        current=np.arange(n_items),
        remaining=np.arange(n_items) < first_pass,
        upcoming=np.zeros(n_items, np.int64),
        enlisted=np.zeros(n_items, np.bool_),
        place=np.array([0, first_pass, 0]),
    )


@inlined
def present(passes):
    """The item of L_C whose turn it is."""
    return passes.current[passes.place[CURSOR]]


@inlined
def is_alone(passes):
    """Whether L_C has one item only."""
    return passes.place[SIZE] == 1


@inlined
def is_open(passes, item):
    """Whether ``item`` may join L_N: it is in neither L_R nor L_N."""
    return not passes.remaining[item] and not passes.enlisted[item]


@inlined
def enlist(passes, item):
    """Add an item that is not in L_N to it."""
    upcoming = passes.upcoming
    k = passes.place[NEXT_SIZE]
    while k > 0 and upcoming[k - 1] > item:
        upcoming[k] = upcoming[k - 1]
        k -= 1
    upcoming[k] = item
    passes.enlisted[item] = True
    passes.place[NEXT_SIZE] += 1


@inlined
def strike(passes):
    """The present item was drawn: L_R <- L_R \\ {item}."""
    passes.remaining[present(passes)] = False


@inlined
def go_on(passes):
    """Pass on to the next item; after the last one, L_C, L_R <- L_N and L_N <- {}.

    Examples
    --------
    >>> passes = new_passes(3, 1)
    >>> strike(passes)
    >>> enlist(passes, 2)
    >>> enlist(passes, 0)
    >>> go_on(passes)
    >>> int(present(passes)), passes.remaining.tolist(), bool(is_alone(passes))
    (0, [True, False, True], False)
    """
    place = passes.place
    place[CURSOR] += 1
    if place[CURSOR] < place[SIZE]:
        return
    for k in range(place[NEXT_SIZE]):
        item = passes.upcoming[k]
        passes.current[k] = item
        passes.remaining[item] = True
        passes.enlisted[item] = False
    place[CURSOR] = 0
    place[SIZE] = place[NEXT_SIZE]
    place[NEXT_SIZE] = 0
