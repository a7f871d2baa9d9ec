"""Reading judged documents in the SVMlight format of LETOR and MSLR: ``grade qid:7 1:0.5 2:3 ... # comment``.

Files of many gigabytes are read twice, a line at a time: `scan` finds the queries, `read_block` reads some of them.
The lines of a query must be together. A feature that a line leaves out is 0, as in SVMlight; ``NULL`` (in LETOR a
feature that could not be computed) becomes the lowest value of its query, as in LETOR's version MIN.

References
----------
.. [1] T. Qin, T.-Y. Liu, "Introducing LETOR 4.0 Datasets", arXiv:1306.2597, 2013.
"""

import codecs
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from duelbench.bandits.problem.matrix_files import check_text, quoted
from duelbench.data.rankings.clicks import MOST_GRADES
from duelbench.data.rankings.orders import MOST_DOCUMENTS, order_of
from duelbench.errors import InputError, reading

MOST_FEATURES = 4096  # Each is a ranker, and an arm of a matrix
MAX_LINE = 2**20  # Longest line, in bytes
BLOCK_BYTES = 2**25  # The text that is read at a time, up to the end of a query

_HEAD = re.compile(rb"\s*([^\s#:]+)\s+qid:([^\s#:]+)((?:\s[^#]*)?)")
_FEATURE = re.compile(rb"\d+:(?:NULL|[-+.\deE]+)")
_LINE = re.compile(rb"\s*([^\s#:]+)\s+qid:[^\s#:]+((?:\s+%b)*)\s*(?:#.*)?" % _FEATURE.pattern, re.DOTALL)
_EXAMPLE = "2 qid:7 1:0.5 2:3"


class Query(NamedTuple):
    """The place of a query's documents in the files."""

    file: int  # Its place among the files, 0-based
    offset: int  # Of its first line, in bytes
    line: int  # Number of its first line, from 1
    n_documents: int


@dataclass(frozen=True)
class Index:
    """The queries in the files, and their features, as `scan` finds them."""

    paths: tuple[str, ...]
    queries: tuple[Query, ...]
    first: int  # lowest number of a feature, 0 or 1
    last: int  # and the highest

    @property
    def n_documents(self) -> int:
        """The number of documents of all queries."""
        return sum(query.n_documents for query in self.queries)


def scan(paths: Sequence[str], read: Callable[[int], object] = lambda n_bytes: None) -> Index:
    """Go through files of judged documents and find their queries; ``read`` is called with the number of new bytes.

    An InputError names file and line of the first mistake.
    """
    seen: dict[bytes, str] = {}
    queries: list[Query] = []
    numbers = {1}
    for k, path in enumerate(paths):
        present: bytes | None = None
        last = 0
        for offset, line, text in _lines(path, read):
            qid, features = _head(text, path, line)
            ends = [*_ends(features, path, line)]
            numbers.update(ends)
            before, last = last, max(ends, default=0)
            if last < before and not text.endswith(b"\n"):
                raise InputError(
                    f"{path}: line {line} is cut short: it has no line end, and no features above {last} as the line"
                    " before has; get the file again, or end the line"
                )
            if qid != present:
                if qid in seen:
                    raise InputError(
                        f"{path}: line {line}: query {_shown(qid)} appears again (first: {seen[qid]}); put the lines of"
                        " a query together (`sort -s -t: -k2,2` does; scores of your own need the new order, too), and"
                        " each file once"
                    )
                seen[qid] = f"{path}: line {line}"
                queries.append(Query(k, offset, line, 0))
                present = qid
            if queries[-1].n_documents == MOST_DOCUMENTS:
                raise InputError(f"{path}: line {line}: more than {MOST_DOCUMENTS} documents of one query")
            queries[-1] = queries[-1]._replace(n_documents=queries[-1].n_documents + 1)
        if not queries or queries[-1].file != k:
            raise InputError(f"{path}: holds no judged documents; a line looks like {_EXAMPLE}")
    return Index(tuple(paths), tuple(queries), min(numbers), max(numbers))


