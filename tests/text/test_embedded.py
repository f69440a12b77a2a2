"""The models of the package: small, licensed, from text to trees, and made by the script of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossarc as xa
from crossarc.text import Pipeline, known_models, load_pipeline
from crossarc.text.registry import EMBEDDED

from .texts import put_together

TEXTS = {
    "en": "She met a man yesterday who didn't know her.\n\n\"Don't worry!\" It's at www.example.org now.",
    "grc": "πολλῶν δ᾽ ἀνθρώπων ἴδεν ἄστεα καὶ νόον ἔγνω.",
}


@pytest.fixture(scope="module", params=sorted(TEXTS))
def nlp(request: pytest.FixtureRequest) -> Pipeline:
    return load_pipeline(request.param)


def test_they_are_all_there() -> None:
    found = {name for name, model in known_models().items() if model.origin == "crossarc"}
    assert found == set(TEXTS)


def test_they_are_small_and_licensed(nlp: Pipeline) -> None:
    name = nlp.about["name"]
    assert (EMBEDDED / f"{name}.crossarc").stat().st_size <= {"en": 8_000_000, "grc": 24_000_000}[name]
    licence = (EMBEDDED / f"{name}.LICENSE").read_text()
    for field in ("licence", "source", "attribution"):
        assert nlp.about[field] in licence
    assert nlp.about["domain"]


def test_they_were_made_by_the_script(nlp: Pipeline) -> None:
    assert nlp.about["command"].startswith(f"python pretrained/train.py --only {nlp.about['name']}")
    assert nlp.about["crossarc"] == xa.__version__
    assert nlp.about["scores"]["test, gold words"]["LAS"] > 0.7
    assert nlp.parser.info()["arithmetic"] == "int8"


def test_text_becomes_trees(nlp: Pipeline) -> None:
    text = TEXTS[nlp.about["name"]]
    found = nlp(text)
    assert found.has_heads and put_together(found) == text
    for column in ("lemma", "upos", "deprel"):
        assert "_" not in found.texts(column)
    for word in (word for sentence in found for word in sentence):
        assert word.start is not None and word.end is not None
        assert text[word.start : word.end] == word.form


def test_english() -> None:
    first, *others = load_pipeline("en")(TEXTS["en"])
    assert first.forms == ["She", "met", "a", "man", "yesterday", "who", "did", "n't", "know", "her", "."]
    assert first.texts("upos")[:9] == ["PRON", "VERB", "DET", "NOUN", "NOUN", "PRON", "AUX", "PART", "VERB"]
    assert first.texts("lemma")[:9] == ["she", "meet", "a", "man", "yesterday", "who", "do", "not", "know"]
    assert (first[0].deprel, first[0].head, first[1].deprel) == ("nsubj", 2, "root")
    assert (first[3].head, first[3].deprel, first[9].head, first[9].deprel) == (2, "obj", 9, "obj")
    (question,) = load_pipeline("en")("Which book did you say she wanted to read?")
    assert question[1].head == 9 and not question.tree.is_projective
    assert "www.example.org" in [word.form for sentence in others for word in sentence]


@pytest.mark.parametrize(
    ("form", "upos", "xpos", "lemma"),
    [
        ("trudged", "VERB", "VBD", "trudge"),
        ("begged", "VERB", "VBD", "beg"),
        ("fled", "VERB", "VBD", "flee"),
        ("stung", "VERB", "VBN", "sting"),
        ("churches", "NOUN", "NNS", "church"),
        ("feet", "NOUN", "NNS", "foot"),
        ("Running", "VERB", "VBG", "run"),
        ("Lying", "VERB", "VBG", "lie"),
        ("Children", "NOUN", "NNS", "child"),
        ("Imbalances", "NOUN", "NNS", "imbalance"),
        ("airlines", "NOUN", "NNS", "airline"),
        ("hottest", "ADJ", "JJS", "hot"),
        ("Anketell", "PROPN", "NNP", "Anketell"),
        ("’s", "PART", "POS", "'s"),
        ("rewarding", "ADJ", "JJ", "rewarding"),
    ],
)
def test_lemmas_of_words_whose_tags_are_given(form: str, upos: str, xpos: str, lemma: str) -> None:
    words = xa.Treebank.from_columns([form], upos=[upos], xpos=[xpos], lengths=[1])
    assert load_pipeline("en").parse(words)[0][0].lemma == lemma


@pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ", "\u1fbd"])
def test_ways_to_write_an_apostrophe(apostrophe: str) -> None:
    (found,) = load_pipeline("en")(f"She didn{apostrophe}t know her.")
    assert found.forms == ["She", "did", f"n{apostrophe}t", "know", "her", "."]
    assert found.texts("lemma")[2] == "not"
    assert found.texts("upos")[:4] == ["PRON", "AUX", "PART", "VERB"]


def test_ways_to_write_greek() -> None:
    """Composed and decomposed letters are handled alike, and the output keeps what was written."""
    import unicodedata

    nlp = load_pipeline("grc")
    composed, apart = (unicodedata.normalize(form, TEXTS["grc"]) for form in ("NFC", "NFD"))
    one, other = nlp(composed), nlp(apart)
    assert one.texts("lemma") == other.texts("lemma")
    assert one.texts("upos") == other.texts("upos")
    assert one.head.tolist() == other.head.tolist()
    assert [unicodedata.normalize("NFC", form) for form in other.texts("form")] == one.texts("form")
    assert put_together(other) == apart


def test_first_words_of_greek_books() -> None:
    """Editions begin them with capitals, which the treebank has mostly in names."""
    beginnings = ("Κατέβην χθὲς εἰς Πειραιᾶ.", "Πάντες ἄνθρωποι ὀρέγονται.", "Θουκυδίδης Ἀθηναῖος ξυνέγραψε.")
    firsts = [load_pipeline("grc")(text)[0][0] for text in beginnings]
    assert [(first.form, first.lemma, first.upos) for first in firsts] == [
        ("Κατέβην", "καταβαίνω", "VERB"),
        ("Πάντες", "πᾶς", "ADJ"),
        ("Θουκυδίδης", "Θουκυδίδης", "NOUN"),
    ]


def test_ways_to_write_a_sigma() -> None:
    """Final, as inside a word, or lunate: the analysis is the same, and the output keeps what was written."""
    nlp = load_pipeline("grc")
    usual, *others = (nlp(text) for text in ("λόγος ἐστὶν σοφός.", "λόγοσ ἐστὶν σοφόσ.", "λόγοϲ ἐϲτὶν ϲοφόϲ."))
    assert [other.texts("form")[0] for other in others] == ["λόγοσ", "λόγοϲ"]
    for other in others:
        for column in ("lemma", "upos", "deprel"):
            assert other.texts(column) == usual.texts(column)
        assert other.head.tolist() == usual.head.tolist()


def test_a_text_of_another_language(tmp_path: Path) -> None:
    from crossarc.text import UnknownLanguageWarning

    with pytest.warns(UnknownLanguageWarning, match="trained on English"):
        load_pipeline("en")("Это предложение на другом языке.")
    with pytest.warns(UnknownLanguageWarning, match=r"trained on Ancient Greek \(.*\); .* are read as beta code"):
        load_pipeline("grc")("en arxh hn o logos kai o logos hn pros ton qeon")
