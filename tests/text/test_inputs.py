"""What files hold, by content: prose is never taken for broken CoNLL-U, nor broken CoNLL-U for prose."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.text.inputs import InputError, opened, recognised, text_blocks, word_treebanks
from crossarc.text.text_stream import text_lines

CONLLU = xa.sample(5, seed=1).to_text()
WORDS = "\n".join(line.split("\t")[1] if line else "" for line in CONLLU.splitlines() if not line.startswith("#"))
PROSE = "She met a man yesterday who knew her.\nHe had 3 dogs.\n"


def kind_of(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with opened(path) as file:
        return recognised(file)


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "",
        " \n\t\n",
        "Yes",
        "1\n2\n3\n4\n",
        "# A heading\n\nSome prose in a page of Markdown.\n\n- one\n- two\n",
        "1. Introduction\n2. Methods of the work\n3. Results\n",
        "3 men went to the old house on 2 hills and saw\n4 women came from the new one with 5 dogs or\n",
        "Name\tAge\tTown\nAnn\t31\tBonn\nBob\t40\tKiel\n",
        "1\tAnn\t31\n2\tBob\t40\n",
        "What a file looks like:\n\n" + CONLLU[:150] + "\n" + 40 * "And much prose behind it, line by line.\n",
        "{\"json\": [1, 2]}",
        "<p>A page</p>",
        "שלום עולם",
        "これは日本語です。\n\nとても短い。\n",
        "no punctuation at all " * 5000,
    ],
)  # fmt: skip
def test_prose(tmp_path: Path, text: str) -> None:
    assert kind_of(tmp_path / "f", text) == "text"


@pytest.mark.parametrize(
    "text",
    [
        CONLLU,
        "\ufeff" + CONLLU,
        CONLLU.replace("\n", "\r\n"),
        CONLLU.replace("\t", " "),
        CONLLU.replace("\t", "  "),
        CONLLU.replace("\t_\n", "\n"),
        "".join(line for line in CONLLU.splitlines(keepends=True) if not line.startswith("#")),
        CONLLU.replace("\n\n", "\n"),
        CONLLU[: len(CONLLU) // 2] + "here is a line of prose\n" + CONLLU[len(CONLLU) // 2 :],
        "# text = only a comment\n",
        "# sent_id = 1\nno columns\n",
    ],
)
def test_conllu_however_broken(tmp_path: Path, text: str) -> None:
    assert kind_of(tmp_path / "f", text) == "conllu"


def test_words(tmp_path: Path) -> None:
    assert kind_of(tmp_path / "f", WORDS) == "words"
    with opened(tmp_path / "f") as file:
        (found,) = word_treebanks(text_blocks(file))
    assert [sentence.forms for sentence in found] == [sentence.forms for sentence in xa.sample(5, seed=1)]


def test_words_in_columns_are_refused() -> None:
    with pytest.raises(xa.CrossarcError, match="line 2 has columns"):
        list(word_treebanks(["Go\non\tADV\n"]))


def test_compressed_files(tmp_path: Path) -> None:
    for packed in (gzip.compress(CONLLU.encode()), lzma.compress(CONLLU.encode())):
        assert kind_of(tmp_path / "f", packed) == "conllu"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (bytes(range(256)) * 10, "binary file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0", "binary file"),
        (b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0", "binary file"),
        ("A text. ".encode("utf-16"), "UTF-16"),
        (("A text. " * 200).encode("utf-16-le"), "UTF-16LE"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind_of(tmp_path / "f", content)


def test_a_few_control_characters_are_text(tmp_path: Path) -> None:
    assert kind_of(tmp_path / "f", "She \x01met\x02 a \x1b[31mman\x07.\n") == "text"


@pytest.mark.parametrize("before", ["", "ein Text\n", "é" * 70_000, "é\n" * 70_000 + "ab"])
def test_where_a_text_is_not_utf8(tmp_path: Path, before: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(before.encode() + b"\xe9t\xe9")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with opened(path) as file, pytest.raises(InputError, match=f"f:{line}:{column}: the byte 0xe9 is not UTF-8"):
        list(text_blocks(file))


def test_a_text_that_ends_within_a_character(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("né".encode()[:-1])
    with opened(tmp_path / "f") as file, pytest.raises(InputError, match="f:1:2: the byte 0xc3"):
        list(text_blocks(file))


@given(st.lists(st.text("a\n\r b", max_size=5), max_size=8))
def test_lines_come_whole(blocks: list[str]) -> None:
    lines = list(text_lines(blocks))
    assert "".join(lines) == "".join(blocks)
    assert all(line.count("\n") == 1 and line.endswith("\n") for line in lines[:-1])


@given(st.text(max_size=200))
def test_texts_are_read_as_they_are(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("texts") / "f"
    path.write_bytes(text.encode())
    with opened(path) as file:
        assert "".join(text_blocks(file)) == text.removeprefix("\ufeff")
