"""Encodings one after the other, and as plain data in model files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc import FileError
from crossarc.encodings import Encoding, EncodingError, PseudoProjective, Undirected, from_dict
from crossarc.encodings.storage import read_map, write_map

COMPOSED = [
    Undirected(reconstruction).after(PseudoProjective(scheme))
    for reconstruction in ("label", "label-strict", "naive")
    for scheme in ("head", "path", "head+path")
]


@pytest.mark.parametrize("encoding", COMPOSED, ids=lambda encoding: f"{encoding.second}{encoding.first}")
def test_directions_are_dropped_after_lifting(encoding: Encoding) -> None:
    gold = xa.sample(300, seed=5)
    fitted = encoding.fit(gold)
    encoded = fitted.encode(gold)
    assert not xa.classify(encoded).nonprojective.any()
    assert {*encoded.texts("deprel")} <= {*fitted.encoded_labels}
    alone = fitted.first.restore(fitted.first.encode(gold))  # type: ignore[attr-defined]
    assert fitted.restore(encoded).to_bytes() == alone.to_bytes()

    number = {label: place for place, label in enumerate(fitted.labels)}
    labels = [number[label] for label in gold.texts("deprel")]
    links = fitted.encode_arcs(gold.head, labels, gold.word_offsets)
    heads, plain, _ = fitted.restore_arcs(links, root_label=0)
    assert np.array_equal(heads, alone.head)
    assert plain.tolist() == labels


@pytest.mark.parametrize(
    ("second", "first", "reason"),
    [
        (PseudoProjective("head"), Undirected("label"), "arcs can only be lifted where they have a direction"),
        (Undirected("label"), Undirected("naive"), "no directions to drop"),
        (PseudoProjective("head"), PseudoProjective("path"), "a second one lifts nothing"),
        (Undirected("label"), COMPOSED[0], "a third one cannot be added"),
    ],
)
def test_compositions_that_are_refused(second: Encoding, first: Encoding, reason: str) -> None:
    with pytest.raises(EncodingError, match=reason):
        second.after(first)


@pytest.mark.parametrize(
    "encoding",
    [
        PseudoProjective("head+path", "deepest", "left", "first", "ascii"),
        Undirected("label-strict"),
        COMPOSED[0],
    ],
    ids=lambda encoding: encoding.type,
)
def test_encodings_go_through_json(encoding: Encoding, tmp_path: Path) -> None:
    for form in (encoding, encoding.fit(xa.sample(50, seed=2))):
        assert from_dict(json.loads(json.dumps(form.to_dict()))) == form
        write_map(tmp_path / "map.json", form, {"a": 1})
        assert read_map(tmp_path / "map.json") == form


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "no such encoding: NoneType; there are pseudo-projective, undirected, composition"),
        ({"type": "magic"}, "no such encoding: magic"),
        ({"type": ["list"]}, "no such encoding"),
        ({"type": "undirected", "labels": [1]}, "a list of texts"),
        ({"type": "undirected", "labels": ["a", "a"]}, "a label occurs twice"),
        ({"type": "undirected", "reconstruction": 3}, "reconstruction is one of .*, not 3"),
        (
            {"type": "undirected", "later": 3},
            "no option 'later' of the undirected encoding: its options are reconstruction, root_label, labels",
        ),
        ({"type": "undirected", "root_label": 3}, "root_label is a label"),
        ({"type": "pseudo-projective", "scheme": "magic"}, "scheme is one of"),
        ({"type": "pseudo-projective", "scheme": ["head"]}, "scheme is one of"),
        ({"type": "pseudo-projective", "labels": ["a"], "encoded_labels": ["b"]}, "'a' is not among"),
        ({"type": "pseudo-projective", "labels": ["a"], "encoded_labels": ["a", "c↑a"]}, "'c↑a'"),
        ({"type": "composition", "first": {"type": "undirected"}}, "no such encoding: NoneType"),
    ],
)
def test_descriptions_that_are_none(data: object, message: str) -> None:
    with pytest.raises(EncodingError, match=message):
        from_dict(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a map file, which is JSON"),
        ("[" * 100_000, "not a map file, which is JSON"),
        ("[]", "give one that crossarc encode --map wrote"),
        ('{"format": "crossarc encoding", "version": 2}', "a map of version 2; this crossarc reads version 1"),
        ('{"format": "crossarc encoding", "version": 1}', "no such encoding"),
    ],
)
def test_files_that_are_no_maps(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text(text)
    with pytest.raises(FileError, match=f"map.json: .*{message}"):
        read_map(tmp_path / "map.json")
