"""Uniform draws from one random number each, and the highest of several values.

Kernels use these draws instead of `Generator.integers`, because it makes arrays, and kernels cannot.
"""

from duelbench.bandits.kernels.decorators import kernel


@kernel
def draw_index(count, rng):
    """Return a uniformly random index below ``count``; draw no number if ``count`` is 1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> draw_index(1, rng), draw_index(3, rng) in (0, 1, 2)
    (0, True)
    """
    return int(rng.random() * count) if count > 1 else 0


@kernel
def draw_member(member, count, rng):
    """Return the index of a uniformly random true entry of ``member``; draw no number if there is only one.

    Parameters
    ----------
    member : ndarray of bool, shape (K,)
    count : int
        The number of true entries.
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np
    >>> draw_member(np.array([False, True, False]), 1, np.random.default_rng(0))
    1
    """
    skip = draw_index(count, rng)
    for i in range(member.size):
        if member[i]:
            if skip == 0:
                return i
            skip -= 1
    return -1


@kernel
def shuffle(arms, count, rng):
    """Bring the first ``count`` entries of an array into a uniformly random order, in place, the last entry first.

    Examples
    --------
    >>> import numpy as np
    >>> arms = np.array([4, 5, 6, 7])
    >>> shuffle(arms, 3, np.random.default_rng(0))
    >>> sorted(arms[:3].tolist()), int(arms[3])
    ([4, 5, 6], 7)
    """
    for last in range(count - 1, 0, -1):
        k = draw_index(last + 1, rng)
        arms[last], arms[k] = arms[k], arms[last]


@kernel
def highest(values):
    """Return the lowest index of the highest value.

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
    """Return a uniformly random index among those of the highest value; draw no number if there is only one.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> draw_highest(np.array([0.2, 0.7, 0.1]), rng), draw_highest(np.array([3, 1, 3]), rng) in (0, 2)
    (1, True)
    """
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
