"""Files, compressed and not, and what happens when something goes wrong with them."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import crossarc as xa

TEXT = "1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def treebank() -> xa.Treebank:
    return xa.from_text(TEXT)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_compression_by_name(tmp_path: Path, treebank: xa.Treebank, suffix: str) -> None:
    path = tmp_path / f"a.conllu{suffix}"
    xa.write(treebank, path)
    raw = path.read_bytes()
    opened = {"": lambda data: data, ".gz": gzip.decompress, ".xz": lzma.decompress}[suffix]
    assert opened(raw) == TEXT.encode()
    assert xa.read(path).to_text() == TEXT
    xa.write(treebank, path)
    assert path.read_bytes() == raw  # the same bytes whenever it is written


def test_open_files_lists_and_directories(tmp_path: Path, treebank: xa.Treebank) -> None:
    for name in ("b.conllu", "a.conllu.gz", "notes.txt"):
        xa.write(treebank, tmp_path / name)
    assert xa.read(io.StringIO(TEXT)).to_text() == TEXT
    assert xa.read(io.BytesIO(TEXT.encode())).to_text() == TEXT
    assert [Path(source).name for source in xa.read(tmp_path).sources] == ["a.conllu.gz", "b.conllu"]
    assert len(xa.read([tmp_path / "b.conllu", tmp_path, io.StringIO(TEXT)])) == 4
    out = io.StringIO()
    xa.write(treebank, out)
    assert out.getvalue() == TEXT


def test_standard_streams(monkeypatch: pytest.MonkeyPatch, treebank: xa.Treebank) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    read = xa.read("-")
    assert read.to_text() == TEXT
    assert read.sources == ("<stdin>",)
    stdout = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", stdout)
    xa.write(treebank, "-")
    assert stdout.buffer.getvalue() == TEXT.encode()


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(xa.FileError, match=r"none\.conllu: cannot be read: No such file"):
        xa.read(tmp_path / "none.conllu")
    with pytest.raises(xa.FileError, match="no treebank files in this directory"):
        xa.read(tmp_path)
    damaged = tmp_path / "a.conllu.gz"
    damaged.write_bytes(gzip.compress(TEXT.encode())[:-9])
    with pytest.raises(xa.FileError, match=r"a\.conllu\.gz: the compressed file is damaged or cut short"):
        xa.read(damaged)
    with pytest.raises(xa.FileError, match="damaged"):
        list(xa.stream(damaged))
    with pytest.raises(xa.CrossarcError, match="no files to read"):
        xa.read([])
    with pytest.raises(xa.CrossarcError, match="cannot read a int"):
        xa.read([3])  # type: ignore[list-item]
    with pytest.raises(xa.CrossarcError, match='unknown format "conll": use one of conllu, conllx'):
        xa.read(io.StringIO(TEXT), format="conll")
    with pytest.raises(xa.CrossarcError, match='unknown root policy "one": use one of single, any'):
        xa.read(io.StringIO(TEXT), root="one")


def test_all_problems_of_all_files(tmp_path: Path, treebank: xa.Treebank) -> None:
    xa.write(treebank, tmp_path / "a.conllu")
    for name in ("b.conllu", "c.conllu"):
        (tmp_path / name).write_text(TEXT.replace("\t0\t", "\t7\t"))
    with pytest.raises(xa.TreebankError) as caught:
        xa.read(tmp_path)
    assert [Path(problem.file).name for problem in caught.value.problems] == ["b.conllu", "c.conllu"]
    assert xa.check(tmp_path) == list(caught.value.problems)
    assert xa.check(tmp_path / "a.conllu") == []


def test_a_failed_write_leaves_nothing_and_harms_nothing(tmp_path: Path, treebank: xa.Treebank) -> None:
    path = tmp_path / "a.conllu"
    xa.write(treebank, path)

    def broken() -> Iterator[xa.Treebank]:
        yield treebank
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        xa.write(broken(), path)
    assert path.read_text() == TEXT
    with pytest.raises(KeyboardInterrupt):
        xa.write(broken(), tmp_path / "new.conllu.gz")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.conllu"]
    with pytest.raises(xa.FileError, match="cannot be written: there is no folder"):
        xa.write(treebank, tmp_path / "nowhere" / "a.conllu")


def test_permissions_and_links(tmp_path: Path, treebank: xa.Treebank) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("old")
    path.chmod(0o640)
    link = tmp_path / "link.conllu"
    link.symlink_to(path)
    xa.write(treebank, link)
    assert link.is_symlink()
    assert path.read_text() == TEXT
    assert path.stat().st_mode & 0o777 == 0o640
    xa.write(treebank, tmp_path / "new.conllu")
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "new.conllu").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_device_is_written_to_and_stays(treebank: xa.Treebank) -> None:
    xa.write(treebank, "/dev/null")
    assert Path("/dev/null").is_char_device()


def test_a_full_disk_is_one_line(treebank: xa.Treebank) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(xa.FileError, match="/dev/full: cannot be written: No space left on device"):
        xa.write(treebank, "/dev/full")


@pytest.mark.parametrize("sentences", [1, 2, 3, 5, 100])
def test_streams_come_in_the_asked_size(sentences: int) -> None:
    pieces = list(xa.stream(io.StringIO(TEXT * 11), sentences=sentences))
    assert [len(piece) for piece in pieces] == [
        *[sentences] * (11 // sentences),
        *([11 % sentences] if 11 % sentences else []),
    ]
    assert "".join(piece.to_text() for piece in pieces) == TEXT * 11


def test_a_stream_of_nothing() -> None:
    with pytest.raises(xa.CrossarcError, match="ask for 1 or more"):
        next(xa.stream(io.StringIO(TEXT), sentences=0))


@pytest.mark.slow
def test_streaming_takes_constant_memory(tmp_path: Path) -> None:
    """Four times the file, the same peak: strings of earlier blocks are let go."""
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell a process its peak memory")
    # Memory that is freed goes back at once: what the allocator keeps for later varies from run to run.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    peaks = []
    for copies in (25, 100):
        path = tmp_path / f"{copies}.conllu"
        with path.open("w") as file:
            for copy in range(copies):
                file.writelines(f"1\tw{copy}x{n}\tl{copy}x{n}\tX\t_\t_\t0\troot\t_\t_\n\n" for n in range(10_000))
        code = (
            "import sys, crossarc as xa; from pathlib import Path\n"
            "for piece in xa.stream(sys.argv[1], sentences=700): pass\n"
            "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
        )
        command = [sys.executable, "-c", code, str(path)]
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        peaks.append(int(run.stdout))
    assert peaks[1] < 1.1 * peaks[0]


class Trickle(io.BytesIO):
    """A pipe that gives a few bytes at a time."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(7)


def test_a_pipe_that_gives_little_at_a_time() -> None:
    """The format is recognised by enough text, and nothing is lost between the pieces."""
    text = (
        "1\ta\ta\tX\tX\t_\t0\tROOT\t_\t_\n\n1\tb\tb\tN\tNC\t_\t0\tROOT\t0\tROOT\n2\tc\tc\tN\tNC\t_\t0\tROOT\t_\t_\n\n"
    )
    for mark in ("", "\ufeff"):
        treebank = xa.read(Trickle((mark + text).encode()))
        assert treebank.format == "conllx"
        assert treebank.to_text() == mark + text
    assert (
        "".join(piece.to_text() for piece in xa.stream(Trickle((text * 9).encode()), sentences=3, format="conllx"))
        == text * 9
    )
