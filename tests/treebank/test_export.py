"""Tables, JSON, workbooks and documents of spaCy: the words of a treebank, whatever their letters."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.errors import CrossarcError
from crossarc.treebank import export
from crossarc.treebank.export import HEADER, ending

ODD = (
    '# sent_id = a\n# text = "=1, \'\n1-2\t"=1\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n'
    '1\t"\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n2\t=1\t1\tNUM\t_\tNumType=Card\t0\troot\t_\t_\n'
    "3\t,\t,\tPUNCT\t_\t_\t2\tpunct\t_\tA=1\n4\t'\t'\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
)


@pytest.fixture
def pieces() -> list[xa.Treebank]:
    """Two treebanks, of which the first has what tables have to escape."""
    return [xa.from_text(ODD), xa.sample(3)]


@pytest.mark.parametrize(("name", "dialect"), [("t.csv", "excel"), ("t.tsv", "excel-tab"), ("t.csv.gz", "excel")])
def test_tables_have_every_word(pieces: list[xa.Treebank], tmp_path: Path, name: str, dialect: str) -> None:
    export(pieces, tmp_path / name)
    with xa.files.open_input(tmp_path / name) as file:
        header, *rows = csv.reader(file.read().decode().splitlines(), dialect)
    assert tuple(header) == HEADER
    whole = xa.Treebank.concatenate(pieces)
    assert [row[3] for row in rows] == whole.form.tolist()
    assert [row[0] for row in rows] == [str(number) for number, own in enumerate(whole, start=1) for _ in own]
    assert rows[1] == ["1", "a", "2", "=1", "1", "NUM", "_", "NumType=Card", "0", "root", "_", "_"]


def test_a_table_is_read_back(pieces: list[xa.Treebank], tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install 'crossarc[pandas]'")
    export(pieces[1], tmp_path / "t.csv")
    again = xa.Treebank.from_pandas(pandas.read_csv(tmp_path / "t.csv", keep_default_na=False))
    assert [own.to_dicts() for own in again] == [own.to_dicts() for own in pieces[1]]


def test_json_has_multiword_tokens(pieces: list[xa.Treebank], tmp_path: Path) -> None:
    export(pieces, tmp_path / "t.json")
    found = json.loads((tmp_path / "t.json").read_text())
    assert [entry["id"] for entry in found] == ["a", "sample-1-1", "sample-1-2", "sample-1-3"]
    assert found[0]["multiword_tokens"] == [{"first": 1, "last": 2, "form": '"=1'}]
    assert found[0]["words"][1]["feats"] == {"NumType": "Card"}
    export([], tmp_path / "none.json")
    assert json.loads((tmp_path / "none.json").read_text()) == []


def test_a_workbook_has_no_formulas(pieces: list[xa.Treebank], tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed: pip install 'crossarc[xlsx]'")
    export(pieces, tmp_path / "t.xlsx")
    rows = list(openpyxl.load_workbook(tmp_path / "t.xlsx").active.rows)
    assert [cell.value for cell in rows[0]] == list(HEADER)
    assert [row[3].value for row in rows[1:]] == xa.Treebank.concatenate(pieces).form.tolist()
    assert (rows[2][3].value, rows[2][3].data_type, rows[2][8].value) == ("=1", "s", 0)


def test_documents_of_spacy(pieces: list[xa.Treebank], tmp_path: Path) -> None:
    tokens = pytest.importorskip("spacy.tokens", reason="spaCy is not installed: pip install 'crossarc[spacy]'")
    vocab = pytest.importorskip("spacy.vocab").Vocab()
    export(pieces, tmp_path / "t.spacy")
    docs = list(tokens.DocBin().from_disk(tmp_path / "t.spacy").get_docs(vocab))
    assert [[token.text for token in doc] for doc in docs] == [own.forms for piece in pieces for own in piece]
    assert [token.head.i + 1 for token in docs[0]] == [2, 2, 2, 2]


def test_several_roots_in_documents_of_spacy(tmp_path: Path) -> None:
    """One sentence a document: all roots hang on that of the largest tree, even where trees interleave."""
    tokens = pytest.importorskip("spacy.tokens", reason="spaCy is not installed: pip install 'crossarc[spacy]'")
    vocab = pytest.importorskip("spacy.vocab").Vocab()
    rows = [(1, 3, "a"), (2, 0, "PRED"), (3, 0, "PRED"), (4, 3, "b"), (5, 2, "c"), (6, 0, "AuxK")]
    text = "".join(f"{word}\tw{word}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n" for word, head, label in rows)
    export(xa.from_text(text + "\n", format="conllu", root="any"), tmp_path / "t.spacy")
    (doc,) = tokens.DocBin().from_disk(tmp_path / "t.spacy").get_docs(vocab)
    assert len(list(doc.sents)) == 1
    assert [token.head.i + 1 for token in doc] == [3, 3, 3, 3, 2, 3]
    assert [token.dep_ for token in doc] == ["a", "PRED", "ROOT", "b", "c", "AuxK"]


def test_names_without_a_format(pieces: list[xa.Treebank], tmp_path: Path) -> None:
    assert (ending("a/B.XLSX"), ending("b.csv.xz"), ending("b.gz"), ending("b")) == (".xlsx", ".csv", "", "")
    with pytest.raises(CrossarcError, match=r"t\.doc: cannot be exported: the name ends in \.csv, "):
        export(pieces, tmp_path / "t.doc")
