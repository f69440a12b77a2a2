"""From and to other libraries, with the libraries themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import crossarc as xa

TEXT = """# sent_id = 1
1\tThe\tthe\tDET\tDT\tDefinite=Def\t2\tdet\t_\t_
2\tdog\tdog\tNOUN\tNN\tNumber=Sing\t3\tnsubj\t_\t_
3\tbarks\tbark\tVERB\tVBZ\tNumber=Sing|Person=3\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""


@pytest.fixture
def treebank() -> xa.Treebank:
    return xa.from_text(TEXT)


def test_dictionaries(treebank: xa.Treebank) -> None:
    again = xa.Treebank.from_dicts(treebank.to_dicts())
    assert again.to_text() == TEXT.split("\n", 1)[1]
    plain = xa.Treebank.from_dicts([[{"form": "Go", "head": 0, "deprel": "root"}, {"form": "!", "head": 1}]])
    assert plain.to_text() == "1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n2\t!\t_\t_\t_\t_\t1\t_\t_\t_\n\n"
    with pytest.raises(xa.CrossarcError, match="sentence 1, word 2: unknown column 'word'"):
        xa.Treebank.from_dicts([[{"form": "a"}, {"word": "b"}]])
    with pytest.raises(xa.CrossarcError, match="cannot hold a tab"):
        xa.Treebank.from_dicts([[{"form": "a\tb"}]])
    with pytest.raises(xa.TreebankError, match="cycle"):
        xa.Treebank.from_dicts([[{"form": "a", "head": 2}, {"form": "b", "head": 1}]])


def test_conllu(treebank: xa.Treebank, treebanks: Path) -> None:
    conllu = pytest.importorskip("conllu")
    assert xa.Treebank.from_conllu_lib(conllu.parse(TEXT)).to_text() == TEXT
    real = xa.read(treebanks / "af_afribooms" / "dev.conllu.gz")
    assert xa.Treebank.from_conllu_lib(conllu.parse(real.to_text())).to_bytes() == real.to_bytes()


def test_conllu_and_back(treebank: xa.Treebank) -> None:
    pytest.importorskip("conllu")
    sentences = treebank.to_conllu_lib()
    assert [token["form"] for token in sentences[0]] == ["The", "dog", "barks", "."]
    assert xa.Treebank.from_conllu_lib(sentences).to_text() == TEXT
    with pytest.raises(xa.CrossarcError, match="a TokenList of conllu is needed, not str"):
        xa.Treebank.from_conllu_lib(["text"])


def test_udapi(treebank: xa.Treebank, treebanks: Path) -> None:
    pytest.importorskip("udapi")
    document = treebank.to_udapi()
    assert [node.form for node in document.nodes] == ["The", "dog", "barks", "."]
    assert next(document.nodes).parent.form == "dog"
    again = xa.Treebank.from_udapi(document)
    assert again.to_dicts() == treebank.to_dicts() and again[0].id == "1"
    real = xa.read(treebanks / "pt_bosque" / "dev.conllu.gz")[:200]
    back = xa.Treebank.from_udapi(real.to_udapi())
    assert [back.texts(name) for name in ("form", "head", "deprel")] == [
        real.texts(name) for name in ("form", "head", "deprel")
    ]
    assert [one.multiword_tokens for one in back] == [one.multiword_tokens for one in real]
    with pytest.raises(xa.CrossarcError, match="a Document of udapi is needed, not list"):
        xa.Treebank.from_udapi([])


@pytest.mark.slow
def test_stanza(treebank: xa.Treebank) -> None:
    pytest.importorskip("stanza")
    document = treebank.to_stanza()
    assert [word.text for word in document.sentences[0].words] == ["The", "dog", "barks", "."]
    again = xa.Treebank.from_stanza(document)
    assert [again.texts(name) for name in ("form", "upos", "head")] == [
        treebank.texts(name) for name in ("form", "upos", "head")
    ]


def test_documents_of_stanza_are_written_by_themselves() -> None:
    class Document:
        sentences = ("one",)

        def __format__(self, form: str) -> str:
            return TEXT.rstrip("\n") if form == "C" else ""

    assert xa.Treebank.from_stanza(Document()).to_text() == TEXT
    with pytest.raises(xa.CrossarcError, match="a Document of stanza is needed, not str"):
        xa.Treebank.from_stanza("text")


def test_conllu_reads_what_we_read(treebanks: Path) -> None:
    """An independent reader agrees on every column."""
    conllu = pytest.importorskip("conllu")
    real = xa.read(treebanks / "pt_bosque" / "dev.conllu.gz")
    for ours, theirs in zip(real, conllu.parse(real.to_text()), strict=True):
        words = [token for token in theirs if isinstance(token["id"], int)]
        assert ours.forms == [token["form"] for token in words]
        assert ours.heads.tolist() == [token["head"] for token in words]
        assert [token.feats for token in ours] == [token["feats"] or {} for token in words]
        assert ours.metadata == theirs.metadata


