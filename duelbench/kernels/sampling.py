"""Uniform draws by one number of the generator: kernels cannot make the arrays that `Generator.integers` makes."""

from duelbench.kernels.decorators import kernel


@kernel
def draw_index(count, rng):
    """A uniformly random index below ``count``; draws nothing where there is only one.

    The product of a 53-bit uniform number and ``count`` is cut off: no index is likelier than another by more than
    one part in 2^53 / count.
    """
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
