"""A random order of arms, drawn between rounds."""

from duelbench.kernels.decorators import kernel
from duelbench.kernels.sampling import draw_index


@kernel
def shuffle(arms, count, rng):
    """Bring the first ``count`` entries into a uniformly random order, in place.

    From the last entry down to the second, each is exchanged for one of those up to and including itself, by one number
    of the generator each: `draw_index` of count, count - 1, ..., 2.

    Examples
    --------
    >>> import numpy as np
    >>> arms = np.arange(5)
    >>> shuffle(arms, 3, np.random.default_rng(0))
    >>> sorted(arms[:3].tolist()), arms[3:].tolist()
    ([0, 1, 2], [3, 4])
    """
    for last in range(count - 1, 0, -1):
        k = draw_index(last + 1, rng)
        arms[last], arms[k] = arms[k], arms[last]