@pytest.mark.slow
def test_pandas(treebank: xa.Treebank) -> None:
    pandas = pytest.importorskip("pandas")
    frame = treebank.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.columns.tolist()[:4] == ["sentence", "id", "form", "lemma"]
    assert frame["form"].tolist() == ["The", "dog", "barks", "."]
    assert frame["head"].tolist() == [2, 3, 0, 3]
    assert frame[frame["upos"] == "NOUN"]["lemma"].tolist() == ["dog"]
    again = xa.Treebank.from_pandas(frame)
    assert again.to_text() == TEXT.split("\n", 1)[1]
    frame["upos"] = frame["upos"].astype(object).where(frame["upos"] != "DET", None)
    assert xa.Treebank.from_pandas(frame.drop(columns=["deps", "misc"])).upos.tolist() == ["_", "NOUN", "VERB", "PUNCT"]
    assert treebank.replace(upos=frame["upos"]).upos[0] == "_"  # and the comment stays
    sample = xa.sample(30, seed=2)
    assert xa.Treebank.from_pandas(sample.to_pandas()).to_dicts() == sample.to_dicts()


@pytest.mark.slow
def test_tables_that_are_no_treebanks(treebank: xa.Treebank) -> None:
    pandas = pytest.importorskip("pandas")
    frame = treebank.to_pandas()
    for wrong, message in (
        (frame.drop(columns=["form"]), "the table has no column 'form'"),
        (frame.drop(columns=["sentence"]), "the table has no column 'sentence'"),
        (frame.iloc[::-1], "row 0: id 4 where 1 was expected"),
        (frame.assign(sentence=[0, 1, 0, 0], id=[1, 1, 1, 2]), "do not stand together"),
        (frame.assign(head=[2.5, 3, 0, 3]), "whole numbers are needed, not 2.5"),
        (frame.assign(head=[9, 3, 0, 3]), "the head of word 1 is 9"),
        ([1, 2], "a data frame of pandas is needed, not list"),
    ):
        with pytest.raises(xa.CrossarcError, match=message):
            xa.Treebank.from_pandas(wrong)
    without_heads = frame.assign(head=pandas.Series([None] * 4, dtype="Int64"))
    assert not xa.Treebank.from_pandas(without_heads).has_heads


@pytest.mark.slow
def test_arrow(treebank: xa.Treebank) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = treebank.to_arrow()
    assert table.column("form").to_pylist() == ["The", "dog", "barks", "."]
    codes = table.column("deprel").chunk(0).indices.buffers()[1]
    assert codes.address == treebank.column("deprel").ctypes.data  # not copied
    assert table.column("head").chunk(0).buffers()[1].address == treebank.head.ctypes.data
    assert pyarrow.table(treebank) == table  # through the Arrow interface
    assert xa.Treebank.from_arrow(table).to_text() == TEXT.split("\n", 1)[1]
    assert xa.Treebank.from_arrow(treebank).to_dicts() == treebank.to_dicts()
    with pytest.raises(xa.CrossarcError, match="an Arrow table is needed, not list"):
        xa.Treebank.from_arrow([])


@pytest.mark.slow
def test_reports_as_data_frames() -> None:
    pytest.importorskip("pandas")
    gold = xa.sample(40, seed=1)
    system = gold.replace(deprel=["dep" if place % 10 == 0 else text for place, text in enumerate(gold.deprel)])
    evaluation = xa.evaluate(gold, system)
    frame = evaluation.to_pandas().set_index(["measure", "words", "group"])
    assert frame.loc[("LAS", "all", ""), "f1"] == evaluation.las < 1
    assert frame.loc[("UAS", "all", ""), "f1"] == 1
    counts = xa.analyze({"a": gold[:10], "b": gold[10:]}).to_pandas()
    assert counts["file"].tolist() == ["a", "b", "total"]
    assert counts["sentences"].tolist() == [10, 30, 40]
    classes = xa.classify(gold)
    of_sentences = classes.to_pandas()
    assert of_sentences["words"].sum() == gold.words
    assert of_sentences["planarity_upper"].tolist() == classes.planarity_upper.tolist()
    of_arcs = classes.arcs_to_pandas()
    assert of_arcs.columns.tolist() == ["sentence", "id", "nonprojective", "crossings", "lifts"]
    assert of_arcs.groupby("sentence")["nonprojective"].sum().tolist() == classes.nonprojective_arcs.tolist()
    compared = xa.compare(gold, system, gold, samples=20).to_pandas()
    assert compared.set_index("measure").loc["las", "difference"] == 1 - evaluation.las


@pytest.mark.slow
def test_spacy(treebank: xa.Treebank) -> None:
    spacy = pytest.importorskip("spacy")
    docs = treebank.to_spacy(spacy.blank("en").vocab)
    assert [doc.text for doc in docs] == ["The dog barks. "]
    assert [token.head.text for token in docs[0]] == ["dog", "barks", "barks", "barks"]
    assert xa.Treebank.from_spacy(docs[0]).to_text() == TEXT.split("\n", 1)[1]
    doc = spacy.blank("en")("The dog barks.\n\nIt  sleeps .")  # without sentence boundaries, with white space
    words = xa.Treebank.from_spacy(doc)
    assert [sentence.forms for sentence in words] == [["The", "dog", "barks", ".", "It", "sleeps", "."]]
    assert [word.misc.get("SpaceAfter") for word in words[0]] == [None, None, "No", None, None, None, "No"]
    doc[5].is_sent_start = True
    assert [len(sentence) for sentence in xa.Treebank.from_spacy([doc, doc])] == [4, 3, 4, 3]
    with pytest.raises(xa.CrossarcError, match="a Doc of spaCy is needed, not str"):
        xa.Treebank.from_spacy(["text"])
    blank = xa.from_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n").to_spacy(spacy.blank("en").vocab)
    assert not blank[0].has_annotation("DEP")


def test_nothing_is_imported_unless_asked() -> None:
    code = "import sys, crossarc as xa; xa.read; print([m for m in ('pandas', 'spacy', 'conllu') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
