"""What parsers need of an encoding: arcs or links in, heads and labels out, whichever encoding it is."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc import encodings
from crossarc.encodings import Encoding, EncodingError, PseudoProjective, Undirected
from crossarc.structure.arcs import Arcs

ENCODINGS: list[Encoding] = [
    PseudoProjective("head"),
    PseudoProjective("path", covered_roots="left"),
    Undirected("label"),
    Undirected("naive"),
    Undirected("label").after(PseudoProjective("head+path")),
]


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: str(encoding.to_dict()))
def test_what_is_learnt_from_a_treebank_is_restored_from_its_arcs(encoding: Encoding) -> None:
    gold = xa.sample(200, seed=7)
    fitted = encoding.fit(gold)
    number = {label: place for place, label in enumerate(fitted.labels)}
    labels = np.array([number[label] for label in gold.texts("deprel")], np.int32)
    arcs = fitted.encode_arcs(gold.head, labels, gold.word_offsets)
    assert len(arcs) == len(gold)
    heads, found, attached = fitted.restore_arcs(arcs, root_label=0)
    restored = fitted.restore(fitted.encode(gold))
    assert np.array_equal(heads, restored.head)
    assert [fitted.labels[label] for label in found] == restored.texts("deprel")
    assert attached.all()


def test_words_without_an_arc_hang_on_the_root() -> None:
    """An arc from 0 to word 2, one from 2 to 1, none to 3; and a sentence of one word without an arc."""
    gold = xa.sample(60, seed=8)
    fitted = PseudoProjective("head").fit(gold)
    arcs = Arcs(
        np.array([0, 2], np.int32), np.array([2, 1], np.int32), np.array([1, 2], np.int32), *offsets([2, 0], [3, 1])
    )
    heads, labels, attached = fitted.restore_arcs(arcs, root_label=4)
    assert heads.tolist() == [2, 0, 0, 0]
    assert attached.tolist() == [True, True, False, False]
    assert [fitted.labels[label] for label in labels] == [fitted.encoded_labels[place] for place in (2, 1, 4, 4)]


def test_arcs_and_heads_by_word_are_the_same() -> None:
    heads, labels = np.array([2, 0, -1, -1, 0], np.int32), np.array([5, 6, -1, -1, 7], np.int32)
    arcs = Arcs.from_heads(heads, labels, [0, 4, 4, 5])
    assert [arcs.sentence(index) for index in range(3)] == [[(2, 1, 5), (0, 2, 6)], [], [(0, 1, 7)]]
    again, label_of = arcs.by_word()
    assert again.tolist() == heads.tolist()
    assert label_of.tolist() == labels.tolist()


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: str(encoding.to_dict()))
def test_an_encoding_without_labels_restores_nothing(encoding: Encoding) -> None:
    with pytest.raises(EncodingError, match="fit it to training data first"):
        encoding.restore_arcs(Arcs.from_heads([0], [0], [0, 1]), root_label=0)


def offsets(arcs: list[int], words: list[int]) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    return [np.concatenate([[0], np.cumsum(counts)]).astype(np.int64) for counts in (arcs, words)]


def test_the_modules_of_the_folder_do_not_import_each_other_in_a_circle() -> None:
    folder = Path(encodings.__file__).parent
    imported = {
        path.stem: {
            node.module
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
        }
        for path in folder.glob("*.py")
        if path.stem != "__init__"
    }
    while free := {name for name, needed in imported.items() if not needed & imported.keys()}:
        imported = {name: needed for name, needed in imported.items() if name not in free}
    assert not imported
