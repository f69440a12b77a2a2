"""Words and sentences as people walk through them, columns of texts, and editing without loss."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import crossarc as xa
from crossarc.treebank import TextColumn

# An arc of word 1 crosses one of word 2: the subtree of word 4 has a gap.
TEXT = """# sent_id = crossing
# text = A hearing is scheduled on the issue today.
1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_
2\thearing\thearing\tNOUN\tNN\tNumber=Sing\t4\tnsubj\t_\t_
3\tis\tbe\tAUX\tVBZ\t_\t4\taux\t_\t_
4\tscheduled\tschedule\tVERB\tVBN\t_\t0\troot\t_\t_
5-6\ton-the\t_\t_\t_\t_\t_\t_\t_\t_
5\ton\ton\tADP\tIN\t_\t7\tcase\t_\t_
6\tthe\tthe\tDET\tDT\t_\t7\tdet\t_\t_
7\tissue\tissue\tNOUN\tNN\tNumber=Sing\t2\tnmod\t2:nmod:on\t_
8\ttoday\ttoday\tNOUN\tNN\t_\t4\tobl\t_\tSpaceAfter=No
9\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""


@pytest.fixture
def treebank() -> xa.Treebank:
    return xa.from_text(TEXT)


def forms(words: list[xa.Token]) -> list[str]:
    return [word.form for word in words]


def test_a_word_knows_its_neighbours_in_the_tree(treebank: xa.Treebank) -> None:
    sentence = treebank[0]
    hearing, issue, root = sentence.word(2), sentence.word(7), sentence.word(4)
    assert hearing.head_token == root and root.head_token is None
    assert forms(hearing.children) == ["A", "issue"]
    assert forms(issue.ancestors) == ["hearing", "scheduled"]
    assert root.ancestors == []
    assert forms(hearing.subtree) == ["A", "hearing", "on", "the", "issue"]  # "is scheduled" is the gap
    assert (hearing.left_edge.form, hearing.right_edge.form) == ("A", "issue")
    assert forms(root.subtree) == sentence.forms
    assert forms(sentence.roots) == ["scheduled"]
    assert str(hearing) == "hearing"


def test_the_tree_of_words_is_that_of_heads_in_every_sentence() -> None:
    for sentence in xa.sample(60, seed=3):
        for word in sentence:
            assert [child.id for child in word.children] == sentence.tree.children(word.id)
            below = {one.id for one in word.subtree}
            assert below == {one.id for one in sentence if one == word or word in one.ancestors}
            assert {word.left_edge.id, word.right_edge.id} == {min(below), max(below)}


def test_words_count_from_1_and_places_from_0(treebank: xa.Treebank) -> None:
    sentence = treebank[0]
    assert sentence.word(1) == sentence[0] and sentence.word(9) == sentence[-1]
    assert sentence[:1] == [sentence[0]] and sentence[-2:] == [sentence[7], sentence[8]] and sentence[9:] == []
    assert [word.id for word in sentence[::-4]] == [9, 5, 1]
    assert sentence.word(np.int32(3)).form == "is"
    with pytest.raises(xa.CrossarcError, match=r"no word 0: 0 is the artificial root; the words of .* are 1 to 9"):
        sentence.word(0)
    with pytest.raises(IndexError, match="no word 10"):
        sentence.word(10)
    with pytest.raises(IndexError, match="no word None"):
        sentence.word(sentence.roots[0].head_token)  # type: ignore[arg-type]


def test_words_of_sentences_without_heads_have_no_tree() -> None:
    word = xa.Treebank.from_words([["Go", "on"]])[0].word(1)
    for name in ("head_token", "children", "ancestors", "subtree", "left_edge", "right_edge"):
        with pytest.raises(xa.MissingHeadsError, match="has no heads"):
            getattr(word, name)


def test_words_are_equal_if_they_are_the_same_word(treebank: xa.Treebank) -> None:
    assert len({treebank[0].word(1), treebank[0][0], treebank[0][1]}) == 2
    assert treebank[0][0] != xa.from_text(TEXT)[0][0]
    assert treebank[0][0] != "A"


