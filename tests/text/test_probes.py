"""Two hundred texts that the embedded segmenter of English has to cut as people would."""

from __future__ import annotations

from pathlib import Path

import crossarc as xa
from crossarc.text import load_pipeline

PROBES = Path(__file__).parent / "probes"
#: The share that may be wrong.
MOST_WRONG = 0.05


def test_english() -> None:
    lines = (PROBES / "en.tsv").read_text(encoding="utf-8").splitlines()
    probes = [line.split("\t") for line in lines if not line.startswith("#")]
    assert len(probes) == 200
    segmenter = load_pipeline("en").segmenter
    wrong = []
    for sentences, tokens, text in probes:
        found: xa.Treebank = segmenter.treebank(text)
        forms = [form for sentence in found for form in sentence.forms]
        if len(found) != int(sentences) or not set(tokens.split()) <= set(forms):
            wrong.append(" | ".join(" ".join(sentence.forms) for sentence in found))
    assert len(wrong) <= MOST_WRONG * len(probes), wrong
