"""Rounds in which ln t passes a value."""

import math

from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.never import NEVER

LAST_ROUND = 1e15  # Events later than this round count as never: no horizon is that long.


@kernel
def round_at(log_t):
    """Return the first whole round t with ln t >= ``log_t``, and whether it is certain in spite of rounding errors.

    If it is not, the caller must check the rounds nearby. It is at least 1, and NEVER beyond `LAST_ROUND`.

    Examples
    --------
    >>> round_at(1.0), round_at(-3.0), round_at(math.log(8))[1], round_at(40.0) == (NEVER, True)  # e = 2.718...
    ((3, True), (1, True), False, True)
    """
    if log_t > math.log(LAST_ROUND):
        return NEVER, True
    crossing = math.exp(log_t)
    t = max(1, math.ceil(crossing))
    return t, crossing < 1e9 and abs(crossing - round(crossing)) > 1e-3


@kernel
def round_after(log_t):
    """Return the first whole round t with ln t > ``log_t``, exactly as floating point compares them.

    Examples
    --------
    >>> round_after(1.0), round_after(math.log(8)), round_after(-1.0)
    (3, 9, 1)
    """
    t, sure = round_at(log_t)
    if sure:
        return t
    while t > 1 and math.log(t - 1) > log_t:
        t -= 1
    while math.log(t) <= log_t:
        t += 1
    return t
