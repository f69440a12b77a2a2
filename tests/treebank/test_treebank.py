"""A treebank as a sequence of sentences and as columns."""

from __future__ import annotations

import copy
import io
import multiprocessing
import pickle
import subprocess
import sys
from typing import Any

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


def test_no_sentences_chosen_is_an_empty_treebank(treebank: xa.Treebank) -> None:
    chosen: list[Any] = [[], (), np.array([]), [False] * 3, slice(2, 1)]
    for nothing in chosen:
        empty = treebank[nothing]
        assert (len(empty), empty.words, empty.to_bytes()) == (0, 0, b"")
    for wrong in (np.zeros((1, 1), int), np.array([0.5]), [7], np.ones(2, bool)):
        with pytest.raises(IndexError):
            treebank[wrong]


def same(one: xa.Treebank, other: xa.Treebank) -> bool:
    return (
        one.to_bytes() == other.to_bytes()
        and (one.format, one.sources, one.prefix) == (other.format, other.sources, other.prefix)
        and [one.origin(index) for index in range(len(one))] == [other.origin(index) for index in range(len(other))]
    )


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_treebank_is_pickled_by_content(treebank: xa.Treebank, protocol: int) -> None:
    crlf = from_text("\ufeff\n\n" + TEXT.replace("\n", "\r\n"), "windows.conllu")
    changed = treebank.replace(form=[f"{number}" for number in range(8)]).with_comments([["# x"], [], ["# y"]])
    for one in (treebank, crlf, treebank + crlf, changed, treebank[1:], treebank[[2, 0]], treebank[[]]):
        again = pickle.loads(pickle.dumps(one, protocol))
        assert same(one, again)
        lemmas = ["new"] * one.words
        assert again.replace(lemma=lemmas).to_bytes() == one.replace(lemma=lemmas).to_bytes()
        assert not again.head.flags.writeable


def test_a_part_is_pickled_without_the_texts_of_the_rest() -> None:
    treebank = xa.sample(300)
    whole, part = (len(pickle.dumps(one)) for one in (treebank, treebank[:3]))
    assert part < whole / 20
    assert len(pickle.dumps(treebank[7])) < whole / 20


def test_a_treebank_and_its_views_are_their_own_copies(treebank: xa.Treebank) -> None:
    for one in (treebank, treebank[0], treebank[0][1], treebank[0].tree):
        assert copy.copy(one) is one
        assert copy.deepcopy(one) is one


def test_sentences_and_words_are_pickled_with_their_sentence_alone(treebank: xa.Treebank) -> None:
    for sentence in treebank:
        again = pickle.loads(pickle.dumps(sentence))
        assert str(again) == str(sentence)
        assert (again.id, again.place, again.comments) == (sentence.id, sentence.place, sentence.comments)
        assert len(again.treebank) == 1
        tree = pickle.loads(pickle.dumps(sentence.tree))
        assert tree == sentence.tree
        assert not tree.heads.flags.writeable
        for word in sentence:
            assert pickle.loads(pickle.dumps(word)).to_dict() == word.to_dict()


def looked_at(given: Any) -> tuple[str, str]:
    """What another process sees of a treebank or a sentence."""
    return str(given if isinstance(given, xa.Sentence) else given.to_text()), repr(given)


def test_other_processes_get_treebanks_and_sentences(treebank: xa.Treebank) -> None:
    given = [treebank, *treebank]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(looked_at, given) == [looked_at(one) for one in given]


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import crossarc._kernel
code = "try:\\n import crossarc\\nexcept ImportError as error:\\n print(error, flush=True)"
run = getattr(interpreters, "run_string", None) or interpreters.exec
run(interpreters.create(), code)
"""


def test_a_subinterpreter_is_refused() -> None:
    run = subprocess.run([sys.executable, "-c", SUBINTERPRETER], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("crossarc runs in the main interpreter of a process only: use threads or processes")


LONE = "\ud800"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("\tgato", f"\t{LONE}"), r"^<text>:4: not UTF-8: half a surrogate pair in FORM \(sentence a\)"),
        (f"# {LONE}\n{TEXT}", r"^<text>:1: not UTF-8: half a surrogate pair in a comment \(sentence a\)"),
    ],
)
def test_half_a_surrogate_pair_is_refused_where_it_stands(text: str, message: str) -> None:
    with pytest.raises(xa.TreebankError, match=message):
        from_text(text)
    with pytest.raises(xa.TreebankError, match=message.replace("<text>", "<file>")):
        xa.read(io.StringIO(text))


def test_half_a_surrogate_pair_in_a_dictionary() -> None:
    with pytest.raises(xa.TreebankError, match=r"^<dictionaries>:2: not UTF-8: half a surrogate pair in DEPREL"):
        xa.Treebank.from_dicts([[{"form": "a"}, {"form": "b", "deprel": LONE}]])


def test_looks_hold_no_control_characters() -> None:
    treebank = from_text("# sent_id = \x1b[2J\n1\t\x1b[31ma\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "\x1b]0;a\x07")
    for one in (treebank, treebank[0], treebank[0][0]):
        assert repr(one).isprintable()
    with pytest.raises(xa.TreeError) as caught:
        treebank.replace(head=[1])
    assert str(caught.value).isprintable()


def test_trees_of_which_some_heads_are_known() -> None:
    lines = [f"{word}\tw\t_\t_\t_\t_\t{head}\t_\t_\t_\n" for word, head in enumerate(["_", "3", "_"], start=1)]
    text = "".join(lines) + "\n"
    treebank = xa.from_text(text, root="partial")
    assert treebank.head.tolist() == [-1, 3, -1]
    assert not treebank.has_heads and not treebank[0].has_heads
    assert treebank.to_text() == text
    with pytest.raises(xa.TreebankError, match="word 1 has no head"):
        xa.from_text(text, root="any")
    for wrong, message in (("\t9\t", "the head of word 2 is 9"), ("\t2\t", "its own head")):
        with pytest.raises(xa.TreebankError, match=message):
            xa.from_text(text.replace("\t3\t", wrong), root="partial")
    circle = text.replace("3\tw\t_\t_\t_\t_\t_", "3\tw\t_\t_\t_\t_\t2")
    with pytest.raises(xa.TreebankError, match="cycle"):
        xa.from_text(circle, root="partial")
    with pytest.raises(xa.TreebankError):  # whole trees still have a root
        xa.from_text(circle.replace("1\tw\t_\t_\t_\t_\t_", "1\tw\t_\t_\t_\t_\t2"), root="partial")
