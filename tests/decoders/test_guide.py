"""What the guide to decoding shows is what comes out, and so is what the theory says of the published program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_the_worked_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DOCS / "guide" / "decoding.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    exec(re.findall("```python\n(.*?)```", text, re.DOTALL)[0], {})
    assert capsys.readouterr().out == re.findall("```\n(spanning_tree .*?)```", text, re.DOTALL)[0]
    drawn = sorted((DOCS / "guide" / "decoding").iterdir())
    assert len(drawn) == 3
    for picture in drawn:
        assert (tmp_path / picture.name).read_bytes() == picture.read_bytes()
