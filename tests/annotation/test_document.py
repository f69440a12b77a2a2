"""Files that are corrected: saved whole, with the original beside, conflicts told, nothing written elsewhere."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.annotation import (
    ConflictError,
    Document,
    Edit,
    EditError,
    Workspace,
    doubts,
    edited,
    sentence_doubts,
    split_blocks,
    version,
)
from crossarc.files import held

from ..support.service import text_pipeline, two_planar


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "trees" / "file.conllu"
    path.parent.mkdir()
    path.write_bytes(xa.sample(5, seed=1).to_bytes())
    return path


def lemma(document: Document, index: int, value: str) -> tuple[str, bytes]:
    """The version of a sentence, and the sentence with another lemma."""
    block = document.blocks[index]
    return version(block), edited(block, Edit("lemma", 1, value))


def test_one_sentence_is_saved_and_the_original_is_kept(path: Path) -> None:
    before = path.read_bytes()
    document = Document.open(path)
    for value in ("first", "second"):
        known, text = lemma(document, 2, value)
        assert document.replace(2, [known], text) == 2
    blocks, old = split_blocks(path.read_bytes()), split_blocks(before)
    assert [blocks[index] == old[index] for index in range(5)] == [True, True, False, True, True]
    assert path.with_name("file.conllu.orig").read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == ["file.conllu", "file.conllu.orig"]


def test_compressed_files_stay_compressed(tmp_path: Path) -> None:
    path = tmp_path / "file.conllu.gz"
    path.write_bytes(gzip.compress(xa.sample(2, seed=1).to_bytes()))
    document = Document.open(path)
    known, text = lemma(document, 0, "first")
    document.replace(0, [known], text)
    assert gzip.decompress(path.read_bytes()) == b"".join(document.blocks)


def test_two_people_on_one_sentence(path: Path) -> None:
    mine, theirs = Document.open(path), Document.open(path)
    known, text = lemma(theirs, 1, "theirs")
    other, elsewhere = lemma(theirs, 3, "elsewhere")
    mine.replace(1, [known], lemma(mine, 1, "mine")[1])
    with pytest.raises(ConflictError, match=r"sentence 2 of file\.conllu was saved by somebody else"):
        theirs.replace(1, [known], text)
    theirs.replace(3, [other], elsewhere)
    content = path.read_text()
    assert "\tmine\t" in content and "\telsewhere\t" in content and "\ttheirs\t" not in content


def test_a_sentence_is_found_behind_one_that_was_cut(path: Path) -> None:
    document = Document.open(path)
    known, text = lemma(document, 3, "behind")
    first = document.blocks[0]
    document.replace(0, [version(first)], edited(first, Edit("cut", 2)))
    assert document.replace(3, [known], text) == 4
    joined = edited(b"".join(document.blocks[:2]), Edit("join"))
    document.replace(0, [version(block) for block in document.blocks[:2]], joined)
    assert len(document) == 5 and xa.treebank.check(path) == []


def test_unfinished_trees_and_other_formats_are_not_saved(path: Path) -> None:
    before = path.read_bytes()
    document = Document.open(path)
    block = document.blocks[0]
    root = document.treebank()[0].tree.heads.tolist().index(0) + 1
    with pytest.raises(EditError, match="not saved: no word is the root"):
        document.replace(0, [version(block)], edited(block, Edit("head", root, str(root % 2 + 1))))
    with pytest.raises(EditError, match="ends with an empty line"):
        document.replace(0, [version(block)], block.rstrip(b"\n"))
    assert path.read_bytes() == before
    tagged = path.with_name("tagged.conllu")
    tagged.write_bytes(b"1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    plain = Document.open(tagged)
    with pytest.raises(EditError, match="would be read as CoNLL-X"):
        plain.replace(0, [version(plain.blocks[0])], edited(plain.blocks[0], Edit("upos", 1, "Verb")))


def test_nothing_is_written_outside_or_if_told_not_to(path: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.conllu"
    outside.write_bytes(path.read_bytes())
    (path.parent / "link.conllu").symlink_to(outside)
    with pytest.raises(PermissionError, match="is a link out of its folder"):
        Workspace([path.parent])
    shown = Workspace([path.parent], read_only=True)
    assert sorted(shown.documents) == ["file.conllu", "link.conllu"]
    with pytest.raises(PermissionError, match="--read-only"):
        shown.save("file.conllu", 0, [""], b"")
    (path.parent / "link.conllu").unlink()
    writable = Workspace([path.parent])
    for name in ("../outside.conllu", str(outside), "/etc/passwd"):
        with pytest.raises(xa.FileError, match=r"is open: there are file\.conllu"):
            writable.save(name, 0, [""], b"")
    known, text = lemma(writable.document("file.conllu"), 0, "x")
    path.unlink()
    path.symlink_to(outside)
    with pytest.raises(PermissionError, match="is a link out of its folder"):
        writable.save("file.conllu", 0, [known], text)


def test_no_original_is_written_through_a_link(path: Path, tmp_path: Path) -> None:
    path.with_name("file.conllu.orig").symlink_to(tmp_path / "elsewhere")
    document = Document.open(path)
    known, text = lemma(document, 0, "x")
    document.replace(0, [known], text)
    assert not (tmp_path / "elsewhere").exists() and path.read_bytes() == b"".join(document.blocks)


def test_a_file_that_another_process_saves_is_not_written(path: Path) -> None:
    """The lock of `crossarc.files` keeps two services on one file from saving over each other."""
    document = Document.open(path)
    known, text = lemma(document, 0, "x")
    before = path.read_bytes()
    with held(path, "it is being saved"), pytest.raises(xa.FileError, match="is being saved in another process"):
        document.replace(0, [known], text)
    assert path.read_bytes() == before
    document.replace(0, [known], text)


def test_files_of_the_same_name_go_by_their_paths(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "file.conllu"
    other.write_bytes(path.read_bytes())
    assert set(Workspace([path, other]).documents) == {str(path), str(other)}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_killed_at_any_moment_nothing_that_was_saved_is_lost(path: Path) -> None:
    """A process that says what it saved is killed while it saves more: the file has all that it said, and is whole."""
    program = (
        "import sys; from crossarc.annotation import *\n"
        "document = Document.open(sys.argv[1])\n"
        "for number in range(10**6):\n"
        "    block = document.blocks[number % 5]\n"
        "    document.replace(number % 5, [version(block)], edited(block, Edit('lemma', 1, f'saved{number}')))\n"
        "    print(number, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(40):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    lines = process.stdout.read().split("\n")[:-1]
    last = int(lines[-1]) if lines else 39
    process.wait()
    assert xa.treebank.check(path) == []
    found = [int(sentence[0].lemma.removeprefix("saved")) for sentence in xa.read(path)]
    assert max(found) >= last and sorted(found) == list(range(max(found) - 4, max(found) + 1))


def test_doubt_is_what_a_parser_does_not_believe() -> None:
    parser = text_pipeline()
    parsed = parser.parse(parser.segmented_texts(["I don't know, Ann."], in_lines=[False])[0])
    doubt = doubts(parser, parsed)
    assert doubt.shape == (parsed.words,) and ((doubt >= 0) & (doubt <= 1)).all()
    heads = parsed.head.copy()
    word = int(np.flatnonzero(heads != 1)[-1])
    heads[word] = 1
    other = doubts(parser, parsed.replace(head=heads))
    assert other[word] > doubt[word] and other[word] >= 0.5
    assert np.delete(other, word) == pytest.approx(np.delete(doubt, word))
    assert sentence_doubts(doubt, parsed).sum() == pytest.approx(doubt.sum())
    with pytest.raises(xa.ParserError, match="has no probabilities"):
        doubts(two_planar(), xa.sample(1))
