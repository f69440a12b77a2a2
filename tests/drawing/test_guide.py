"""What the guide shows is what comes out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from crossarc.drawing import Picture, terminal

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "drawing.md"


def test_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GUIDE.read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(re.findall("```python\n(.*?)```", text, re.DOTALL)[0], names)
    drawn: Picture = names["picture"]
    horizontal, vertical = re.findall("```\n([ ┏╭].*?)```", text, re.DOTALL)
    assert terminal(drawn, 80) == horizontal
    assert terminal(drawn, 50) == vertical
    assert (tmp_path / "letter.svg").read_bytes() == (GUIDE.parent / "drawing" / "letter.svg").read_bytes()
