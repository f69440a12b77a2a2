"""Pipelines: raw text to trees, one file for all parts, what is given is kept, and damaged files are refused."""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.text import LongSentenceWarning, Pipeline, Segmenter, UnknownLanguageWarning, raw_text
from crossarc.training.report import Epoch

from ..support.altered import PARTS, altered_file, numbers_of_part
from ..support.parsers import SMALL
from ..support.pipelines import known_pipeline, tiny_parser, tiny_pipeline
from .texts import SMALL as SMALL_SEGMENTER
from .texts import TEXT, put_together


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return tiny_pipeline()


@pytest.fixture(scope="module")
def saved(nlp: Pipeline, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "tiny.crossarc"
    nlp.save(path)
    return path


def test_text_becomes_trees(nlp: Pipeline) -> None:
    text = "She don't know, Ann. Go on!\n\nI can't."
    found = nlp(text)
    assert [sentence.text for sentence in found] == ["She don't know, Ann.", "Go on!", "I can't."]
    assert found.has_heads
    assert [sentence.id for sentence in found] == ["1", "2", "3"]
    begins = ["# newpar" in sentence.comments for sentence in found]
    assert begins == [True, False, True]
    for sentence in found:
        assert int((sentence.heads == 0).sum()) == 1


def test_tokens_know_their_places(nlp: Pipeline) -> None:
    text = "  She don't know, Ann.\nGo on!\n\nI can't."
    for sentence in nlp(text):
        for token in sentence:
            assert token.start is not None and token.end is not None
            assert text[token.start : token.end] == token.form
        for several in sentence.multiword_tokens:
            start, _, end = several.misc["TokenRange"].partition(":")
            assert text[int(start) : int(end)] == several.form
    assert [token.misc["TokenRange"] for token in nlp("I can't.")[0]] == ["0:1", "2:4", "4:7", "7:8"]


def test_words_that_are_not_written_have_the_place_of_their_token() -> None:
    line = "\t_\t_\t_\t_\t_\t_\t_\t"
    lines = [f"1-2\tdu{line}TokenRange=4:6", f"1\tde{line}_", f"2\tle{line}_", f"3\tpain{line}_"]
    words = xa.from_text("\n".join(lines) + "\n\n")[0]
    assert [(word.start, word.end) for word in words] == [(4, 6), (4, 6), (None, None)]


def test_many_texts_are_parsed_as_one_by_one(nlp: Pipeline) -> None:
    texts = ["Go on!", "", "I know.\n\nShe can't.", " \n ", "Ann, go on! I don't know."]
    found = list(nlp.stream(texts, threads=1))
    assert [one.to_bytes() for one in found] == [nlp(text, threads=1).to_bytes() for text in texts]
    assert [len(one) for one in found][1::2] == [0, 0]
    with pytest.raises(xa.CrossarcError, match="a text is a str, not bytes"):
        list(nlp.stream([b"Go on!"]))  # type: ignore[list-item]


def test_words_are_parsed(nlp: Pipeline) -> None:
    sentence = nlp.parse(["Ann", "can", "n't", "go", "."])
    assert sentence.has_heads and sentence.forms[0] == "Ann"
    treebank = xa.from_text(TEXT)
    parsed = nlp.parse(treebank)
    assert [one.comments for one in parsed] == [one.comments for one in treebank]
    assert parsed.texts("lemma") == treebank.texts("lemma")
    assert parsed.texts("upos") == treebank.texts("upos")


@pytest.mark.parametrize("kind", ["graph", "transition"])
def test_tags_and_lemmas_are_found(kind: str, tmp_path: Path) -> None:
    """By the parser itself, or by a tagger for a parser that reads them."""
    if kind == "graph":
        nlp = tiny_pipeline(tiny_parser("upos", "lemma"), epochs=20)
    else:
        nlp = tiny_pipeline(xa.TransitionParser("arc-eager", scorer=SMALL), tiny_parser("upos", "lemma"), epochs=20)
    assert (nlp.tagger is None) == (kind == "graph")
    nlp.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert isinstance(again, Pipeline)
    found = again("I don't know, Ann. Go on!")
    assert found.texts("upos")[:4] == ["PRON", "AUX", "PART", "VERB"]
    assert found.texts("lemma")[:4] == ["I", "do", "not", "know"]
    kept = again.parse(xa.from_text("1\tGo\tmine\tX\t_\t_\t_\t_\t_\t_\n2\ton\t_\t_\t_\t_\t_\t_\t_\t_\n\n"))
    assert (kept.texts("upos"), kept.texts("lemma")) == (["X", "ADV"], ["mine", "on"])
    assert "tagger" in again.info() or kind == "graph"


def test_heads_that_are_given_are_kept(nlp: Pipeline) -> None:
    rows = [f"{word}\t{form}\t_\t_\t_\t_\t{head}\n" for word, form, head in ((1, "Go", "_\t_"), (2, "on", "3\tmine"))]
    partial = "".join(row[:-1] + "\t_\t_\n" for row in [*rows, "3\t!\t_\t_\t_\t_\t_\t_\n"]) + "\n"
    both = xa.from_text(TEXT + partial + TEXT, root="partial")
    found = nlp.parse(both)
    assert [sentence.forms for sentence in found] == [sentence.forms for sentence in both]
    assert found.has_heads
    assert (found[3][1].head, found[3][1].deprel) == (3, "mine")
    assert found[:3].head.tolist() == nlp.parse(xa.from_text(TEXT)).head.tolist()
    assert nlp.parse(both, keep_heads=True)[:3].head.tolist() == both[:3].head.tolist()
    words = nlp.parse(both, keep_heads=False)
    assert words[3].heads.tolist() == nlp.parse(["Go", "on", "!"]).heads.tolist()
    by_transitions = tiny_pipeline(xa.TransitionParser("arc-eager", scorer=SMALL), tiny_parser("upos", "lemma"))
    with pytest.raises(xa.ParserError, match="kept by graph parsers alone"):
        by_transitions.parse(both)


@pytest.mark.parametrize("minimum_risk", [False, True])
def test_heads_that_no_tree_has_are_refused(minimum_risk: bool) -> None:
    nlp = tiny_pipeline(tiny_parser("upos", "lemma"), epochs=1)
    assert isinstance(nlp.parser, xa.GraphParser) and nlp.parser.trained is not None
    nlp.parser.trained = replace(nlp.parser.trained, trees="1-endpoint-crossing", minimum_risk=minimum_risk)
    heads = ["4", "5", "6", "_", "_", "_", "_"]
    rows = [f"{word}\tw\t_\t_\t_\t_\t{head}\t_\t_\t_\n" for word, head in enumerate(heads, start=1)]
    with pytest.raises(xa.ParserError, match="no tree of the class has the heads that are given"):
        nlp.parse(xa.from_text("".join(rows) + "\n", root="partial"))


def test_saved_and_loaded(nlp: Pipeline, saved: Path, tmp_path: Path) -> None:
    again = xa.load(saved)
    assert isinstance(again, Pipeline)
    text = raw_text(xa.from_text(TEXT))
    assert again(text).to_bytes() == nlp(text).to_bytes()
    again.save(tmp_path / "again.crossarc")
    assert (tmp_path / "again.crossarc").read_bytes() == saved.read_bytes()
    again.compress(tmp_path / "small.crossarc")
    small = xa.load(tmp_path / "small.crossarc")
    assert isinstance(small, Pipeline) and small(text).has_heads


def test_a_pickle_is_the_same_pipeline(nlp: Pipeline, tmp_path: Path) -> None:
    same = pickle.loads(pickle.dumps(nlp))
    text = raw_text(xa.from_text(TEXT))
    assert same(text).to_bytes() == nlp(text).to_bytes()
    assert (same.info(), repr(same)) == (nlp.info(), repr(nlp))
    assert repr(nlp).startswith("<Pipeline ") and "trained on" in repr(nlp)
    for name, one in (("nlp", nlp), ("same", same)):
        one.save(tmp_path / name)
    assert (tmp_path / "same").read_bytes() == (tmp_path / "nlp").read_bytes()


def test_information(nlp: Pipeline, saved: Path) -> None:
    info = xa.load(saved).info()
    assert info == nlp.info()
    assert (info["type"], info["language"], info["licence"]) == ("pipeline", "Tiny", "none")
    assert info["parser"]["type"] == "graph parser"
    assert info["segmenter"]["multiword_tokens"] == 2
    json.dumps(info, allow_nan=False)


def test_a_text_of_another_language(nlp: Pipeline) -> None:
    with pytest.warns(UnknownLanguageWarning, match=r"100 % of the letters .* trained on Tiny \(a tiny treebank\)"):
        known_pipeline()("Это предложение на другом языке.")


def test_parts_that_do_not_go_together(nlp: Pipeline) -> None:
    with pytest.raises(xa.ParserError, match="not trained"):
        Pipeline(nlp.segmenter, tiny_parser())
    with pytest.raises(xa.ParserError, match="predicts no tags"):
        Pipeline(nlp.segmenter, nlp.parser, known_pipeline().parser)
    with pytest.raises(xa.ParserError, match="leave out the tagger"):
        tiny_pipeline(tiny_parser("upos"), tiny_parser("upos"))


def test_a_pipeline_is_no_parser(saved: Path) -> None:
    from crossarc.parsers import load

    with pytest.raises(xa.FileError, match=r"a pipeline, which crossarc\.load opens"):
        load(saved)
    with pytest.raises(xa.FileError, match="no segmenter"):
        Segmenter.load(saved)


@pytest.mark.parametrize("place", ["segmenter", "parser", "about"])
def test_parts_that_are_missing(saved: Path, tmp_path: Path, place: str) -> None:
    file = read_model_file(saved)
    path = tmp_path / "m.crossarc"
    values: list[Any] = [None, [], "x", {"type": "x"}]
    for value in values:
        description = {**file.description, place: value}
        write_model_file(path, ModelFile(description, file.arrays))
        if place == "about" and value == {"type": "x"}:
            assert isinstance(xa.load(path), Pipeline)
            continue
        with pytest.raises(xa.FileError) as caught:
            xa.load(path)
        assert str(caught.value).startswith(f"{path}: ") and len(str(caught.value).splitlines()) == 1


@pytest.mark.kernel
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_altered_files_are_refused_or_parse(part: int, saved: Path, tmp_path: Path) -> None:
    whole = read_model_file(saved)
    path = tmp_path / "m.crossarc"
    refused, numbers = 0, numbers_of_part(part, 0.01, 100)
    for number in numbers:
        write_model_file(path, altered_file(random.Random(number), whole))
        try:
            nlp = xa.load(path)
        except xa.FileError as error:
            refused += 1
            assert str(error).startswith(f"{path}: ") and len(str(error).splitlines()) == 1
            continue
        json.dumps(nlp.info(), ensure_ascii=False, allow_nan=False).encode()
        assert isinstance(nlp, Pipeline)
        assert nlp("Go on! I don't know.").has_heads
    assert 0 < refused < len(numbers)


def test_files_that_were_cut_short(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    path = tmp_path / "m.crossarc"
    for length in np.linspace(0, len(content) - 1, 20).astype(int).tolist():
        path.write_bytes(content[:length])
        with pytest.raises(xa.FileError):
            xa.load(path)


@pytest.mark.filterwarnings("ignore::crossarc.text.UnknownLanguageWarning")
@settings(max_examples=50)
@given(st.text("abc dE.,!?'\n\t\r1é|\\", max_size=200))
def test_tokens_give_back_the_text(nlp: Pipeline, text: str) -> None:
    found = nlp(text, threads=1)
    assert put_together(found) == (text if text.strip() else "")
    assert put_together(xa.Treebank.concatenate(nlp.stream_text(text, threads=1))) == text if text.strip() else True


def test_pieces_and_lines_give_back_the_text(nlp: Pipeline) -> None:
    text = "\t I know,  Ann.\r\nGo on!\n \n\nShe can't.  " * 50
    for pieces in (nlp.segmented(text), nlp.segmented_lines(text)):
        assert put_together(xa.Treebank.concatenate(pieces)) == text


def test_long_sentences_are_cut_and_that_is_said(nlp: Pipeline) -> None:
    with pytest.warns(LongSentenceWarning, match="more than 40 words, or 65,536 characters, were cut"):
        found = nlp("know " * 1000, threads=1)
    assert max(map(len, found)) <= 40 and found.words == 1000


def test_a_pipeline_that_is_broken_off_keeps_its_segmenter(tmp_path: Path) -> None:
    """The checkpoint of the segmenter stays until the parser is trained, and no epoch of it is done twice."""
    path, told = tmp_path / "tiny.checkpoint", list[int]()

    def train(epochs_told: list[int], **more: Any) -> Pipeline:
        return Pipeline.train(
            xa.from_text(TEXT * 4),
            parser=tiny_parser(),
            segmenter=SMALL_SEGMENTER,
            epochs=2,
            segmenter_epochs=2,
            threads=1,
            checkpoint=path,
            on_segmenter_epoch=lambda epoch, share: epochs_told.append(epoch),
            **more,
        )

    def interrupt(epoch: Epoch) -> None:
        raise KeyboardInterrupt

    broken_off = train(told, on_epoch=interrupt)
    assert broken_off.report is not None and broken_off.report.interrupted and told == [1, 2]
    kept = tmp_path / "tiny.checkpoint.segmenter"
    assert kept.exists()
    again: list[int] = []
    resumed = train(again, resume=True)
    assert again == [] and not kept.exists()
    assert resumed.segmenter.treebank("I don't.").to_bytes() == broken_off.segmenter.treebank("I don't.").to_bytes()


def test_an_interruption_of_the_segmenter_ends_all_training() -> None:
    def interrupt(epoch: int, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Pipeline.train(
            xa.from_text(TEXT), parser=tiny_parser(), segmenter=SMALL_SEGMENTER, on_segmenter_epoch=interrupt
        )


def test_a_line_end_is_one_space_in_the_text_of_a_sentence() -> None:
    nlp = known_pipeline()
    for end in ("\n", "\r\n", "\r"):
        parsed = nlp(f"I know,{end}Ann.\n")
        assert parsed[0].text == "I know, Ann." and raw_text(parsed) == f"I know,{end}Ann.\n"
