"""Files, compressed and not, and what happens when something goes wrong with them."""

from __future__ import annotations

import fcntl
import gzip
import io
import lzma
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import crossarc as xa

from ..support.memory import PEAK

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


def test_a_file_is_on_the_disk_before_it_takes_its_name(
    tmp_path: Path, treebank: xa.Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a loss of power there is the old file or the new one, whole."""
    target = tmp_path / "a.conllu"
    target.write_text("old")
    waited: list[tuple[int, str]] = []
    monkeypatch.setattr(os, "fsync", lambda handle: waited.append((os.fstat(handle).st_size, target.read_text())))
    xa.write(treebank, target)
    assert waited == [(len(treebank.to_bytes()), "old")]
    assert target.read_bytes() == treebank.to_bytes()


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


#: A process that opens an output, says so, and waits.
WRITING = """
import sys
from crossarc.files import open_output
with open_output(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("open", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(
    tmp_path: Path, treebank: xa.Treebank
) -> None:
    path = tmp_path / "a.conllu"

    def started() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WRITING, str(path)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        return process

    killed = started()
    killed.kill()
    killed.communicate()
    [left] = tmp_path.iterdir()
    other = tmp_path / left.name.replace("a.conllu", "b.conllu")
    other.write_text("of another file")
    living = started()
    assert not left.exists()
    written = set(tmp_path.iterdir()) - {other}
    xa.write(treebank, path)
    assert set(tmp_path.iterdir()) == {path, other, *written}
    # A file that is locked belongs to a process that lives, in another container perhaps.
    with left.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        xa.write(treebank, path)
        assert left.exists()
    xa.write(treebank, path)
    assert not left.exists()
    living.communicate("")
    assert path.read_text() == "half"
    assert set(tmp_path.iterdir()) == {path, other}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say what became of a process")
def test_what_a_killed_process_left_is_removed_before_its_parent_asks_how_it_ended(
    tmp_path: Path, treebank: xa.Treebank
) -> None:
    path = tmp_path / "a.conllu"
    killed = subprocess.Popen([sys.executable, "-c", WRITING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert killed.stdout is not None and killed.stdout.readline() == b"open\n"
    killed.kill()
    os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked
    xa.write(treebank, path)
    assert list(tmp_path.iterdir()) == [path]
    killed.communicate()


def test_compression_is_recognised_by_content(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_text(TEXT)
    assert xa.read(path).to_text() == TEXT
    path.write_bytes(lzma.compress(TEXT.encode()))
    assert xa.read(path).to_text() == TEXT
    path.write_bytes(lzma.compress(TEXT.encode()) + bytes(4) + lzma.compress(TEXT.encode()))
    assert xa.read(path).to_text() == 2 * TEXT
    plain = tmp_path / "a.conllu"
    plain.write_bytes(gzip.compress(TEXT.encode()))
    assert xa.read(plain).to_text() == TEXT


def test_a_link_is_compressed_by_its_own_name(tmp_path: Path, treebank: xa.Treebank) -> None:
    link = tmp_path / "a.conllu.gz"
    link.symlink_to("plain.conllu")
    xa.write(treebank, link)
    assert gzip.decompress((tmp_path / "plain.conllu").read_bytes()) == TEXT.encode()
    assert xa.read(link).to_text() == TEXT


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_compressed_files_that_are_not_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.conllu{suffix}"
    whole = gzip.compress(TEXT.encode()) if suffix == ".gz" else lzma.compress(TEXT.encode())
    for content in (b"", whole[:8], whole[:-5], whole + b"garbage", whole + b"\xfd7zXZ", b"\0\1\2"):
        path.write_bytes(content)
        with pytest.raises(xa.FileError, match=f"a.conllu{suffix}: the compressed file is damaged or cut short"):
            xa.read(path)
        with pytest.raises(xa.FileError, match="damaged"):
            list(xa.stream(path))


def test_a_write_protected_file_stays(tmp_path: Path, treebank: xa.Treebank) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(xa.FileError, match=r"a\.conllu: cannot be written: the file is write-protected"):
        xa.write(treebank, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_names_that_no_file_has(treebank: xa.Treebank) -> None:
    for name, message in (("", "the name of a file is empty"), ("a\0b", "no file can have this name")):
        with pytest.raises(xa.FileError, match=message):
            xa.write(treebank, name)
        with pytest.raises(xa.FileError, match=message):
            xa.read(name)


@pytest.mark.slow
@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_what_a_small_file_hides_does_not_fill_memory(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    """A gigabyte of empty lines: reading stops after the 64 MB that a sentence may have."""
    (tmp_path / "bomb").write_bytes(64 * compress(bytes([10]) * (1 << 24)))
    code = PEAK + (
        "import sys, crossarc as xa\n"
        "for read in (xa.read, lambda path: list(xa.stream(path))):\n"
        "    try: read(sys.argv[1])\n"
        "    except xa.TreebankError as error: assert error.problems[0].name == 'sentence_too_long'\n"
        "print(peak())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "bomb")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(run.stdout) < 400_000  # kilobytes
