"""The preference matrix: ``P[i, j]`` is the probability that arm i wins a duel against arm j.

A matrix is checked when it is made and never repaired: every number is used exactly as it was written.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.problem import labelled
from duelbench.bandits.problem.matrix_files import MAX_ARMS, MatrixContent, read_matrix
from duelbench.bandits.problem.notations import UNNAMED, Place, check_numbers, check_ties
from duelbench.common import shipped
from duelbench.errors import InputError

_AMBIGUOUS = re.compile(r'[,;:"()]| and |^\s|\s$')  # Names that could be misread in a list


@dataclass(frozen=True, eq=False, init=False, repr=False)
class PreferenceMatrix:
    """A valid preference matrix and the names of its arms, both read-only.

    Two matrices are equal if they have the same names and bitwise the same numbers; their sources may differ.

    Parameters
    ----------
    P : array_like, shape (K, K), float
        ``P[i, j]`` = Pr(arm i beats arm j), with 2 <= K <= 4096: in [0, 1], exactly 1/2 on the diagonal,
        ``P[i, j] + P[j, i] = 1`` within 1e-9, both or none of the two equal to 1/2. Copied. The columns of a
        pandas DataFrame are put into the order of its rows, which must have the same names.
    names : sequence of str, optional
        One name per arm, all different. Default "0" to "K-1", or those of the DataFrame.
    source : str, optional
        The file that the matrix came from; messages name it.

    Raises
    ------
    InputError
        If an entry is wrong; the message names the row and column, counted from 1, of the first one.

    Examples
    --------
    >>> P = PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]], names=["tuna", "egg"])
    >>> P, P.names[0], float(P.P[0, 1])
    (PreferenceMatrix(2 arms), 'tuna', 0.9)
    >>> PreferenceMatrix([[0.5, 0.9], [0.2, 0.5]])
    Traceback (most recent call last):
    ...
    duelbench.errors.InputError: the matrix: row 1, column 2 is 0.9 and row 2, column 1 (counted from 1) is
    0.2, together 1.1; they must add up to 1 within 1e-09: write 0.1 for the second, or correct the first
    """

    P: np.ndarray
    names: tuple[str, ...]
    source: str | None

    __array_ufunc__ = None  # compare unequal to an array, instead of entry by entry as NumPy does

    def __init__(self, P: ArrayLike, names: Sequence[str] | None = None, source: str | None = None) -> None:
        self._fill(*labelled.array_like(P, names, source or UNNAMED), source, None)

    def _fill(
        self, P: ArrayLike, names: Sequence[str] | None, source: str | None, lines: tuple[int, ...] | None
    ) -> None:
        place = Place(source or UNNAMED, lines)
        values = _square(P, place)
        check_numbers(values, place)
        check_ties(values, place)
        values.setflags(write=False)
        object.__setattr__(self, "P", values)
        object.__setattr__(self, "names", labelled.checked_names(names, len(values), place.label))
        object.__setattr__(self, "source", source)

    @classmethod
    def load(cls, path: str | os.PathLike[str], folder: str | os.PathLike[str] = "") -> "PreferenceMatrix":
        """Read a matrix from a file, or one that comes with duelbench, such as ``cyclic``.

        Parameters
        ----------
        path : path
            The content decides the format, not the name:

            - text (UTF-8): one row per line, numbers separated by commas or by white space; names of the arms may
              be in a line above, and then also in the first column (as pandas writes a table); blank lines and lines
              that start with ``#`` are skipped;
            - a NumPy ``.npy`` file, or an ``.npz`` file with the array ``PMat`` or ``P`` or one array only, and
              optionally an array ``names``.
        folder : path
            The folder of relative paths; by default the working folder.

        Examples
        --------
        >>> PreferenceMatrix.load("cyclic")
        PreferenceMatrix(4 arms, from cyclic)
        """
        name = os.fspath(path)
        file = shipped.matrix_file(name, folder)
        if file is not None:
            return cls.of_content(read_matrix(str(file)), name)
        source = str(Path(folder, name)) if folder else name
        return cls.of_content(read_matrix(source), source)

    @classmethod
    def of_content(cls, content: MatrixContent, source: str) -> "PreferenceMatrix":
        """Return the matrix of a file's content; messages name ``source`` and the line."""
        matrix = cls.__new__(cls)
        matrix._fill(content.values, content.names, source, content.lines)
        return matrix

    @classmethod
    def from_wins(
        cls, wins: Any, names: Sequence[str] | None = None, *, missing: str = "error", source: str | None = None
    ) -> "PreferenceMatrix":
        """Return the matrix of counts of wins: ``P[i, j] = wins[i, j] / (wins[i, j] + wins[j, i])``.

        Parameters
        ----------
        wins : mapping of (str, str) to number, pandas DataFrame or array_like of shape (K, K)
            ``wins[a, b]``: how often arm a (the row) won against arm b (the column), 1/2 for a tie; 0 on the diagonal.
            A missing pair counts 0.
        names : sequence of str, optional
            The names of the arms, in the order of the matrix; by default the order in the mapping, or of the rows. For
            a DataFrame they select its own names; for an array they name its rows.
        missing : {"error", "half"}
            Whether a pair that was never compared is an error, whose message names it, or a tie.

        Examples
        --------
        >>> P = PreferenceMatrix.from_wins({("tuna", "egg"): 3, ("egg", "tuna"): 1})
        >>> P.names, P.P.tolist()
        (('tuna', 'egg'), [[0.5, 0.75], [0.25, 0.5]])
        """
        label = source or "the counts of wins"
        counts, arms = labelled.wins_of(wins, names, label)
        if missing not in ("error", "half"):
            raise InputError(f"missing={missing!r}: write 'error' or 'half'")
        hint = "leave arms out, or make them ties with missing='half'"
        return cls(labelled.frequencies(counts, arms, label, missing == "half", hint), arms, source)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the matrix to a file that `load` reads back to the last bit; an existing file is overwritten.

        ``.csv`` and ``.npz`` files keep the names of the arms; ``.npy`` files can hold none.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "two.csv")
        ...     PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]], names=["tuna", "egg"]).save(file)
        ...     PreferenceMatrix.load(file).names
        ('tuna', 'egg')
        """
        labelled.save(path, self.P, self.names)

    @property
    def n_arms(self) -> int:
        """The number of arms, K."""
        return len(self.names)

    @cached_property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of K (8 bytes) and the float64 values in C order, all little-endian.

        Names and source do not matter: two matrices have the same digest exactly if all their numbers are the same.
        """
        size = self.n_arms.to_bytes(8, "little")
        return hashlib.sha256(size + self.P.astype("<f8").tobytes()).hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PreferenceMatrix):
            return NotImplemented
        return (self.names, self.sha256) == (other.names, other.sha256)

    def __hash__(self) -> int:
        return hash((self.names, self.sha256))

    def submatrix(self, arms: Sequence[int]) -> "PreferenceMatrix":
        """Return the matrix of some of the arms (0-based, at least two), in the given order; they keep their names.

        Examples
        --------
        >>> part = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]]).submatrix([2, 0])
        >>> part.names, part.P.tolist()
        (('2', '0'), [[0.5, 0.3], [0.7, 0.5]])
        """
        for arm in arms:
            if not isinstance(arm, (int, np.integer)) or not 0 <= arm < self.n_arms:
                raise InputError(f"{self.label}: there is no arm {arm!r}; arms are 0 to {self.n_arms - 1}")
        chosen = [int(arm) for arm in arms]
        if len(set(chosen)) < len(chosen):
            raise InputError(f"{self.label}: arm {max(chosen, key=chosen.count)} is chosen twice; name it once")
        return PreferenceMatrix(self.P[np.ix_(chosen, chosen)], [self.names[arm] for arm in chosen], self.source)

    def listed(self, arms: Iterable[int], separator: str = ", ") -> str:
        """List arms (0-based) for a message: numbers, and names if they have any, in quotes if they could be misread.

        Examples
        --------
        >>> P = [[0.5, 0.9], [0.1, 0.5]]
        >>> PreferenceMatrix(P).listed([1]), PreferenceMatrix(P, names=["Al", "Bob, Jr"]).listed([0, 1])
        ('1', '0 (Al), 1 ("Bob, Jr")')
        """
        return separator.join(self._listed(arm) for arm in arms)

    def _listed(self, arm: int) -> str:
        name = self.names[arm]
        if name == str(arm):
            return name
        shown = json.dumps(name, ensure_ascii=False) if _AMBIGUOUS.search(name) else name
        return f"{arm} (named {shown})" if name.isdecimal() else f"{arm} ({shown})"

    @property
    def label(self) -> str:
        """The name of the matrix in messages."""
        return self.source or UNNAMED

    def __repr__(self) -> str:
        origin = f", from {self.source}" if self.source else ""
        return f"PreferenceMatrix({self.n_arms} arms{origin})"

    def _repr_html_(self) -> str:
        """Return the matrix as HTML for a notebook."""
        return labelled.as_html(self.P, self.names, repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuild the matrix in another process, because pickled arrays become writable.
        return PreferenceMatrix, (self.P, self.names, self.source)


def _square(P: ArrayLike, place: Place) -> np.ndarray:
    """Return a (K, K) float64 copy of ``P``, 2 <= K <= MAX_ARMS."""
    shape = getattr(P, "shape", (len(P),) if isinstance(P, Sequence) else ())
    if max(shape, default=0) > MAX_ARMS:  # refuse it before copying
        raise InputError(f"{place.label}: {max(shape)} rows or columns; at most {MAX_ARMS} arms are supported")
    try:
        array = np.asarray(P)
        if array.dtype.kind not in "iufO":
            raise TypeError(f"it holds {array.dtype} values")
        values = np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{place.label}: not a table of numbers, in rows of equal length: {error}") from None
    if values.ndim != 2:
        content = "a single number" if values.ndim == 0 else f"an array with {values.ndim} dimension(s)"
        raise InputError(f"{place.label}: {content}; a preference matrix has K rows and K columns")
    rows, columns = values.shape
    if rows != columns:
        raise InputError(f"{place.label}: {rows} row(s) but {columns} column(s); there must be as many rows as columns")
    if rows < 2:
        raise InputError(f"{place.label}: {rows} arm(s); a duel needs two, so at least 2 rows and columns")
    return values
