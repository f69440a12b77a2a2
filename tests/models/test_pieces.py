"""Pieces of words: as the package `tokenizers` cuts them, as the definitions say, and refused where a file is wrong."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc import _kernel
from crossarc.errors import CrossarcError
from crossarc.models.neural.pieces import Pieces

pytestmark = pytest.mark.kernel

#: Article 1 of the Universal Declaration of Human Rights, or its beginning, in twelve scripts, and what is difficult.
TEXTS = (
    "All human beings are born free and equal in dignity and rights. They're endowed with reason, aren't they?",
    "Tous les êtres humains naissent libres et égaux en dignité et en droits. Œuvre, ÎLE, naïve, İstanbul, ẞtraße.",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι. ΟΔΥΣΣΕΥΣ, μῆνιν ἄειδε θεὰ Πηληϊάδεω Ἀχιλῆος· δ᾽ δʼ δ’",
    "Все люди рождаются свободными и равными в своём достоинстве и правах. Їжак, й й",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق، وقد وهبوا عقلاً وضميرًا",
    "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כׇּל־בְּנֵי",
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心𠀀",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով։",
    "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით.",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน ⲛⲣⲱⲙⲉ ⲧⲏⲣⲟⲩ",
    "3.14 1,000 10€ ½ ² a_b C++ x=y ``quoted'' … – — 😀👍🏽 \u200b\u00ad\ufeff \x07 \ufffd don't I'LL we've l'été",
    "'s 'S $5 #tag @me http://a.b/c?d=e",
)
BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None}
#: Normalisers and pre-tokenisers of the encoders that are read.
KINDS: dict[str, dict[str, Any]] = {
    "BERT, uncased": {"model": "WordPiece", "normalizer": {**BERT, "lowercase": True}},
    "BERT, cased": {"model": "WordPiece", "normalizer": {**BERT, "lowercase": False}},
    "RoBERTa": {
        "model": "BPE",
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    },
    "our own": {
        "model": "BPE",
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFC"},
                *({"type": "Replace", "pattern": {"String": each}, "content": "ʼ"} for each in "'’᾽"),
            ],
        },
    },
    "lower case, accents": {
        "model": "BPE",
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}],
        },
        "pre_tokenizer": {"type": "WhitespaceSplit"},
    },
}


@cache
def trained(kind: str, texts: tuple[str, ...] = TEXTS, size: int = 600) -> dict[str, Any]:
    """A tokenizer.json that the package `tokenizers` has trained."""
    package = pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'crossarc[encoders]'")
    settings = KINDS[kind]
    names, mark = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], "##"
    if settings["model"] == "WordPiece":
        model = package.models.WordPiece(unk_token="[UNK]", continuing_subword_prefix=mark)
        trainer = package.trainers.WordPieceTrainer(vocab_size=size, special_tokens=names, show_progress=False)
    elif kind == "RoBERTa":
        model, alphabet = package.models.BPE(), package.pre_tokenizers.ByteLevel.alphabet()
        trainer = package.trainers.BpeTrainer(
            vocab_size=size, special_tokens=names, initial_alphabet=alphabet, show_progress=False
        )
    else:
        model = package.models.BPE(unk_token="[UNK]", continuing_subword_prefix=mark)
        trainer = package.trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=names,
            continuing_subword_prefix=mark,
            show_progress=False,
            limit_alphabet=250,
        )
    data = json.loads(package.Tokenizer(model).to_str())
    data["normalizer"] = settings["normalizer"]
    data["pre_tokenizer"] = settings.get("pre_tokenizer", {"type": "BertPreTokenizer"})
    tokenizer = package.Tokenizer.from_str(json.dumps(data))
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = package.processors.TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made: dict[str, Any] = json.loads(tokenizer.to_str())
    return made


def expected(data: dict[str, Any], words: Sequence[str]) -> list[list[int]]:
    """The pieces of words by the package `tokenizers`; a word of none has the unknown one."""
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(data))
    found: list[list[int]] = []
    # What the package makes of a word takes kilobytes.
    for first in range(0, len(words), 10_000):
        some = [[word] for word in words[first : first + 10_000]]
        encoded = tokenizer.encode_batch(some, is_pretokenized=True, add_special_tokens=False)
        found += [each.ids or [1] for each in encoded]
    return found


def cut(pieces: Pieces, words: Sequence[str]) -> list[list[int]]:
    offsets, ids = pieces.cut(words)
    assert offsets.dtype == np.int64
    assert ids.dtype == np.int32
    numbers = ids.tolist()
    return [numbers[begin:end] for begin, end in itertools.pairwise(offsets.tolist())]


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_cut_as_tokenizers_does(kind: str) -> None:
    data = trained(kind)
    pieces = Pieces.from_dict(data)
    assert (pieces.begin, pieces.end, pieces.unknown, pieces.mask) == ((2,), (3,), 1, 4)
    words = sorted({word for text in TEXTS for word in (*text.split(), text)})
    assert cut(pieces, words) == expected(data, words)
    assert cut(pieces, words) == cut(Pieces.from_dict(json.loads(json.dumps(pieces.to_dict()))), words)


@pytest.mark.parametrize("kind", KINDS)
def test_random_words_are_cut_as_tokenizers_does(kind: str) -> None:
    data = trained(kind)
    pieces = Pieces.from_dict(data)
    letters = np.array(sorted(set("".join(TEXTS)) - {"["}))
    random = np.random.default_rng(1)
    words = ["".join(random.choice(letters, size)) for size in random.integers(1, 30, 1000)]
    assert cut(pieces, words) == expected(data, words)


@cache
def words_of(treebanks: Path) -> tuple[str, ...]:
    """The different words of all treebanks, and some that follow each other as one."""
    words: dict[str, None] = {}
    characters = 0
    for path in sorted(treebanks.rglob("*.conll*.gz")):
        forms = [form for sentence in xa.read(path, root="any") for form in sentence.forms]
        characters += sum(map(len, forms))
        words.update(dict.fromkeys(forms))
        words.update(dict.fromkeys(map("".join, zip(forms[::7], forms[1::7], forms[2::7], strict=False))))
    assert characters > 10_000_000
    return tuple(words)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_all_treebanks_are_cut_as_tokenizers_does(kind: str, treebanks: Path) -> None:
    """Ten million characters and more, in more than ten scripts; forms that follow each other are joined, too."""
    texts = words_of(treebanks)
    assert sum(map(len, texts)) > 5_000_000
    data = trained(kind, texts[::50], size=4_000)
    # Sanitizers look at the memory of the package, too, which takes them minutes: all is cut, some of it compared.
    step = 20 if os.environ.get("CROSSARC_EXPECT_SANITIZERS") else 1
    assert cut(Pieces.from_dict(data), texts)[::step] == expected(data, texts[::step])


def test_unigram_is_cut_by_the_package() -> None:
    package = pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'crossarc[encoders]'")
    tokenizer = package.Tokenizer(package.models.Unigram())
    tokenizer.pre_tokenizer = package.pre_tokenizers.Metaspace()
    trainer = package.trainers.UnigramTrainer(
        vocab_size=200, special_tokens=["<s>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS[:2], trainer)
    pieces = Pieces.from_json(tokenizer.to_str())
    words = TEXTS[0].split()
    together = tokenizer.encode(words, is_pretokenized=True).ids
    assert [number for each in cut(pieces, words) for number in each] == together
    assert pieces.size == tokenizer.get_vocab_size()


# By the definitions


def word_pieces(pieces: Sequence[str], **changed: Any) -> dict[str, Any]:
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {piece: number for number, piece in enumerate(("[UNK]", *pieces))},
    }
    return {"model": {**model, **changed}, "pre_tokenizer": {"type": "BertPreTokenizer"}}


def test_word_pieces_are_the_longest_first() -> None:
    """The example of BERT's own program, and words that cannot be cut."""
    data = word_pieces(("un", "runn", "##aff", "##able", "##ing", "##a", "."))
    words = ["unaffable", "running", "unaffableX", ".", "", "un.un", "un" * 51]
    assert cut(Pieces.from_dict(data), words) == [[1, 3, 4], [2, 5], [0], [7], [0], [1, 7, 1], [0]]


