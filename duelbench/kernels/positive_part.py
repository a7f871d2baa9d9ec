"""The part above 0 of a number that is known as a normal law."""

import math

from duelbench.kernels.decorators import kernel

LEAST_Z = -37.0
"""So many standard deviations below 0 the probability is still a float; further below it counts as here."""

DENSITY_AT_0 = 1.0 / math.sqrt(2.0 * math.pi)


@kernel
def positive_part(mean, deviation):
    """P(f > 0), E max(f, 0) and E max(f, 0)^2, where f is normal.

    Parameters
    ----------
    mean : float
    deviation : float
        The standard deviation, above 0.

    Returns
    -------
    probability, first_moment, second_moment : float

    Examples
    --------
    With mean 0 half of the law is above 0, and has half of the variance; E max(f, 0) is the density at 0.

    >>> probability, first, second = positive_part(0.0, 1.0)
    >>> probability, round(first * math.sqrt(2 * math.pi), 12), second
    (0.5, 1.0, 0.5)

    Far above 0 nothing is cut off: the second moment is 10^2 + 1.

    >>> positive_part(10.0, 1.0)
    (1.0, 10.0, 101.0)
    """
    z = max(mean / deviation, LEAST_Z)
    probability = 0.5 * math.erfc(-z / math.sqrt(2.0))
    density = DENSITY_AT_0 * math.exp(-0.5 * z * z)
    first = deviation * (z * probability + density)
    second = deviation * deviation * ((1.0 + z * z) * probability + z * density)
    return probability, max(first, 0.0), max(second, 0.0)
