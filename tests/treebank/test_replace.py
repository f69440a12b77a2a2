"""Other heads and labels: everything untouched stays as it was, and DEPS follows its rule."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.treebank import from_text


def enhanced(*rows: tuple[int, str, str]) -> str:
    lines = [f"{place}\tw\t_\t_\t_\t_\t{head}\t{rel}\t{deps}\t_" for place, (head, rel, deps) in enumerate(rows, 1)]
    return "\n".join(lines) + "\n\n"


def test_only_the_changed_columns_change(treebanks: Path) -> None:
    path = treebanks / "en_ewt" / "dev.conllu.gz"
    treebank = xa.read(path)
    heads = treebank.head.copy()
    sentence = next(index for index, sentence in enumerate(treebank) if len(sentence) > 10)
    rows = slice(*treebank.word_offsets[sentence : sentence + 2])
    heads[rows] = [0, *range(1, len(treebank[sentence]))]
    changed = treebank.replace(head=heads)
    before = gzip.decompress(path.read_bytes()).decode().splitlines()
    after = changed.to_text().splitlines()
    assert len(before) == len(after)
    different = [(old.split("\t"), new.split("\t")) for old, new in zip(before, after, strict=True) if old != new]
    assert len(different) == np.count_nonzero(heads != treebank.head)
    for old, new in different:
        assert old[:6] == new[:6]
        assert (old[7], old[9]) == (new[7], new[9])
    assert treebank.to_bytes() == gzip.decompress(path.read_bytes())  # the original is as it was


def test_labels_as_text() -> None:
    treebank = from_text(enhanced((0, "root", "_"), (1, "dep", "_")))
    changed = treebank.replace(deprel=["root", "obj"])
    assert changed.texts("deprel") == ["root", "obj"]
    assert treebank.texts("deprel") == ["root", "dep"]


@pytest.mark.parametrize(
    ("deps", "expected"),
    [
        ("_", "_"),
        ("1:nmod", "3:obl"),
        ("1:nmod:of", "3:obl"),
        ("1:nmod|4:conj", "3:obl|4:conj"),
        ("1:nmod|2:ref|3.1:x", "2:ref|3:obl|3.1:x"),
        ("1:nmod|3:obl", "3:obl"),
        ("4:conj", "4:conj"),
        ("1:nmodx", "1:nmodx"),
    ],
)
def test_the_enhanced_arc_that_mirrors_the_basic_one_follows_it(deps: str, expected: str) -> None:
    rows = [(0, "root", "0:root"), (1, "nmod", deps), (1, "x", "_"), (1, "y", "_")]
    treebank = from_text(enhanced(*rows))
    changed = treebank.replace(head=[0, 3, 1, 1], deprel=["root", "obl", "x", "y"])
    assert changed.texts("deps") == ["0:root", expected, "_", "_"]


def test_removing_heads_empties_what_mirrored_them() -> None:
    treebank = from_text(enhanced((0, "root", "0:root"), (1, "obj", "1:obj|0:x")))
    blank = treebank.replace(head=[-1, -1])
    assert blank.texts("deps") == ["_", "0:x"]
    assert not blank.has_heads


def test_deps_given_explicitly_wins() -> None:
    treebank = from_text(enhanced((0, "root", "0:root"), (1, "obj", "1:obj")))
    assert treebank.replace(head=[2, 0], deps=["_", "_"]).texts("deps") == ["_", "_"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"head": [2, 1]}, r"tiny:1: sentence 1: the heads form a cycle: 1 ← 2 ← 1"),
        ({"head": [0, 3]}, r"the head of word 2 is 3; heads are 0 \(the root\) to 2"),
        ({"head": [0, 2]}, r"word 2 is its own head"),
        ({"head": [0, -1]}, r"some words have heads and some have none"),
        ({"head": [0]}, r"column head: 1 values for 2 words"),
        ({"deprel": ["a", ""]}, r'column deprel: a column cannot be empty: use "_"'),
        ({"deprel": ["a", "b\tc"]}, r"column deprel: a column cannot hold a tab"),
        ({"deprel": np.array([1, 99])}, r"an id that the string pool does not have"),
        ({"head": np.array([0, 1]) + 2**32}, r"column head: a number that no word has"),
        ({"head": np.array([0, 1], np.uint64) + np.uint64(2**63)}, r"column head: a number that no word has"),
        ({"head": [2**40, 1]}, r"column head: a number that no word has"),
        ({"head": [2**70, 1]}, r"column head: whole numbers are needed"),
        ({"head": np.array([0, 1]) + 0.9}, r"column head: whole numbers are needed"),
        ({"head": np.array([0.0, 1.0])}, r"column head: whole numbers are needed"),
        ({"head": [False, True]}, r"column head: whole numbers are needed"),
        ({"head": ["0", "1"]}, r"column head: whole numbers are needed"),
        ({"head": [[0], [1]]}, r"column head: whole numbers are needed"),
        ({"head": [[0], [1, 2]]}, r"column head: whole numbers are needed"),
        ({"head": 0}, r"column head: whole numbers are needed"),
        ({"deprel": np.array([1, 2]) + 2**32}, r"an id that the string pool does not have"),
        ({"deprel": np.array([1, -1])}, r"an id that the string pool does not have"),
        ({"deprel": np.array([0.5, 1])}, r"column deprel: texts, or ids .* are needed, not float64"),
        ({"deprel": np.array([True, False])}, r"column deprel: texts, or ids .* are needed, not bool"),
        ({"form": "ab"}, r"column form: a list of texts is needed, not one text"),
        ({"form": 5}, r"column form: a list of texts is needed, not one int"),
        ({"form": ["a", 5]}, r"tiny:1: sentence 1, word 2: column form: not a text but int"),
        ({"form": ["a"]}, r"column form: 1 values for 2 words"),
        ({"form": ["a", "\ud800"]}, r"tiny:1: sentence 1, word 2: column form: a text that UTF-8 cannot hold: half a"),
        ({"misc": np.array(["a", "b\0"], object)}, r"word 2: column misc: a column cannot hold a tab"),
    ],
)
def test_what_would_break_the_file_is_refused(columns: dict[str, object], message: str) -> None:
    treebank = from_text(enhanced((0, "root", "_"), (1, "obj", "_")), "tiny")
    with pytest.raises(xa.CrossarcError, match=message):
        treebank.replace(**columns)  # type: ignore[arg-type]


def test_none_and_arrays_of_texts_are_taken_as_in_from_columns() -> None:
    treebank = from_text(enhanced((0, "root", "_"), (1, "obj", "_")))
    changed = treebank.replace(head=[None, None], deprel=["root", None], lemma=np.array(["x", "y"]))
    assert changed.head.tolist() == [-1, -1]
    assert (changed.texts("deprel"), changed.texts("lemma")) == (["root", "_"], ["x", "y"])


def test_texts_of_a_treebank_that_is_thrown_away_go_with_it() -> None:
    treebank = from_text(enhanced((0, "root", "0:root"), (1, "obj", "1:obj")))
    strings, memory = len(treebank.pool), treebank.pool.memory()
    for number in range(100):
        changed = treebank.replace(form=[f"a{number}", "b"], deprel=["root", f"obj:{number}"])
        assert changed.texts("form") == [f"a{number}", "b"]
        assert changed.texts("deps") == ["0:root", f"1:obj:{number}"]
        assert changed.with_comments([[f"# {number}"]]).to_text() == f"# {number}\n{changed.to_text()}"
    assert (len(treebank.pool), treebank.pool.memory()) == (strings, memory)
    assert treebank.replace(form=["root", "obj"]).pool is treebank.pool  # nothing new, nothing copied
    assert (changed + treebank).to_text() == changed.to_text() + treebank.to_text()


def test_unknown_column() -> None:
    with pytest.raises(KeyError, match="no column 'label'"):
        from_text(enhanced((0, "root", "_"))).replace(label=["x"])


def test_comments_come_first_and_the_rest_stays() -> None:
    words = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    treebank = xa.from_text(f"# sent_id = 1\n1-1\ta{8 * chr(9)}".replace(8 * "\t", 8 * "\t_") + f"\n{words}{words}")
    commented = treebank.with_comments([["# a = 1", "# b"], []])
    assert commented.to_text() == "# a = 1\n# b\n" + treebank.to_text()
    assert commented[0].metadata["a"] == "1"
    assert treebank.with_comments([[], ["# c"]]).to_text() == treebank.to_text().removesuffix(words) + "# c\n" + words
    with pytest.raises(xa.CrossarcError, match="comments for 1 sentences: the treebank has 2"):
        treebank.with_comments([["# a"]])
    with pytest.raises(xa.CrossarcError, match=r"half a surrogate pair: '# \\ud800'"):
        treebank.with_comments([["# \ud800"], []])
    for line in ("a", "# a\n1", "# a\0", 5):
        with pytest.raises(xa.CrossarcError, match="one line that begins with #"):
            treebank.with_comments([[line], []])  # type: ignore[list-item]


TEXTS = (
    "a b",
    " a",
    "a ",
    " ",
    "\u00a0",
    "a=b",
    "a=b|",
    "|",
    "0:root",
    "9:dep",
    "2:dep",
    "1:",
    ":x",
    "1.1:dep",
    "a|b",
    "x",
    "=",
    "#",
)


@pytest.mark.parametrize("format", ["conllu", "conllx"])
@pytest.mark.parametrize("column", ["form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc"])
def test_what_a_file_cannot_hold_is_refused_when_it_is_made(format: str, column: str) -> None:
    """What is taken is read again as it is written; what is refused says where and what to do."""
    rows = "".join(f"{word}\tw\t_\tX\tX\t_\t{word - 1}\tdep\t_\t_\n" for word in (1, 2)) + "\n"
    treebank = xa.from_text(rows * 2, format=format)
    refused = 0
    for text in TEXTS:
        try:
            changed = treebank.replace(**{column: [*treebank.texts(column)[:3], text]})
        except xa.CrossarcError as error:
            assert str(error).startswith("<text>:4: sentence 2, word 2: ") and len(str(error).split(": ")) > 3
            refused += 1
        else:
            assert xa.from_text(changed.to_text(), format=format).texts(column)[3] == text
    assert refused > 2
    spaced = treebank.replace(form=["w", "w", "w", "a b"]) if format == "conllu" else None
    if spaced is not None and column not in ("form", "lemma", "misc"):
        with pytest.raises(xa.CrossarcError, match=r"word [12]: "):
            spaced.replace(**{column: spaced.column("form")})  # ids of texts that another column may hold