def test_columns_are_texts(treebank: xa.Treebank) -> None:
    assert treebank.upos[1] == "NOUN" and treebank.upos[-1] == "PUNCT"
    assert list(treebank.form) == treebank.texts("form") == treebank[0].forms
    assert list(treebank.form[treebank.upos == "NOUN"]) == ["hearing", "issue", "today"]
    assert list(treebank.form[treebank.upos.isin(["DET", "ADP"])]) == ["A", "on", "the"]
    assert list(treebank.lemma[2:4]) == ["be", "schedule"] == treebank[0].lemmas[2:4]
    assert treebank.deprel.counts() == treebank.inventory("deprel")
    assert "nsubj" in treebank.deprel and "obj" not in treebank.deprel
    pairs = zip(treebank.form, treebank.lemma, strict=True)
    assert (treebank.form != treebank.lemma).tolist() == [one != other for one, other in pairs]
    assert (treebank.xpos == ["DT"] * 9).sum() == 2
    assert not (treebank.upos == "a text that no word has").any()
    assert np.asarray(treebank.xpos).tolist() == treebank[0].xpos
    assert len(treebank.feats) == len(treebank.deps) == len(treebank.misc) == treebank.words
    assert treebank.head.tolist() == [2, 4, 4, 0, 7, 7, 2, 4, 4]
    assert repr(treebank.upos[:2]) == "<TextColumn ['DET', 'NOUN'], 2 words>"


def test_columns_refuse_what_cannot_be_compared(treebank: xa.Treebank) -> None:
    with pytest.raises(xa.CrossarcError, match="2 texts cannot be compared with 9"):
        _ = treebank.upos == ["NOUN", "VERB"]
    with pytest.raises(TypeError, match="has no hash"):
        hash(treebank.upos)
    assert (treebank.upos == 5) is False
    with pytest.raises(KeyError, match="no column 'pos': there are form, lemma"):
        treebank.column("pos")


def test_columns_in_other_processes(treebank: xa.Treebank) -> None:
    column: TextColumn = pickle.loads(pickle.dumps(treebank.upos))
    assert column.tolist() == treebank.upos.tolist()
    assert (column == treebank.upos).all()


def test_other_heads_lose_nothing_else(treebank: xa.Treebank) -> None:
    sentence = treebank[0]
    changed = sentence.with_heads([2, 4, 4, 0, 7, 7, 4, 4, 4], [*sentence.deprels[:6], "obl", "obl", "punct"])
    assert changed.word(7).head_token == changed.word(4)
    lines = zip(TEXT.splitlines(), str(changed).splitlines(), strict=True)
    assert [new for old, new in lines if old != new] == ["7\tissue\tissue\tNOUN\tNN\tNumber=Sing\t4\tobl\t4:obl\t_"]
    assert sentence.word(7).head == 2  # the old one is as it was
    same = sentence.with_heads(sentence.heads)
    assert str(same) == TEXT and same.id == "crossing"
    with pytest.raises(xa.TreeError, match="cycle"):
        sentence.with_heads([2, 1, 4, 0, 7, 7, 4, 4, 4])
    with pytest.raises(xa.CrossarcError, match="3 values for 9 words"):
        sentence.with_heads([2, 0, 2])


def test_sentences_come_together_again() -> None:
    treebank = xa.sample(20, seed=4)
    chosen = treebank[7]
    changed = chosen.with_column("misc", ["Seen=Yes"] * len(chosen))
    together = xa.Treebank.from_sentences([*treebank[:7], changed, *treebank[8:]])
    assert together[7].word(1).misc == {"Seen": "Yes"}
    together = xa.Treebank.from_sentences([*together[:7], chosen, *together[8:]])
    assert together.to_bytes() == treebank.to_bytes()
    with pytest.raises(xa.CrossarcError, match="no sentences"):
        xa.Treebank.from_sentences([])
    with pytest.raises(xa.CrossarcError, match="sentences are needed, not a Token"):
        xa.Treebank.from_sentences([treebank[0][0]])  # type: ignore[list-item]


def test_a_column_by_a_function_or_from_another_column(treebank: xa.Treebank) -> None:
    lower = treebank.with_column("lemma", lambda word: word.form.lower())
    assert lower.lemma.tolist() == [form.lower() for form in treebank.form]
    assert treebank.with_column("xpos", treebank.upos).xpos.tolist() == treebank.upos.tolist()
    assert treebank.with_column("head", treebank.head).to_text() == TEXT
    with pytest.raises(xa.CrossarcError, match="no column 'pos'"):
        treebank.with_column("pos", treebank.upos)
