"""A treebank as a sequence of sentences and as columns."""

from __future__ import annotations

import numpy as np
import pytest

import crossarc as xa
from crossarc.treebank import COLUMNS, from_text

TEXT = """# sent_id = a
# text = El gato duerme.
1\tEl\tel\tDET\t_\tGender=Masc\t2\tdet\t_\t_
2\tgato\tgato\tNOUN\t_\tGender=Masc|Number=Sing\t3\tnsubj\t_\t_
3\tduerme\tdormir\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

# sent_id = b
1-2\tDel\t_\t_\t_\t_\t_\t_\t_\t_
1\tDe\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tel\tel\tDET\t_\t_\t3\tdet\t_\t_
3\tmar\tmar\tNOUN\t_\t_\t0\troot\t_\t_
3.1\tazul\tazul\tADJ\t_\t_\t_\t_\t3:amod\tHidden

1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def treebank() -> xa.Treebank:
    return from_text(TEXT, "tiny.conllu")


def test_length_and_iteration(treebank: xa.Treebank) -> None:
    assert len(treebank) == 3
    assert treebank.words == 8
    assert [len(sentence) for sentence in treebank] == [4, 3, 1]
    assert [sentence.id for sentence in treebank] == ["a", "b", "3"]


def test_columns_are_views_and_do_not_change(treebank: xa.Treebank) -> None:
    assert treebank.head.tolist() == [2, 3, 0, 3, 3, 3, 0, 0]
    assert treebank.head.dtype == np.int32
    assert treebank[1].heads.base is not None
    assert np.shares_memory(treebank[1].heads, treebank.head)
    assert np.shares_memory(treebank[1:].head, treebank.head)
    with pytest.raises(ValueError, match="read-only"):
        treebank.head[0] = 1
    assert treebank.texts("form")[:3] == ["El", "gato", "duerme"]
    assert treebank.texts("head")[:3] == ["2", "3", "0"]
    with pytest.raises(KeyError, match="there are form, lemma"):
        treebank.column("heads")


def test_slices_selections_and_masks(treebank: xa.Treebank) -> None:
    blocks = [block + "\n\n" for block in TEXT.split("\n\n")[:-1]]
    assert treebank[1:].to_text() == blocks[1] + blocks[2]
    assert treebank[::-1].to_text() == "".join(reversed(blocks))
    assert treebank[[2, 0]].to_text() == blocks[2] + blocks[0]
    assert treebank[np.array([True, False, True])].to_text() == blocks[0] + blocks[2]
    assert treebank[3:].to_text() == ""
    assert len(treebank[2:1]) == 0
    assert treebank[-1].id == "1" or treebank[-1].forms == ["Sí"]
    with pytest.raises(IndexError, match="the treebank has 3"):
        treebank[3]


def test_filter_sample_and_split(treebank: xa.Treebank) -> None:
    assert [len(sentence) for sentence in treebank.filter(lambda sentence: len(sentence) > 1)] == [4, 3]
    assert len(treebank.sample(2, seed=5)) == 2
    assert treebank.sample(2, seed=5).to_text() == treebank.sample(2, seed=5).to_text()
    many = xa.Treebank.concatenate([treebank] * 10)
    parts = many.split(0.8, 0.1, 0.1, seed=3)
    assert [len(part) for part in parts] == [24, 3, 3]
    assert sum(part.words for part in parts) == many.words
    assert many.split(0.5, 0.5)[0].to_text() == many[:15].to_text()
    with pytest.raises(xa.CrossarcError, match="add up to 1"):
        many.split(0.5)
    with pytest.raises(xa.CrossarcError, match="the treebank has 30"):
        many.sample(31)


def test_concatenation_keeps_bytes_and_origins(treebank: xa.Treebank) -> None:
    other = from_text("1\tNo\tno\tINTJ\t_\t_\t0\troot\t_\t_", "other.conllu")  # no line end at all
    both = other + treebank + other
    assert both.to_text() == other.to_text() + "\n\n" + TEXT + other.to_text()
    assert both.sources == ("other.conllu", "tiny.conllu")
    assert both.origin(0) == ("other.conllu", 1)
    assert both.origin(2) == ("tiny.conllu", 8)
    assert both[2].place == "tiny.conllu:8: sentence b"


def test_formats_do_not_mix(treebank: xa.Treebank) -> None:
    with pytest.raises(xa.CrossarcError, match="convert one of them first"):
        treebank + from_text("1\ta\ta\tN\tN\t_\t0\tROOT\t_\t_\n\n", format="conllx")


def test_inventory(treebank: xa.Treebank) -> None:
    assert treebank.inventory("deprel") == {"root": 3, "det": 2, "case": 1, "nsubj": 1, "punct": 1}
    assert treebank.inventory("head") == {"3": 4, "0": 3, "2": 1}


def test_sentences_and_tokens(treebank: xa.Treebank) -> None:
    first, second, third = treebank
    assert first.text == "El gato duerme."
    assert second.text == "Del mar"
    assert third.text == "Sí"
    assert first.metadata == {"sent_id": "a", "text": "El gato duerme."}
    token = first[1]
    assert (token.id, token.form, token.lemma, token.upos, token.head, token.deprel) == (
        *(2, "gato", "gato", "NOUN", 3, "nsubj"),
    )
    assert token.feats == {"Gender": "Masc", "Number": "Sing"}
    assert token["feats"] == "Gender=Masc|Number=Sing"
    assert first[2].misc == {"SpaceAfter": "No"}
    assert [(mwt.first, mwt.last, mwt.form) for mwt in second.multiword_tokens] == [(1, 2, "Del")]
    assert [(node.id, node.form, node.deps) for node in second.empty_nodes] == [("3.1", "azul", [(3, "amod")])]
    assert str(third) == "1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    assert set(token.to_dict()) == {"id", *COLUMNS}
    with pytest.raises(IndexError, match="the sentence has 4"):
        first[4]


def test_trees_and_missing_heads(treebank: xa.Treebank) -> None:
    assert treebank[0].tree == xa.Tree([2, 3, 0, 3], ["det", "nsubj", "root", "punct"], ["El", "gato", "duerme", "."])
    blank = from_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "input.conllu")
    assert not blank.has_heads
    assert blank[0][0].head is None
    with pytest.raises(xa.MissingHeadsError, match=r"input\.conllu:1: sentence 1 has no heads: parse it first"):
        _ = blank[0].tree


def test_conllx_columns() -> None:
    text = "1\ta\ta\tN\tNC\tx|y=1\t2\tsubj\t2\tsubj\n2\tb\tb\tV\tVA\t_\t0\tROOT\t_\t_\n\n"
    token, verb = from_text(text)[0]
    assert token.sentence.treebank.format == "conllx"
    assert (token.upos, token.xpos, token.phead, token.pdeprel) == ("N", "NC", 2, "subj")
    assert token.feats == {"x": "", "y": "1"}
    assert (verb.phead, verb.pdeprel, verb.deps, verb.misc) == (None, "_", [], {})


def test_looks(treebank: xa.Treebank) -> None:
    assert repr(treebank) == "<Treebank tiny.conllu: 3 sentences, 8 words, conllu>"
    assert repr(treebank[0]) == "<Sentence a: El gato duerme.>"
    assert repr(treebank[0][1]) == "<Token 2 'gato'>"
    escaped = from_text("1\t<b>&\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert "&lt;b&gt;&amp;" in escaped[0]._repr_html_()
    assert "&lt;b&gt;&amp;" in escaped._repr_html_()
    assert treebank.nbytes > 0
