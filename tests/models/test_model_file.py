"""Model files: what was written comes back, and what is not whole or not ours is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import crossarc as xa
from crossarc.models import ModelFile, ModelFileError, read_model_file, write_model_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "m.crossarc"
    write_model_file(written, ModelFile({"a": [1, "ä"]}, {"x": np.arange(5, dtype=np.int16), "y": np.zeros(0)}))
    return written


def test_what_was_written_comes_back(path: Path) -> None:
    file = read_model_file(path)
    assert file.description == {"a": [1, "ä"]}
    assert file.arrays["x"].tolist() == [0, 1, 2, 3, 4]
    assert file.arrays["y"].size == 0


def test_the_same_model_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    write_model_file(tmp_path / "again", read_model_file(path))
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_every_flipped_byte_is_noticed_or_harmless(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    good = read_model_file(path)
    damaged = tmp_path / "damaged"
    for place in range(len(whole)):
        for mask in (0x01, 0x20, 0xFF):
            damaged.write_bytes(whole[:place] + bytes([whole[place] ^ mask]) + whole[place + 1 :])
            try:
                read = read_model_file(damaged)
            except ModelFileError as error:
                assert len(str(error).splitlines()) == 1
                continue
            assert read.description == good.description
            assert all((read.arrays[name] == array).all() for name, array in good.arrays.items())


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("make", [partial(hashlib.blake2b, digest_size=16), hashlib.sha256])
def test_checksums_of_older_versions_are_still_checked(tmp_path: Path, make: Callable[..., Any], changed: bool) -> None:
    array = np.arange(5, dtype=np.int16)
    digest = make(b'{"a": 1}' + b"\0x <i2 (5,)\0" + array.tobytes()).hexdigest()
    known = {"format": "crossarc model", "version": 3, "checksum": digest, "description": '{"a": 1}'}
    save_file({"x": array + changed}, tmp_path / "older", {"crossarc": json.dumps(known)})
    if not changed:
        assert read_model_file(tmp_path / "older").arrays["x"].tolist() == [0, 1, 2, 3, 4]
        return
    with pytest.raises(ModelFileError, match="checksum"):
        read_model_file(tmp_path / "older")


def test_every_truncation_is_noticed(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(whole)):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(ModelFileError):
            read_model_file(tmp_path / "cut")


def test_other_files_and_versions_are_refused(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(ModelFileError, match="this is a treebank, not a model"):
        read_model_file(other)
    other.write_bytes(path.read_bytes().replace(rb"\"version\": 3", rb"\"version\": 4"))
    with pytest.raises(ModelFileError, match="a model of version 4; this crossarc reads version 3"):
        read_model_file(other)
    save_file({}, other, {"crossarc": '{"format": "crossarc model", "version": "3"}'})
    with pytest.raises(ModelFileError, match='the version of the model is "3" where a number should be'):
        read_model_file(other)
    other.write_bytes(path.read_bytes().replace(b"crossarc model", b"crossarc cheese"[:14]))
    with pytest.raises(ModelFileError, match="not a crossarc model"):
        read_model_file(other)
    with pytest.raises(xa.FileError, match="cannot be read: No such file"):
        read_model_file(tmp_path / "none")
    with pytest.raises(xa.FileError, match="cannot be read: Is a directory"):
        read_model_file(tmp_path)


def test_a_name_that_compresses_is_refused(tmp_path: Path) -> None:
    for name in ("m.gz", "m.xz"):
        with pytest.raises(ModelFileError, match="does not ask to compress"):
            write_model_file(tmp_path / name, ModelFile({}, {}))


def test_a_full_disk_is_one_clear_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(xa.FileError, match="/dev/full: cannot be written: No space left"):
        write_model_file("/dev/full", ModelFile({}, {"x": np.zeros(100_000)}))
