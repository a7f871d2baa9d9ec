"""Judged documents: what is read of files as they are, and what is said of files as they should not be."""

import re

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.rankings import reading
from duelbench.rankings.orders import TIED, order_of
from duelbench.rankings.reading import blocks, read_block, read_scores, scan


def read(path, *more):
    """Grades and orders of all queries of a file."""
    index = scan([str(path)])
    return read_block(index, np.array(more).reshape(len(more), index.n_documents))


@pytest.fixture
def write(tmp_path):
    """Write a file of that text; returns its path."""

    def written(text, name="train.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def ranks(order):
    """Documents by rank, and where ties are."""
    return [[int(rank) % TIED for rank in row] for row in order], [[bool(rank & TIED) for rank in row] for row in order]


def test_lines_of_letor_with_comments_gaps_and_other_line_ends_are_read(write):
    path = write(
        b"\xef\xbb\xbf# MQ2008\r\n2 qid:10032 1:0.05 2:0.0 3:1e-1 #docid = GX029-35 inc = 0.1 prob = 0.2\r\n\r\n"
        b"0 qid:10032 1:-.5 2:0.000 3:0.1 \r\n   # between\n1.0\tqid:x/7\t2:3\t#\n0 qid:x/7 3:1"
    )
    index = scan([str(path)])
    assert [(query.line, query.n_documents) for query in index.queries] == [(2, 2), (6, 2)]
    assert (index.first, index.last) == (1, 3)
    grades, orders = read(path)
    assert grades.tolist() == [2, 0, 1, 0]
    assert ranks(orders[:, :2]) == ([[0, 1], [0, 1], [0, 1]], [[False, False], [False, True], [False, True]])
    assert ranks(orders[:, 2:]) == ([[0, 1], [0, 1], [1, 0]], [[False, True], [False, False], [False, False]])


def test_a_feature_that_could_not_be_computed_is_as_low_as_the_lowest(write):
    path = write("0 qid:1 1:NULL 2:NULL\n1 qid:1 1:-3 2:NULL\n1 qid:1 1:5 2:NULL\n")
    documents, ties = ranks(read(path)[1])
    assert documents == [[2, 0, 1], [0, 1, 2]]
    assert ties == [[False, False, True], [False, True, True]]


def test_features_may_be_counted_from_0_and_scores_be_added(write):
    path = write("1 qid:1 0:1 2:7\n0 qid:1 0:2 2:8\n")
    index = scan([str(path)])
    assert (index.first, index.last) == (0, 2)
    assert ranks(read(path, [3.0, 1.0])[1])[0] == [[1, 0], [0, 1], [1, 0], [0, 1]]


def test_blocks_together_are_the_whole(write, monkeypatch):
    draws = np.random.default_rng(1)
    rows = [
        f"{draws.integers(3)} qid:{q} 1:{draws.integers(4)} 2:{draws.random():.3f}\n"
        for q in range(40)
        for _ in range(5)
    ]
    paths = [write("".join(rows[:120]), "a.txt"), write("".join(rows[120:]), "b.txt")]
    monkeypatch.setattr(reading, "BLOCK_BYTES", 300)
    index = scan([str(path) for path in paths])
    parts = blocks(index)
    assert len(parts) > 8 and sum(map(len, parts)) == 40
    assert not any(len({index.queries[q].file for q in part}) > 1 for part in parts)
    read_parts = [_part(index, part) for part in parts]
    whole = write("".join(rows), "whole.txt")
    for found, expected in zip(zip(*read_parts, strict=True), read(whole), strict=True):
        assert np.concatenate(found, axis=-1).tolist() == expected.tolist()


def _part(index, part):
    from dataclasses import replace

    some = replace(index, queries=index.queries[part.start : part.stop])
    return read_block(some, np.zeros((0, some.n_documents)))


def test_orders_put_the_highest_first_and_mark_ties():
    draws = np.random.default_rng(2)
    for n in (1, 2, 7, 300):
        scores = draws.integers(0, 6, n).astype(float)
        order = order_of(scores[None])[0]
        documents = [int(rank) % TIED for rank in order]
        assert sorted(documents) == list(range(n))
        ranked = scores[documents]
        assert (np.diff(ranked) <= 0).all()
        assert [bool(rank & TIED) for rank in order[1:]] == (ranked[1:] == ranked[:-1]).tolist()


WRONG = {
    "1 qid:1 1:2\n1 1:2\n": r"train.txt: line 2 has no query \(qid:\)",
    "1 qid:1 1:2\nqid:1 1:2\n": "line 2 does not begin with a grade",
    "1 qid:1 1:2\n1 qid:1 1:x\n": "line 2 holds '1:x', which is no feature",
    "1 qid:1 1:2 2=3\n": "line 1 holds '2=3', which is no feature",
    "1 qid:1 1:2 2:3:4 3:1\n": "line 1 holds '2:3:4', which is no feature",
    "1 qid:1 1:2 7 3:1\n": "line 1 holds '7', which is no feature",
    "1 qid:1 1:2 2:1_0 3:1\n": "line 1 holds '2:1_0', which is no feature",
    "1 qid:1 1:2 2:inf 3:1\n": "line 1 holds an infinite value",
    "1 qid:1 2:2 1:3\n": "line 1: feature 1 is not in its place",
    "1 qid:1 1:2 1:3 2:3\n": "line 1: feature 1 is not in its place",
    "1 qid:1 1:2 5000:3\n": "line 1: feature 5000; numbers up to 4096",
    "-1 qid:1 1:2\n": "line 1 has the grade '-1'; grades are 0, 1",
    "0.5 qid:1 1:2\n": "line 1 has the grade '0.5'",
    "x qid:1 1:2\n": "line 1 has the grade 'x'",
    "1 qid:1 1:2\n1 qid:2 1:2\n1 qid:1 1:2\n": r"line 3: query '1' is there already \(.*train.txt: line 1\)",
    "# nothing\n\n": "holds no judged documents",
    "grade,query,a\n1,1,0.5\n": r"line 1 has no query \(qid:\)",
    b"\x1f\x8b\x08rest": "is an archive; unpack it",
    b"\xff\xfe1\x00": "is UTF-16 text",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_named_with_its_line(write, text):
    with pytest.raises(InputError, match=WRONG[text]) as caught:
        read(write(text))
    assert "\n" not in str(caught.value)


def test_a_file_named_twice_and_one_that_is_not_there_are_refused(write, tmp_path):
    path = str(write("1 qid:1 1:2\n"))
    with pytest.raises(InputError, match="is there already"):
        scan([path, path])
    with pytest.raises(InputError, match="No such file"):
        scan([str(tmp_path / "none.txt")])


def test_scores_are_one_number_per_document(write):
    assert read_scores(str(write("0.5\n\n-2 # second\n1e3\n")), 3).tolist() == [0.5, -2, 1000]
    for text, why in {
        "1\nx\n": "line 2 is 'x', not a number",
        "1\n": "1 scores for 2",
        "1\n2\n3\n": "3 scores for 2",
    }.items():
        with pytest.raises(InputError, match=re.escape(why)):
            read_scores(str(write(text)), 2)
