"""Texts to pretrain on: what is read, what is left out, and what is refused."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.errors import FileError, MissingFileError
from crossarc.training.texts import read_texts


def spelt(path: Path) -> list[str]:
    """The words that were read, one behind the other, with a bar behind each document."""
    found = read_texts([path])
    return [found.words[number] if number >= 0 else "|" for number in found.in_order().tolist()]


def test_an_empty_line_ends_a_document_and_those_that_occur_again_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two\nthree\n\n\n  one  two \r\n three\n\nfour", encoding="utf-8")
    assert spelt(tmp_path / "a.txt") == ["one", "two", "three", "|", "four", "|"]
    found = read_texts([tmp_path / "a.txt"])
    assert (found.count, found.documents, found.duplicates) == (4, 2, 1)


def test_folders_and_compressed_files_are_read(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "b.txt").write_text("\ufeffbeta", encoding="utf-8")
    (below / "a.txt.gz").write_bytes(gzip.compress("ἄλφα ἄλφα".encode()))
    (below / "c.txt.xz").write_bytes(lzma.compress(b"gamma"))
    (below / "picture.png").write_bytes(b"\0\1\2")
    assert spelt(tmp_path) == ["beta", "|", "ἄλφα", "ἄλφα", "|", "gamma", "|"]
    assert list(read_texts([tmp_path]).files.values()) == [1, 2, 1]


def test_a_text_of_many_blocks_is_read_whole(tmp_path: Path) -> None:
    """Characters and lines go across the borders of what is read at once."""
    words = ["ἀρχή"[: 1 + number % 4] for number in range(200_000)]
    (tmp_path / "long.txt").write_text(" ".join(words), encoding="utf-8")
    assert spelt(tmp_path / "long.txt") == [*words, "|"]


def test_a_treebank_is_the_text_of_its_sentences(tmp_path: Path) -> None:
    treebank = xa.sample(20, seed=3)
    xa.write(treebank, tmp_path / "sample.conllu")
    assert spelt(tmp_path / "sample.conllu") == [*" ".join(sentence.text for sentence in treebank).split(), "|"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no words in this file"),
        (b"  \n\n", "no words in this file"),
        (b"caf\xe9 noir", "not UTF-8 near byte 3"),
        ("ἄ".encode()[:-1], "middle of a character"),
        (b"\x89PNG\0\0", "this is no text"),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(FileError, match=message):
        read_texts([tmp_path / "a.txt"])


def test_folders_without_texts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no texts in this folder: expected names in \.txt"):
        read_texts([tmp_path])
    with pytest.raises(MissingFileError, match="no such file or folder"):
        read_texts([tmp_path / "missing"])
    with pytest.raises(FileError, match="no texts were given"):
        read_texts([])
