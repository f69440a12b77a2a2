"""Tags and lemmas of the AGDT as UD has them, by hand and in the whole treebank."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from typer.testing import CliRunner

import crossarc as xa
from crossarc.cli.main import app
from crossarc.evaluation.conll2018 import UNIVERSAL_FEATURES
from crossarc.treebank.agdt import plain_lemma, universal_tag, with_plain_lemmas, with_universal_tags
from crossarc.treebank.formats import UNIVERSAL_TAGS


@pytest.mark.parametrize(
    ("word", "upos", "feats"),
    [
        ("ἦν εἰμί v3siia---", "VERB", "Aspect=Imp|Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin|Voice=Act"),
        ("οἶδα οἶδα v1sria---", "VERB", "Aspect=Perf|Mood=Ind|Number=Sing|Person=1|Tense=Past|VerbForm=Fin|Voice=Act"),
        ("ᾔδη οἶδα v3slia---", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Pqp|VerbForm=Fin|Voice=Act"),
        (
            "τεθάψεται θάπτω v3stie---",
            "VERB",
            "Aspect=Perf|Mood=Ind|Number=Sing|Person=3|Tense=Fut|VerbForm=Fin|Voice=Mid",
        ),
        ("λυθέντοιν λύω v-dappmg-", "VERB", "Case=Gen|Gender=Masc|Number=Dual|Tense=Past|VerbForm=Part|Voice=Pass"),
        ("εἶναι εἰμί v--pna---", "VERB", "Tense=Pres|VerbForm=Inf|Voice=Act"),
        ("κάλλιστος καλός a-s---mns", "ADJ", "Case=Nom|Degree=Sup|Gender=Masc|Number=Sing"),
        ("ἐγώ ἐγώ p1s---mn-", "PRON", "Case=Nom|Gender=Masc|Number=Sing|Person=1"),
        ("καὶ καί c-------- COORD", "CCONJ", "_"),
        ("ἐπεὶ ἐπεί1 c-------- AuxY", "SCONJ", "_"),
        ("ἢ ἤ c-------- AuxC", "CCONJ", "_"),
        ("καὶ καί1 c-------- AuxC", "CCONJ", "_"),
        ("quod _ c-------- AuxC_CO", "SCONJ", "_"),
        ("gerendo gero v-spdanb-", "VERB", "Case=Abl|Gender=Neut|Number=Sing|Tense=Pres|VerbForm=Ger|Voice=Act"),
        # Malformed: what can be read.
        ("ἀργῶς ἀργός d---", "ADV", "_"),
        ("ᾠήθη οἴομαι v3said---", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"),
        ("λόγος λόγος n-s", "NOUN", "Number=Sing"),
        ("λόγος λόγος n-s---mn-xyz", "NOUN", "Case=Nom|Gender=Masc|Number=Sing"),
        ("λόγος λόγος Q9Z?????!", "X", "_"),
        ("σ᾽ _ _", "X", "_"),
        ("νέος νέος u--------", "X", "_"),
        ("« « p-s---nn-", "PUNCT", "_"),
    ],
)
def test_tags(word: str, upos: str, feats: str) -> None:
    assert universal_tag(*word.split()) == (upos, feats)


@pytest.mark.parametrize(
    ("form", "lemma", "plain"),
    [
        ("μῆνιν", "μῆνις1", "μῆνις"),
        (",", "comma1", ","),
        ("—", "υνκνοων1", "—"),
        ("τόδε", "αδj", "_"),
        ("ἄλλα", "οτηερ", "_"),
        ("δ’", "δ\u0313", "δέ"),
        ("θεὸς", "θεὸς", "θεός"),
        ("Ἀσίης", "\u0313Ασία", "Ἀσία"),
        ("Ἄρτεμις", "\u1fceἄρτεμις1", "Ἄρτεμις"),
        ("ᾍδης", "\u1fdeᾅδης1", "ᾍδης"),
        ("Δημήτριος", "Δημ\u0301ητριος", "Δημήτριος"),
        ("βοῦν", "βου~ς", "βοῦς"),
        ("κατέζετο", "κατά-ἕζομαι", "καθέζομαι"),
        ("συλλέγειν", "σύν-λέγω", "συλλέγω"),
        ("ἐξεπείρων", "ἐκ-ἀναπείθω", "ἐξαναπείθω"),
        ("ἀντικατέζετο", "ἀντί,κατά-ἕζομαι", "ἀντικαθέζομαι"),
        ("arma", "arma1", "arma"),
        ("1", "1", "1"),
        ("λόγον", "λ\u1f79γος", "λόγος"),  # with oxia
    ],
)
def test_lemmas(form: str, lemma: str, plain: str) -> None:
    assert plain_lemma(form, lemma) == plain


def test_names_within_a_sentence_have_lemmas_with_capitals() -> None:
    words = xa.Treebank.from_columns(
        ["Θεὸν", "Διὶ", "Καλῶς", ".", "Θεῷ"],
        lemma=["θεός1", "ζεύς", "καλός", "period1", "θεός"],
        xpos=["n-s---ma-", "n-s---md-", "d--------", "u--------", "n-s---md-"],
        lengths=[5],
    )
    assert list(with_plain_lemmas(words).lemma) == ["θεός", "Ζεύς", "καλός", ".", "θεός"]


def test_other_tags_are_refused() -> None:
    words = xa.Treebank.from_columns(["Dogs", "bark"], xpos=["NNS", "VBP"], lengths=[2])
    with pytest.raises(xa.CrossarcError, match=r"not tags of the AGDT, which have nine positions.*'NNS' in XPOS"):
        with_universal_tags(words)


def test_every_tag_of_the_treebank(treebanks: Path) -> None:
    values: set[str] = set()
    for part in ("train", "dev", "test"):
        tags = xa.read(treebanks / "grc_agdt" / f"{part}.conll.gz", root="any").inventory("xpos")
        pairs = [universal_tag("λόγος", "_", tag) for tag in tags]
        assert {upos.encode() for upos, _ in pairs} <= UNIVERSAL_TAGS - {b"_", b"CONJ"}
        values |= {value for _, feats in pairs if feats != "_" for value in feats.split("|")}
    assert {value.partition("=")[0] for value in values} <= UNIVERSAL_FEATURES
    assert len(values) == 36
    assert {"Case=Loc", "Gender=Com", "Tense=Pqp", "VerbForm=Part"} <= values


@pytest.mark.parametrize(("part", "counts"), [("dev", (3552, 2572, 267, 18)), ("test", (3652, 2595, 270, 15))])
def test_a_whole_part(treebanks: Path, part: str, counts: tuple[int, ...]) -> None:
    before = xa.read(treebanks / "grc_agdt" / f"{part}.conll.gz", root="any").in_format("conllu")
    after = with_plain_lemmas(with_universal_tags(before))
    upos, lemmas = after.inventory("upos"), after.inventory("lemma")
    assert tuple(upos[tag] for tag in ("VERB", "PUNCT", "SCONJ", "X")) == counts
    for column in ("form", "xpos", "deprel"):
        assert after.texts(column) == before.texts(column)
    assert (after.head == before.head).all()
    assert not [lemma for lemma in lemmas if lemma[0].isalpha() and lemma[-1].isdigit()]
    assert not [lemma for lemma in lemmas if unicodedata.normalize("NFC", lemma) != lemma]
    assert not lemmas.keys() & {"comma", "period", "θυοτε", "οτηερ", "υνκνοων"}


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "iliad.conll"
    file.write_text("1\tἄειδε\tἀείδω1\tv\tv2spma---\t_\t0\tPRED\t_\t_\n\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["convert", str(file), "--tags", "universal"])
    feats = "Mood=Imp|Number=Sing|Person=2|Tense=Pres|VerbForm=Fin|Voice=Act"
    assert result.stdout == f"1\tἄειδε\tἀείδω\tVERB\tv2spma---\t{feats}\t0\tPRED\t_\t_\n\n"