class Block(NamedTuple):
    """The documents of a block of queries."""

    grades: np.ndarray  # (n_documents,) uint8
    orders: np.ndarray  # (n_features + n_more, n_documents) uint16, as by `duelbench.data.rankings.orders.order_of`
    occurs: np.ndarray  # (n_features + n_more,) bool. Features that any document has, and all further scores


def blocks(index: Index) -> list[range]:
    """Divide the queries (0-based) into parts of about `BLOCK_BYTES`, each within one file."""
    parts: list[range] = []
    begin = 0
    queries = index.queries
    for k in range(1, len(queries) + 1):
        ends = k == len(queries) or queries[k].file != queries[begin].file
        if ends or queries[k].offset - queries[begin].offset >= BLOCK_BYTES:
            parts.append(range(begin, k))
            begin = k
    return parts


def read_block(index: Index, scores: np.ndarray) -> Block:
    """Read consecutive queries of one file, with (n_more, n_documents) further scores."""
    queries = index.queries
    path = index.paths[queries[0].file]
    width = index.last - index.first + 1
    grades = np.zeros(index.n_documents, dtype=np.uint8)
    orders = np.zeros((width + len(scores), index.n_documents), dtype=np.uint16)
    occurs = np.arange(len(orders)) >= width
    lines = _lines(path, offset=queries[0].offset, line=queries[0].line)
    begin = 0
    for query in queries:
        end = begin + query.n_documents
        documents = list(islice(lines, query.n_documents))
        if len(documents) < query.n_documents:
            raise InputError(f"{path}: was changed while it was read; try again")
        values = np.empty((len(orders), query.n_documents))
        grades[begin:end], values[:width] = _query(documents, path, index.first, occurs[:width])
        values[width:] = scores[:, begin:end]
        orders[:, begin:end] = order_of(values)
        begin = end
    return Block(grades, orders, occurs)


def line_of(index: Index, document: int) -> str:
    """File and line of a document (0-based), for a message."""
    for query in index.queries:
        if document < query.n_documents:
            break
        document -= query.n_documents
    path = index.paths[query.file]
    _, line, _ = next(islice(_lines(path, offset=query.offset, line=query.line), document, None))
    return f"{path}: line {line}"


def read_scores(path: str, n_documents: int) -> np.ndarray:
    """The scores of a ranker: a number per line, in the order of the documents."""
    scores = array("d")
    for _, line, text in _lines(path):
        value = _number(text.partition(b"#")[0].strip())
        if value is None or not np.isfinite(value):
            raise InputError(f"{path}: line {line} is {_shown(text)}, not a number; write one score per document")
        scores.append(value)
    if len(scores) != n_documents:
        raise InputError(f"{path}: holds {len(scores)} scores for {n_documents} documents; write one line per document")
    return np.array(scores)


def _shown(text: bytes) -> str:
    return quoted(text.strip().decode(errors="replace"))


def _lines(
    path: str, read: Callable[[int], object] = lambda n_bytes: None, offset: int = 0, line: int = 1
) -> Iterator[tuple[int, int, bytes]]:
    """Offset, number and text of each line that is neither blank nor a comment."""
    with reading(path), open(path, "rb") as file:
        file.seek(offset)
        reported = offset
        while text := file.readline(MAX_LINE):
            skipped = len(text)
            if line == 1:
                if text.startswith((b"PK", b"\x1f\x8b", b"BZh", b"7z", b"\xfd7zXZ", b"Rar!")):
                    raise InputError(f"{path}: is an archive; unpack it and name the text files in it")
                check_text(text, path)
                text = text.removeprefix(codecs.BOM_UTF8)
            if len(text) == MAX_LINE and not text.endswith(b"\n"):
                raise InputError(f"{path}: line {line} has over {MAX_LINE} bytes; these are not judged documents")
            stripped = text.lstrip()
            if stripped and not stripped.startswith(b"#"):
                yield offset, line, text
            offset += skipped
            line += 1
            if offset - reported >= BLOCK_BYTES:
                read(offset - reported)
                reported = offset
        read(offset - reported)