@given(st.lists(st.text("ab", min_size=1, max_size=4), max_size=6), st.lists(st.text("abc", max_size=12), max_size=4))
def test_byte_pairs_are_joined_in_the_order_of_learning(learnt: list[str], words: list[str]) -> None:
    """As one reads it in the paper: as long as two neighbours are a merge, the first of all merges, leftmost first."""
    vocabulary = {"a": 0, "b": 1}
    merges: list[list[str]] = []
    for new in learnt:
        # Any cut of a new piece into two known ones is a merge.
        halves = [(new[:at], new[at:]) for at in range(1, len(new)) if {new[:at], new[at:]} <= vocabulary.keys()]
        if halves and new not in vocabulary:
            merges.append(list(halves[0]))
            vocabulary[new] = len(vocabulary)
    data = {"model": {"type": "BPE", "vocab": vocabulary, "merges": merges}}

    def plain(word: str) -> list[int]:
        parts = [letter for letter in word if letter in "ab"]
        for left, right in merges:
            at = 0
            while at + 1 < len(parts):
                if (parts[at], parts[at + 1]) == (left, right):
                    parts[at : at + 2] = [left + right]
                at += 1
        return [vocabulary[part] for part in parts] or [0]

    assert cut(Pieces.from_dict(data), words) == [plain(word) for word in words]


