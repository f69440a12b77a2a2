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


@pytest.mark.slow
def test_spacy(treebank: xa.Treebank) -> None:
    spacy = pytest.importorskip("spacy")
    docs = treebank.to_spacy(spacy.blank("en").vocab)
    assert [doc.text for doc in docs] == ["The dog barks. "]
    assert [token.head.text for token in docs[0]] == ["dog", "barks", "barks", "barks"]
    assert xa.Treebank.from_spacy(docs[0]).to_text() == TEXT.split("\n", 1)[1]
    blank = xa.from_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n").to_spacy(spacy.blank("en").vocab)
    assert not blank[0].has_annotation("DEP")


def test_nothing_is_imported_unless_asked() -> None:
    code = "import sys, crossarc as xa; xa.read; print([m for m in ('pandas', 'spacy', 'conllu') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
