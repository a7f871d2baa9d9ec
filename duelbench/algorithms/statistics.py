"""Former names of `duelbench.kernels`; they go with the next version."""

from duelbench.former_names import former

__getattr__ = former(
    __name__,
    [
        "duelbench.kernels.sampling",
        "duelbench.kernels.divergence",
        "duelbench.kernels.win_counts",
        "duelbench.kernels.confidence_bounds",
    ],
)