def _head(text: bytes, path: str, line: int) -> tuple[bytes, bytes]:
    """The query of a line, and the text after it up to a comment."""
    match = _HEAD.match(text)
    if not match:
        why = "has no query (qid:)" if b"qid:" not in text.partition(b"#")[0] else "does not start with a grade"
        raise InputError(f"{path}: line {line} {why}: {_shown(text)}; a line looks like {_EXAMPLE}")
    return match[2], match[3]


def _ends(features: bytes, path: str, line: int) -> Iterator[int]:
    """The numbers of the first and last feature of a line."""
    for word in (*features.split(None, 1)[:1], *features.rsplit(None, 1)[-1:]):
        digits = word.partition(b":")[0]
        if not digits.isdigit():
            raise _no_feature(word, path, line)
        if int(digits) > MOST_FEATURES:
            raise InputError(f"{path}: line {line}: feature {int(digits)}; numbers up to {MOST_FEATURES} are read")
        yield int(digits)


def _no_feature(word: bytes, path: str, line: int) -> InputError:
    return InputError(
        f"{path}: line {line} holds {_shown(word)}, which is not a feature; write NUMBER:VALUE, as in 3:0.25 or 3:NULL"
    )


def _query(
    documents: Sequence[tuple[int, int, bytes]], path: str, first: int, occurs: np.ndarray
) -> tuple[list[int], np.ndarray]:
    """The grades of a query's documents, and the values of features, (width, n_documents); mark those that occur."""
    width = len(occurs)
    grades = []
    rows: list[list[float]] = []
    for _, line, text in documents:
        match = _LINE.fullmatch(text)
        if not match:
            words = _head(text, path, line)[1].split()
            raise _no_feature(next((word for word in words if not _FEATURE.fullmatch(word)), text), path, line)
        grade = _number(match[1])
        if grade is None or grade not in range(MOST_GRADES):
            known = f"grades are 0, 1, ..., {MOST_GRADES - 1}"
            raise InputError(f"{path}: line {line} has the grade {_shown(match[1])}; {known}")
        grades.append(int(grade))
        rows.append(_features(match[2], path, line))
    if all(len(row) == 2 * width for row in rows):
        table = np.array(rows).reshape(len(rows), width, 2)
        if (table[:, :, 0] == np.arange(first, first + width)).all():
            occurs[:] = True
            return grades, _checked(table[:, :, 1].T, documents, path)
    values = np.zeros((width, len(rows)))
    for k, row in enumerate(rows):
        numbers = np.array(row[::2], dtype=np.int64)
        if (np.diff(numbers) <= 0).any():
            later = int(numbers[1:][np.diff(numbers) <= 0][0])
            raise InputError(
                f"{path}: line {documents[k][1]}: feature {later} is not in its place; write the features of a line by"
                " increasing numbers, each once"
            )
        values[numbers - first, k] = row[1::2]
        occurs[numbers - first] = True
    return grades, _checked(values, documents, path)


def _features(text: bytes, path: str, line: int) -> list[float]:
    """Numbers and values of a line's features, in turn."""
    try:
        return list(map(float, text.replace(b":", b" ").replace(b"NULL", b"nan").split()))
    except ValueError:
        wrong = (word for word in text.split() if _number(word.partition(b":")[2].replace(b"NULL", b"nan")) is None)
        raise _no_feature(next(wrong), path, line) from None


def _checked(values: np.ndarray, documents: Sequence[tuple[int, int, bytes]], path: str) -> np.ndarray:
    """Replace missing values by the lowest of the query."""
    if not np.isfinite(values).all():
        if np.isinf(values).any():
            line = documents[int(np.flatnonzero(np.isinf(values).any(axis=0))[0])][1]
            raise InputError(f"{path}: line {line} holds an infinite value; write numbers, or NULL")
        lowest = np.nanmin(values, axis=1, initial=np.inf, keepdims=True)
        values = np.where(np.isnan(values), np.where(np.isinf(lowest), 0.0, lowest), values)
    return values


def _number(text: bytes) -> float | None:
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None
