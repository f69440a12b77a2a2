"""Enhanced graphs as arrays, and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.treebank.enhanced import count_shared_relations

SENTENCE = """1	a	_	_	_	_	0	root	0:root|2:obj	_
2	b	_	_	_	_	1	dep	1:nsubj|1:conj|2:dep|2.1:dep	_
2.1	c	_	_	_	_	_	_	1:conj	_
3	d	_	_	_	_	2	dep	_	_

"""


def test_arcs_of_a_sentence() -> None:
    treebank = xa.from_text(SENTENCE * 2)
    arcs = treebank.enhanced_arcs()
    assert arcs.offsets.tolist() == [0, 3, 6]
    assert arcs.rows.tolist() == [0, 0, 1, 3, 3, 4]
    assert arcs.heads.tolist() == [0, 2, 1] * 2
    assert arcs.dependents.tolist() == [1, 1, 2] * 2
    assert treebank.pool.texts(arcs.labels) == ["root", "obj", "conj|nsubj"] * 2
    assert arcs.left_out == 4
    back = treebank.with_enhanced_arcs(arcs)
    assert back.texts("deps") == ["0:root|2:obj", "1:conj|1:nsubj", "_"] * 2
    assert back.head.tolist() == treebank.head.tolist()
    assert "2.1\tc\t_\t_\t_\t_\t_\t_\t1:conj\t_" in back.to_text()
    assert count_shared_relations(treebank.pool, arcs, arcs) == (8, 8, 8)
    other = treebank.replace(deps=["2:obj", "1:nsubj", "1:obj"] * 2).enhanced_arcs()
    assert count_shared_relations(treebank.pool, arcs, other) == (4, 8, 6)


def test_a_head_that_does_not_exist() -> None:
    with pytest.raises(xa.CrossarcError, match='DEPS of word 2 is "4:obj", the last word is 3: name words that exist'):
        xa.from_text(SENTENCE).replace(deps=["0:root", "4:obj", "_"])


def test_nothing_at_all() -> None:
    arcs = xa.from_text(SENTENCE)[:0].enhanced_arcs()
    assert arcs.offsets.tolist() == [0]
    assert len(arcs.heads) == 0


def test_real_graphs_come_back(treebanks: Path) -> None:
    treebank = xa.read(treebanks / "en_ewt" / "test.conllu.gz")
    arcs = treebank.enhanced_arcs()
    texts = np.array(treebank.texts("deps"))
    again = np.array(treebank.with_enhanced_arcs(arcs).texts("deps"))
    different = np.flatnonzero(texts != again)
    relations = sum(text.count("|") + 1 for text in texts.tolist() if text != "_")
    assert relations == count_shared_relations(treebank.pool, arcs, arcs)[0] + arcs.left_out
    # Only what speaks of an empty node, or is not sorted, is written otherwise.
    for text, other in zip(texts[different].tolist(), again[different].tolist(), strict=True):
        kept = {item for item in text.split("|") if "." not in item.partition(":")[0]}
        assert kept == set(other.split("|")) - {"_"}


def test_what_depends_on_heads_is_left_out() -> None:
    line = "{}\tw\t_\tX\t_\t_\t{}\tdep\t{}\tSpaceAfter=No\n"
    text = (
        line.format(1, 0, "0:root|1.1:dep") + "1.1\te\t_\tX\t_\t_\t_\t_\t1:dep\tA=b\n" + line.format(2, 1, "1:a") + "\n"
    )
    bare = xa.from_text(text).without_enhanced()
    assert bare.to_text() == text.replace("0:root|1.1:dep", "_").replace("1:dep", "_").replace("1:a", "_")
    assert xa.from_text(bare.to_text()).without_enhanced().to_bytes() == bare.to_bytes()
    projective = "1\tw\t_\tX\tX\t_\t0\tROOT\t0\tROOT\n\n"
    assert xa.from_text(projective, format="conllx").without_enhanced().to_text() == projective.replace(
        "0\tROOT\n", "_\t_\n"
    )
