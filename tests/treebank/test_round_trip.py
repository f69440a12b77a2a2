"""What is read is written back byte for byte."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc import _kernel
from crossarc.treebank import detect_format, from_bytes
from crossarc.treebank.writing import printed

from ..support.generated_files import generated_file

pytestmark = pytest.mark.kernel

# One sentence of this file has five roots; the default warns of it, as it should.
SEVERAL_ROOTS = "Icelandic-IcePaHC.conllu.gz"


@pytest.mark.exhaustive
def test_every_real_treebank(treebanks: Path) -> None:
    paths = sorted(treebanks.glob("*/*.gz"))
    assert len(paths) >= 90
    for path in paths:
        original = gzip.decompress(path.read_bytes())
        treebank = xa.read(path, root="any" if path.name == SEVERAL_ROOTS else None)
        assert treebank.to_bytes() == original, path
        assert treebank.format == ("conllx" if ".conll." in path.name else "conllu"), path


def test_streaming_real_treebanks(treebanks: Path) -> None:
    for path in sorted(treebanks.glob("??_*/dev*.gz")):
        pieces = list(xa.stream(path, sentences=37))
        assert all(len(piece) == 37 for piece in pieces[:-1])
        assert b"".join(printed(pieces)) == gzip.decompress(path.read_bytes()), path


def test_line_ends_byte_order_mark_and_missing_newline_on_a_real_treebank(treebanks: Path) -> None:
    original = gzip.decompress((treebanks / "en_ewt" / "dev.conllu.gz").read_bytes())
    for variant in (
        original.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + original,
        original.rstrip(b"\n"),
        original.rstrip(b"\n") + b"\n",
        b"\n\n" + original + b"\n\n",
        original.replace(b"\n\n", b"\n\n\n"),
        original.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
    ):
        assert from_bytes(variant).to_bytes() == variant
        assert b"".join(printed(xa.stream(io.BytesIO(variant), sentences=100))) == variant


def check_round_trip(format: str, text: bytes) -> None:
    treebank = from_bytes(text, format=format)
    assert treebank.to_bytes() == text
    assert b"".join(printed(xa.stream(io.BytesIO(text), sentences=2, format=format))) == text
    assert from_bytes(text, format=format, threads=1).to_bytes() == text


@pytest.mark.exhaustive
def test_generated_files() -> None:
    for seed in range(1000 if _kernel.sanitized else 5000):
        check_round_trip(*generated_file(Random(seed)))


# Making files up takes most of the time, hence few.
@pytest.mark.slow
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_generated_files_that_hypothesis_makes_smaller(chance: Random) -> None:
    check_round_trip(*generated_file(chance))


def test_threads_do_not_change_anything(treebanks: Path) -> None:
    text = gzip.decompress((treebanks / "en_ewt" / "train.conllu.gz").read_bytes())
    one, three = (from_bytes(text, threads=threads) for threads in (1, 3))
    for column in ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"):
        assert (one.column(column) == three.column(column)).all()
    assert (one.word_offsets == three.word_offsets).all()
    assert one.origin(len(one) - 1) == three.origin(len(three) - 1)
    assert three.to_bytes() == text


@pytest.mark.parametrize("text", [b"", b"\n", b"\n\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"])
def test_files_without_sentences(text: bytes) -> None:
    treebank = from_bytes(text)
    assert len(treebank) == 0
    assert treebank.to_bytes() == text
    assert b"".join(printed(xa.stream(io.BytesIO(text)))) == text


def test_format_of_an_empty_file() -> None:
    assert detect_format(b"") == "conllu"
