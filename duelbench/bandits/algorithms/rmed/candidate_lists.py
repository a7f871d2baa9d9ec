"""The lists L_C, L_R and L_N of the RMED family: passes over L_C, while L_N collects the items of the next pass.

Items are numbered in the private order, so that a list in increasing order is a list in private order.
"""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import inlined
from duelbench.bandits.kernels.records import record


class CandidateLists(NamedTuple):
    """The lists; arrays are updated in place."""

    current: np.ndarray  # (n_items,) int64. L_C in increasing order.
    remaining: np.ndarray  # (n_items,) bool. L_R: items of this pass that are not drawn yet.
    next: np.ndarray  # (n_items,) int64. L_N in increasing order.
    is_next: np.ndarray  # (n_items,) bool. Whether an item is in L_N.
    place: np.ndarray  # (1,) record of `new_lists`


def new_lists(n_items: int, first_pass: int) -> CandidateLists:
    """Return the lists before the first draw: L_C and L_R are items 0 .. ``first_pass`` - 1, L_N is empty."""
    return CandidateLists(
        current=np.arange(n_items),
        remaining=np.arange(n_items) < first_pass,
        next=np.zeros(n_items, np.int64),
        is_next=np.zeros(n_items, np.bool_),
        place=record(
            cursor=0,  # the place of the current item in L_C
            n_current=first_pass,  # the number of valid entries of L_C
            n_next=0,  # the number of valid entries of L_N
        ),
    )


@inlined
def present(lists):
    """Return the current item of L_C."""
    return lists.current[lists.place[0].cursor]


@inlined
def is_open(lists, item):
    """Return whether ``item`` may join L_N: it is in neither L_R nor L_N."""
    return not lists.remaining[item] and not lists.is_next[item]


@inlined
def add_to_next(lists, item):
    """Add an item that is not in L_N to L_N."""
    k = lists.place[0].n_next
    while k > 0 and lists.next[k - 1] > item:
        lists.next[k] = lists.next[k - 1]
        k -= 1
    lists.next[k] = item
    lists.is_next[item] = True
    lists.place[0].n_next += 1


@inlined
def advance(lists):
    """Advance to the next item of L_C; after the last one, L_C, L_R <- L_N and L_N <- {}."""
    place = lists.place[0]
    place.cursor += 1
    if place.cursor < place.n_current:
        return
    for k in range(place.n_next):
        item = lists.next[k]
        lists.current[k] = item
        lists.remaining[item] = True
        lists.is_next[item] = False
    place.cursor = 0
    place.n_current = place.n_next
    place.n_next = 0
