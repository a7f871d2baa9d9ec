"""Former names of `duelbench.kernels`; they go with the next version."""

from duelbench.former_names import former

RENAMED = {"apart": "not_inlined", "shared": "compiled_once"}

__getattr__ = former(__name__, ["duelbench.kernels.decorators"], RENAMED)
