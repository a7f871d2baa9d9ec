"""Records of a state: what changes by name, in an array of one, which kernels update in place."""

from typing import Any

import numpy as np


def record(**fields: Any) -> np.ndarray:
    """A (1,) array of one record: int64, float64 and bool fields, by their first values.

    Examples
    --------
    >>> progress = record(stage=1, is_over=False)
    >>> progress[0].stage += 1
    >>> print(progress)
    [(2, False)]
    """
    dtype = np.dtype([(name, np.asarray(value).dtype) for name, value in fields.items()])
    return np.rec.array([tuple(fields.values())], dtype=dtype)
