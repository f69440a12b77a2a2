"""Systems from a user's own file: found, or refused with the file, the line and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossarc.transitions import TransitionError, load_system, systems

MINE = """\
from crossarc.transitions import LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, TransitionSystem, systems

my_system = TransitionSystem("mine", shift=SHIFT, left_arc=LEFT_ARC >> REDUCE, right_arc=RIGHT_ARC >> SHIFT)
"""
NEXT_LINE = len(MINE.splitlines()) + 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def test_by_name_and_as_they_are() -> None:
    assert load_system("2-planar") == systems.get("2-planar")
    assert load_system(systems.swap) is systems.swap


def test_from_a_file(folder: Path) -> None:
    assert load_system("mine.py:my_system").name == "mine"
    assert load_system(f"{folder}/mine.py") == load_system("mine.py:my_system")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.py:x", None, "none.py: there is no such file with a transition system"),
        ("mine.py:my_sistem", MINE, "mine.py: there is no my_sistem; did you mean mine.py:my_system?"),
        ("mine.py:xyz", MINE, "mine.py: there is no xyz; its transition systems: mine.py:my_system"),
        ("mine.py:SHIFT", MINE, "mine.py: SHIFT is SHIFT, not a TransitionSystem"),
        ("mine.py", MINE + "other = my_system", "say which transition system: mine.py:my_system, mine.py:other"),
        ("mine.py", "x = 1", "say which transition system: it defines none"),
        ("mine.py:x", "x = (\n", "mine.py:1: '(' was never closed"),
        ("mine.py:x", "x = 1\ny = 1 / 0", "mine.py:2: ZeroDivisionError: division by zero"),
        ("mine.py:x", MINE + "systems.get('planer')", f"mine.py:{NEXT_LINE}: there is no transition system 'planer'"),
        ("mine.py:x", "import sys\nsys.exit(3)", "mine.py:2: SystemExit: 3"),
        ("mine.py:x", "\0", "mine.py:1: source code string cannot contain null bytes"),
    ],
)
def test_what_is_wrong_and_where(folder: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (folder / "mine.py").write_text(text)
    with pytest.raises(TransitionError) as caught:
        load_system(name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text(folder: Path) -> None:
    (folder / "mine.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TransitionError, match=r"mine\.py:1: "):
        load_system("mine.py:x")