def test_a_long_word_is_cut_in_time() -> None:
    """A quarter of a million characters, which O(n²) steps would take hours for."""
    vocabulary = {"a" * 2**power: power for power in range(10)}
    merges = [["a" * 2**power] * 2 for power in range(9)]
    pieces = Pieces.from_dict({"model": {"type": "BPE", "vocab": vocabulary, "merges": merges}})
    assert cut(pieces, ["a" * 2**18]) == [[9] * 2**9]


def test_words_are_remembered() -> None:
    cutter = _kernel.PieceCutter.word_pieces(
        ["[UNK]", "a"], np.arange(2, dtype=np.int32), continuing="##", unknown=0, longest_word=100
    )
    for _ in range(2):
        offsets, ids = cutter.cut(["a", "b", "a"])
        assert (ids.tolist(), offsets.tolist()) == ([1, 0, 1], [0, 1, 2, 3])
        assert cutter.remembered == 2


# Files that are wrong


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "it has no model"),
        ([], "it has no model"),
        ({"model": {"type": "WordLevel", "vocab": {"a": 0}}}, "WordPiece, BPE and Unigram are read"),
        (word_pieces((), vocab={}), "does not say the number of each piece"),
        (word_pieces((), vocab={"[UNK]": 0, "a": 0}), "two pieces of the same number"),
        (word_pieces((), vocab={"[UNK]": 0, "a": -1}), "the number of a is a whole number"),
        (word_pieces((), vocab={"a": 0}), "lacks the piece for unknown words"),
        (word_pieces((), max_input_chars_per_word=10**9), "max_input_chars_per_word is"),
        (word_pieces((), continuing_subword_prefix=7), "continuing_subword_prefix is no short text"),
        ({**word_pieces(()), "added_tokens": [{"id": 3}]}, "added_tokens"),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "a"]]}}, "makes or needs aa"),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]}}, "a merge is two pieces"),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": None}}, "no list of pairs"),
        ({"model": {"type": "Unigram", "vocab": ["a"]}}, "no list of pieces and scores"),
        (
            {**word_pieces(()), "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 5], "sep": ["[SEP]", 6]}},
            r"adds \[CLS\]",
        ),
    ],
)
def test_a_file_that_is_wrong_is_refused(data: Any, message: str) -> None:
    with pytest.raises(CrossarcError, match=message):
        Pieces.from_json(json.dumps(data))


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(CrossarcError, match="not JSON"):
        Pieces.from_json(b"\xff{")
