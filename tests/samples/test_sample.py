"""What a sample is as a treebank: the same for the same seed, well-formed, and of any size."""

from __future__ import annotations

import re
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from crossarc.errors import CrossarcError
from crossarc.samples import sample
from crossarc.treebank import COLUMNS, read

SKELETONS = 12_800
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "sample.md"


def test_the_same_seed_gives_the_same_bytes_everywhere() -> None:
    digest = sha256(sample(200, seed=1).to_bytes()).hexdigest()
    assert digest == "0e48a4978adb3e8f7c2b8f64c3227069de19e8c39486385c1f8586e3c24ab8c1"


def test_other_seeds_give_other_sentences_of_the_same_language() -> None:
    first, second = sample(1000, seed=1), sample(1000, seed=2)
    texts = [{sentence.text for sentence in bank} for bank in (first, second)]
    assert len(texts[0] & texts[1]) < 20
    lemmas = [set(bank.texts("lemma")) for bank in (first, second)]
    assert len(lemmas[0] & lemmas[1]) > 0.9 * len(lemmas[0] | lemmas[1])


@pytest.mark.slow
@pytest.mark.exhaustive
def test_a_smaller_sample_is_the_beginning_of_a_larger_one() -> None:
    large = sample(SKELETONS + 450, seed=5).to_bytes()
    for sentences in (0, 1, 200, 777, SKELETONS + 201):
        assert large.startswith(sample(sentences, seed=5).to_bytes())


@pytest.mark.parametrize("seed", [1, 0, -3, 2**64 + 1])
def test_the_strict_reader_takes_it_and_gives_it_back(seed: int) -> None:
    bank = sample(500, seed)
    again = read(BytesIO(bank.to_bytes()), root="single")
    assert again.format == "conllu"
    assert again.to_bytes() == bank.to_bytes()
    for name in ("aside_kind", "aside_before"):
        assert np.array_equal(getattr(again, name), getattr(bank, name))
    assert [again.origin(index)[1] for index in range(500)] == [bank.origin(index)[1] for index in range(500)]
    for name in COLUMNS:
        assert again.texts(name) == bank.texts(name)


def test_no_sentences_and_one() -> None:
    assert len(sample(0)) == 0 and sample(0).to_bytes() == b""
    one = sample(1)
    assert len(one) == 1 and one[0].id == "sample-1-1"
    assert read(BytesIO(one.to_bytes())).to_bytes() == one.to_bytes()


def test_a_negative_number_of_sentences_is_refused() -> None:
    with pytest.raises(CrossarcError, match="sentences is a whole number from 0 to 10,000,000, not -1"):
        sample(-1)


def test_the_text_is_what_the_words_make() -> None:
    bank = sample(1000)
    without_text = BytesIO(b"".join(line for line in BytesIO(bank.to_bytes()) if not line.startswith(b"# text")))
    for sentence, bare in zip(bank, read(without_text), strict=True):
        assert sentence.metadata["text"] == bare.text
        assert sentence.text[-1] in ".?" and " ," not in sentence.text and ",," not in sentence.text


def test_prepositions_contract_with_articles() -> None:
    tokens = [(sentence, token) for sentence in sample(1000) for token in sentence.multiword_tokens]
    assert len(tokens) > 20
    for sentence, token in tokens:
        preposition, article = sentence[token.first - 1], sentence[token.first]
        assert (preposition.upos, article.upos) == ("ADP", "DET")
        assert token.form == preposition.form + article.form[1:]
        assert token.form in sentence.text


@pytest.mark.slow
@pytest.mark.exhaustive
def test_larger_samples_use_skeletons_again_with_other_words() -> None:
    bank = sample(SKELETONS + 1000)
    shapes = {sentence.heads.tobytes() for sentence in bank[:SKELETONS]}
    texts = {sentence.text for sentence in bank[:SKELETONS]}
    later = list(bank[SKELETONS:])
    assert all(sentence.heads.tobytes() in shapes for sentence in later)
    assert sum(sentence.text in texts for sentence in later) < 50


def test_the_guide_quotes_real_sentences() -> None:
    quoted = dict(re.findall(r"^(sample-1-\d+): (.*)$", GUIDE.read_text("utf-8"), re.MULTILINE))
    assert len(quoted) >= 8
    real = {sentence.id: sentence.text for sentence in sample()}
    assert quoted == {name: real[name] for name in quoted}
