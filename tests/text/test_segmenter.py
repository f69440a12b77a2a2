"""Raw text to tokens: nothing of a text is lost, what belongs together stays together, and real text is cut well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc.text import Segmenter, SegmenterOptions, raw_text, surface_sentences
from crossarc.text.boundaries import CLASSES, MOST_PROBABLE, cuts_words, has_even_joints, tokens_between, without_slips
from crossarc.text.network import NetworkBoundaries
from crossarc.text.surface import SurfaceToken, escaped, unescaped
from crossarc.text.thresholds import THRESHOLDS
from crossarc.text.words import Expansions, MultiwordError

from .texts import SMALL, TEXT, forms, put_together, tokens, unmarked_sentences


def test_texts_of_treebanks() -> None:
    treebank = xa.from_text(TEXT)
    assert raw_text(treebank) == "I don't know, Ann. Go on!\n\nShe can't.\n"
    (begins, tokens), *_ = surface_sentences(treebank)
    assert begins
    assert tokens[1] == SurfaceToken("don't", ("do", "n't"), " ")


@given(st.text(" \t\n\r|\\abc", max_size=20))
def test_spaces_are_written_and_read(spaces: str) -> None:
    assert unescaped(escaped(spaces)) == spaces
    assert not set(escaped(spaces)) & set(" \t\n\r|")


def test_what_was_learnt_is_found(segmenter: Segmenter) -> None:
    found = segmenter.treebank("She don't know, Ann. Go on!\n\nI can't.")
    assert forms(found) == [["She", "don't", "know", ",", "Ann", "."], ["Go", "on", "!"], ["I", "can't", "."]]
    assert [sentence.forms for sentence in found][2] == ["I", "ca", "n't", "."]
    assert [sentence.text for sentence in found] == ["She don't know, Ann.", "Go on!", "I can't."]
    assert found[1][0].misc["TokenRange"] == "21:23"


@settings(max_examples=200)
@given(st.text(max_size=300) | st.text("aA.,!? '\n\t1é️‍👩@:/", max_size=300))
def test_no_character_is_lost(segmenter: Segmenter, text: str) -> None:
    found = segmenter.segment(text, threads=1)
    places = np.zeros(len(text), int)
    for start, end in zip(found.starts.tolist(), found.ends.tolist(), strict=True):
        assert start < end and text[start:end].strip() == text[start:end]
        places[start:end] += 1
    spaces = [character.isspace() or character == "\0" for character in text]
    assert all(bool(place) != space for place, space in zip(places, spaces, strict=True))
    assert places.max(initial=0) <= 1
    assert not len(found.final) or found.final[-1]


@settings(max_examples=100)
@given(st.text("abc dE.,!?'\n\t\r1é|\\", max_size=200).filter(lambda text: text.strip()))
def test_text_comes_back_from_conllu(segmenter: Segmenter, text: str) -> None:
    assert put_together(segmenter.treebank(text, threads=1)) == text


@pytest.mark.parametrize(
    "whole",
    ["https://a.example/b?c=1,2&d=e", "www.some-where.example/x_y", "ann.lee+1@mail.example.org", "1,234.50", "12:30",
     "👩‍🚀", "👍🏽", "e\u0301té", "❤️"],
)  # fmt: skip
def test_what_is_one_is_not_cut(segmenter: Segmenter, whole: str) -> None:
    assert whole in [text for sentence in forms(segmenter.treebank(f"I know {whole} on.")) for text in sentence]


@pytest.mark.parametrize("address", ["https://a.example/b_(c)", "www.example.org", "ann.lee+1@mail.example.org"])
@pytest.mark.parametrize("behind", [".", ",", "!", "?", ")", "…", ").", '."'])
def test_marks_behind_an_address_are_not_part_of_it(segmenter: Segmenter, address: str, behind: str) -> None:
    found = [text for sentence in forms(segmenter.treebank(f"I know (Ann, {address}{behind}")) for text in sentence]
    assert address in found and "".join(found[found.index(address) + 1 :]) == behind


def test_empty_lines_end_sentences(segmenter: Segmenter) -> None:
    texts = [sentence.text for sentence in segmenter.treebank("I know\n \n\nAnn know\n\n\n")]
    assert " ".join(texts) == "I know Ann know"
    assert not any("know A" in text for text in texts)


def test_sentences_are_bounded(segmenter: Segmenter) -> None:
    found = segmenter.segment("know " * 1000)
    lengths = np.diff(np.flatnonzero(np.append(True, found.final)))
    assert lengths.max() <= SMALL.most_words
    assert lengths.sum() == 1000
    assert found.too_long == len(lengths) - 1


def test_windows_do_not_matter_where_nothing_is_far(segmenter: Segmenter) -> None:
    text = raw_text(xa.from_text(TEXT)) * 40
    found = segmenter.treebank(text)
    assert forms(found) == forms(xa.from_text(TEXT * 40))


def test_empty_texts(segmenter: Segmenter) -> None:
    assert len(segmenter.treebank("")) == len(segmenter.treebank(" \n\t\n ")) == 0


@pytest.mark.parametrize(
    "text",
    ["\x01\x02 a\x7f\x1b[0m\u200e", "שלום עולם, מה שלומך?", "مرحبا بالعالم.\u200f", "a\0b\0\0c", "\ufeffI know",
     "# a\n1\tb\t_", "_ | \\ \\s a\\n", "\u2028a\u2029b\x85c\x0bd\x0ce", "know " * 700],
)  # fmt: skip
def test_texts_that_no_treebank_has(segmenter: Segmenter, text: str) -> None:
    found = segmenter.treebank(text)
    assert put_together(found) == text
    again = xa.from_text(found.to_text(), root="any")
    assert put_together(again) == text and again.to_bytes() == found.to_bytes()
    places = [tuple(map(int, token.misc["TokenRange"].split(":"))) for sentence in found for token in sentence]
    assert [text[start:end] for start, end in places] == [form for own in forms(found) for form in own]


def test_threads_change_nothing(segmenter: Segmenter) -> None:
    text = raw_text(xa.from_text(TEXT)) * 20
    one, two = (segmenter.segment(text, threads=threads) for threads in (1, 2))
    assert (one.ends == two.ends).all() and (one.final == two.final).all()


def test_saved_and_loaded(segmenter: Segmenter, tmp_path: Path) -> None:
    path = tmp_path / "en.crossarc"
    segmenter.save(path)
    text = "I don't know! Ann, go on."
    assert Segmenter.load(path).treebank(text).to_bytes() == segmenter.treebank(text).to_bytes()
    content = path.read_bytes()
    path.write_bytes(content[:-10])
    with pytest.raises(xa.CrossarcError, match="damaged"):
        Segmenter.load(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden_size": 0}, "hidden_size is a whole number from 1 to 4,096, not 0"),
        ({"window": 32, "overlap": 16}, "leaves nothing"),
        ({"learning_rate": "fast"}, "learning_rate is a number from 0 to 1, not 'fast'"),
        ({"layers": 1.5}, "layers is a whole number"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(xa.CrossarcError, match=message):
        SegmenterOptions(**options)  # type: ignore[arg-type]


def test_nothing_to_learn_from() -> None:
    with pytest.raises(xa.CrossarcError, match="no words to learn from"):
        Segmenter.train(xa.from_text(TEXT)[:0])


def test_training_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """To the very weights that it would have come to; with other options it is another training."""
    treebank, path = xa.from_text(TEXT * 10), tmp_path / "segmenter.checkpoint"

    def train(options: SegmenterOptions = SMALL, **more: Any) -> Segmenter:
        return Segmenter.train(treebank, options, epochs=4, threads=1, **more)

    def interrupt(epoch: int, share: float) -> None:
        assert 0 <= share <= 1
        if epoch == 3:
            raise KeyboardInterrupt

    at_once = train()
    broken_off = train(checkpoint=path, on_epoch=interrupt)
    assert at_once.report is not None and broken_off.report is not None
    assert (len(at_once.report.epochs), len(broken_off.report.epochs)) == (4, 3)
    assert broken_off.report.interrupted and not at_once.report.interrupted
    told: list[int] = []
    resumed = train(checkpoint=path, resume=True, on_epoch=lambda epoch, share: told.append(epoch))
    assert told == [3, 4]  # the third was done when it was broken off, and its checkpoint not written yet
    (expected, arrays), (description, found) = at_once.to_parts(), resumed.to_parts()
    assert description == expected and arrays.keys() == found.keys()
    assert all(np.array_equal(arrays[name], found[name]) for name in arrays)
    with pytest.raises(xa.ParserError, match="another training"):
        train(replace(SMALL, layers=2), checkpoint=path, resume=True)


def test_multiword_tokens() -> None:
    seen = [("don't", ("do", "n't")), ("didn't", ("did", "n't")), ("I'll", ("I", "'ll")), ("dele", ("de", "ele"))]
    known = Expansions.fit(SurfaceToken(text, words, " ") for text, words in seen)
    assert known.words("Don't") == ("Do", "n't")
    assert known.words("DON'T") == ("DO", "N'T")
    assert known.words("hasn't") == ("has", "n't")
    assert known.words("They'll") == ("They", "'ll")
    assert known.words("Dele") == ("De", "ele")
    assert known.words("unseen") == ("unseen",)
    assert known.words("DELE") == ("DE", "ELE")
    assert [known.words(f"Hasn{mark}t") for mark in "’ʼ"] == [("Has", "n’t"), ("Has", "nʼt")]
    assert known.words("DON’T") == ("DO", "N’T")
    assert Expansions.from_dict(known.to_dict()) == known
    with pytest.raises(MultiwordError, match="a list of texts"):
        Expansions.from_dict({"tokens": {}, "endings": {}, "whole": [1]})
    for words in (["a"], ["a"] * 101):
        with pytest.raises(MultiwordError, match="2 to 100 words"):
            Expansions.from_dict({"tokens": {"a": words}, "endings": {}})
    with pytest.raises(MultiwordError, match="more off a token than its ending"):
        Expansions.from_dict({"tokens": {}, "endings": {"a": [2, "", "b"]}})
    assert Expansions.fit([SurfaceToken("a", ("a",) * 101, " ")]) == Expansions({}, {})
    with pytest.raises(MultiwordError, match="cannot stand in a column"):
        Expansions.from_dict({"tokens": {"a": ["a", " "]}, "endings": {}})


@pytest.mark.treebanks
@pytest.mark.slow
@pytest.mark.exhaustive
def test_real_text(treebanks: Path) -> None:
    """The beginning of English EWT, few epochs: tokens and sentences of another part."""
    train = xa.read(treebanks / "en_ewt" / "train.conllu.gz", root="any")[:1200]
    dev = xa.read(treebanks / "en_ewt" / "dev.conllu.gz", root="any")[:300]
    found = Segmenter.train(train, SegmenterOptions(hidden_size=48), epochs=5).treebank(raw_text(dev))

    def spans(treebank: xa.Treebank) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        place, tokens, sentences = 0, set(), set()
        for own in forms(treebank):
            first = place
            for text in own:
                tokens.add((place, place + len(text)))
                place += len(text)
            sentences.add((first, place))
        return tokens, sentences

    for gold, system, least in zip(spans(dev), spans(found), (0.95, 0.6), strict=True):
        assert 2 * len(gold & system) / (len(gold) + len(system)) > least


def ends(segmenter: Segmenter, text: str) -> int:
    return int(segmenter.segment(text, threads=1).final.sum())


def test_development_data_say_how_probable_the_end_of_a_sentence_is(tmp_path: Path) -> None:
    segmenter = Segmenter.train(unmarked_sentences(120, 1), SMALL, epochs=12, seed=1, threads=1)
    dev = unmarked_sentences(60, 2)
    before = ends(segmenter, raw_text(dev))
    segmenter.calibrate(dev, threads=1)
    chosen = segmenter.boundaries.sentence_threshold
    assert chosen in THRESHOLDS and chosen < MOST_PROBABLE
    assert before < ends(segmenter, raw_text(dev))
    segmenter.save(tmp_path / "s.crossarc")
    assert Segmenter.load(tmp_path / "s.crossarc").boundaries.sentence_threshold == chosen


def test_final_marks_need_no_threshold(segmenter: Segmenter) -> None:
    marked = replace(segmenter)
    marked.calibrate(xa.from_text(TEXT * 4), threads=1)
    assert marked.boundaries.sentence_threshold == MOST_PROBABLE
    rules = Segmenter.generic()
    rules.calibrate(xa.from_text(TEXT), threads=1)
    assert rules.boundaries.sentence_threshold == MOST_PROBABLE


def test_slips_are_one_word_where_they_mostly_are() -> None:
    """*its* for *it's* is no reason to cut *its*; *cant* is never one word, *It's* has its mark."""

    def sentence(*tokens: tuple[str, ...]) -> list[SurfaceToken]:
        return [SurfaceToken("".join(words), words, " ") for words in tokens]

    paragraphs = [
        [sentence(("Its",), ("tail",)), sentence(("its",), ("the",), ("its",), ("its",))],
        [sentence(("its",), ("it", "s"), ("It", "s"), ("It", "'s"), ("ca", "nt"), ("id",), ("i", "d"))],
    ]
    read = [token.words for paragraph in without_slips(paragraphs) for tokens in paragraph for token in tokens]
    assert read[-7:] == [("its",), ("its",), ("Its",), ("It", "'s"), ("ca", "nt"), ("id",), ("i", "d")]
    assert [token.text for tokens in without_slips(paragraphs)[1] for token in tokens] == [
        *("its", "its", "Its", "It's", "cant", "id", "id")
    ]


def test_what_was_nearly_always_one_word_is_one() -> None:
    """Latin -que, as in populusque, and words that end so: usque always, itaque nearly, quoque as often as not."""
    seen = [("populusque", ("populus", "que"))] * 5 + [("usque", ("usque",))] * 2 + [("denique", ("denique",))]
    seen += [("itaque", ("itaque",))] * 9 + [("itaque", ("ita", "que"))]
    seen += [("quoque", ("quoque",))] * 3 + [("quoque", ("quo", "que"))] * 3 + [("lupus", ("lupus",))] * 9
    known = Expansions.fit(SurfaceToken(text, words, " ") for text, words in seen)
    assert known.whole == {"usque", "itaque"}
    assert [known.words(token) for token in ("Usque", "ITAQUE")] == [("Usque",), ("ITAQUE",)]
    assert known.words("quoque") == ("quo", "que")
    assert known.words("denique") == ("deni", "que")  # seen once
    assert known.words("lupusque") == ("lupus", "que")
    assert Expansions.from_dict(known.to_dict()) == known
    assert Expansions.from_dict({"tokens": {}, "endings": {}}).whole == frozenset()


def joined(*texts: str) -> list[list[SurfaceToken]]:
    """A paragraph of a sentence without spaces between its tokens."""
    return [[SurfaceToken(text, (text,), "") for text in texts]]


def test_hyphens_are_cut_on_both_sides_where_training_data_cut_them_so() -> None:
    both = joined(*["well", "-", "known"] * 30)
    assert has_even_joints([both, joined("w/", "o"), joined("b/c", "7-8")])
    assert not has_even_joints([both, joined(*["dizer", "-lhe"] * 5)])
    assert not has_even_joints([joined("well", "-", "known")])  # too few to know


def test_a_hyphen_is_a_token_or_part_of_one(segmenter: Segmenter) -> None:
    """Whatever a network says of the letters around: its probabilities decide between both sides and neither."""
    network = segmenter.boundaries
    assert isinstance(network, NetworkBoundaries) and not network.even_joints
    even = replace(network, definition=replace(network.definition, even_joints=True))
    text = "T-shirts b/c x"
    chances = np.zeros((len(text), CLASSES), np.float32)
    for character, chance in enumerate(np.where(np.isin(list(text), [" ", "x"]), 1.0, 0.1)):
        chances[character, :2] = 1 - chance, chance
    for character, chance in ((1, 0.8), (10, 0.95), (9, 0.04)):  # behind T-, and behind and before the slash of b/c
        chances[character, :2] = 1 - chance, chance
    chances[0, :2] = 0.7, 0.3

    def cut(model: NetworkBoundaries) -> list[str]:
        found = tokens_between(model, text, chances, 0, len(text), ended=True)
        return [text[start:end] for start, end in found.spans()]

    assert cut(network) == ["T-", "shirts", "b/", "c", "x"]
    assert cut(even) == ["T", "-", "shirts", "b/c", "x"]


def test_counts_of_a_treebank_leave_the_network_as_it_is(segmenter: Segmenter) -> None:
    treebank = xa.from_text(TEXT)
    again = Segmenter.from_parts(*segmenter.to_parts())
    again.expansions = Expansions({}, {})
    again.count(treebank)
    assert isinstance(segmenter.boundaries, NetworkBoundaries) and isinstance(again.boundaries, NetworkBoundaries)
    assert again.boundaries.native is not None and again.expansions.words("didn't") == ("did", "n't")
    text = "She don't know, Ann."
    before, after = (each.boundaries.probabilities_apart([text], threads=1) for each in (segmenter, again))
    assert np.array_equal(before, after)


def test_words_are_cut_where_training_data_cut_words() -> None:
    def paragraph(*texts: str) -> list[list[SurfaceToken]]:
        return [[SurfaceToken(text, (text,), "" if text in ("a", "12", "l'") else " ") for text in texts]]

    whole = paragraph(*["Rivers", "meander", "slowly"] * 500)
    assert not cuts_words([whole])
    assert not cuts_words([whole, paragraph("a", "lot")])  # a slip of the pen
    assert cuts_words([whole, paragraph(*["a", "lot"] * 20)])
    assert not cuts_words([paragraph(*["12", "km"] * 20), paragraph(*["l'", "eau"] * 20)])


def test_no_token_ends_between_letters_of_whole_words(segmenter: Segmenter) -> None:
    network = segmenter.boundaries
    assert isinstance(network, NetworkBoundaries) and network.whole_words
    text = "".join(chr(97 + (7 * index) % 26) + "—4 "[index % 3] * (index % 5 == 0) for index in range(600))
    apart = replace(network, definition=replace(network.definition, whole_words=False))
    cut, kept = (tokens([replace(segmenter, boundaries=each).segment(text)]) for each in (apart, network))
    assert len(cut) > len(kept)
    assert all(not (text[end - 1].isalpha() and text[end : end + 1].isalpha()) for _, end, *_ in kept)


def test_older_segmenters_cut_words(segmenter: Segmenter) -> None:
    description, arrays = segmenter.to_parts()
    boundaries = {name: value for name, value in description["boundaries"].items() if name != "whole_words"}
    older = Segmenter.from_parts({**description, "boundaries": boundaries}, arrays)
    assert isinstance(older.boundaries, NetworkBoundaries) and not older.boundaries.whole_words
