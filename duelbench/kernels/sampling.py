"""Uniform draws by one number of the generator, and the highest of several values.

Kernels cannot make the arrays that `Generator.integers` makes.
"""

from duelbench.kernels.decorators import kernel


@kernel
def draw_index(count, rng):
    """A uniformly random index below ``count``; draws nothing where there is only one."""
    return int(rng.random() * count) if count > 1 else 0


@kernel
def draw_member(member, count, rng):
    """A uniformly random index among the ``count`` true entries of ``member``; draws nothing where there is one."""
    skip = draw_index(count, rng)
    for i in range(member.size):
        if member[i]:
            if skip == 0:
                return i
            skip -= 1
    return -1


@kernel
def shuffle(arms, count, rng):
    """Bring the first ``count`` entries into a uniformly random order, in place, the last entry first."""
    for last in range(count - 1, 0, -1):
        k = draw_index(last + 1, rng)
        arms[last], arms[k] = arms[k], arms[last]


@kernel
def highest(values):
    """The lowest index of the highest value.

    Examples
    --------
    >>> import numpy as np
    >>> highest(np.array([0.2, 0.7, 0.7]))
    1
    """
    best = 0
    for i in range(1, values.size):
        if values[i] > values[best]:
            best = i
    return best


@kernel
def draw_highest(values, rng):
    """A uniformly random index of the highest value; draws nothing where there is one."""
    most = values[highest(values)]
    count = 0
    for i in range(values.size):
        count += values[i] == most
    skip = draw_index(count, rng)
    for i in range(values.size):
        if values[i] == most:
            if skip == 0:
                return i
            skip -= 1
    return -1
