"""Words of other treebanks, to learn lemmas from: what pretrained/agdt_words.py takes, and what it leaves out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import crossarc as xa

SCRIPT = Path(__file__).resolve().parents[2] / "pretrained" / "agdt_words.py"
HELD_OUT = ["ὁ", "θεὸς", "τοῖς", "ἀνθρώποις", "λέγει", "μῦθον", "."]
#: The same without accents and with other punctuation; a part of it that is long enough; another sentence.
SENTENCES = [
    ["ο", "θεος", "τοις", "ανθρωποις", "λεγει", "μυθον", ";"],
    ["τοῖς", "ἀνθρώποις", "λέγει", "μῦθον"],
    ["τῷ", "θεῷ", "λέγουσιν", "οἱ", "ἄνθρωποι", "τὸν", "μῦθον"],
]


def document(sentences: list[list[str]]) -> str:
    words = (
        "".join(f'<word form="{form}" lemma="λ" postag="n--------" relation="ATR"/>' for form in own)
        for own in sentences
    )
    added = '<word form="[0]" artificial="elliptic"/>'
    return f"<treebank>{''.join(f'<sentence>{own}{added}</sentence>' for own in words)}</treebank>"


def test_held_out_sentences_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "own.xml").write_text(document(SENTENCES), encoding="utf-8")
    (tmp_path / "broken.xml").write_text("<treebank>", encoding="utf-8")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "words"]):
        subprocess.run([*git, *command], check=True)
    xa.write(xa.Treebank.from_words([HELD_OUT]), tmp_path / "dev.conllu")
    found = tmp_path / "words" / "train.conllu"
    run = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), "--held-out", str(tmp_path / "dev.conllu"), "-o", str(found)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(xa.__file__).parents[1]), "PYTHONIOENCODING": "utf-8"},
        check=True,
    )
    assert "broken.xml is not well-formed" in run.stdout
    assert run.stdout.endswith("train.conllu: 1 sentences, 7 words; 2 sentences are held out\n")
    words = xa.read(found)
    assert [sentence.forms for sentence in words] == SENTENCES[2:]
    assert set(words.lemma) == {"λ"} and set(words.xpos) == {"n--------"}
