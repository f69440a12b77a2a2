"""Marks in labels: readable, and the inverse of writing for any labels whatever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.encodings.pseudo_projective import COVERED_ROOT, LIFTED, ON_PATH, SIGNS, MarkedLabel

labels = st.text(st.sampled_from("ab↑↓↥^!@\\:_é"), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        (MarkedLabel("AuxP"), "AuxP"),
        (MarkedLabel("AuxP", "Sb", LIFTED), "AuxP↑Sb"),
        (MarkedLabel("Sb", "", ON_PATH), "Sb↓"),
        (MarkedLabel("AuxP", "Sb", LIFTED | ON_PATH), "AuxP↑Sb↓"),
        (MarkedLabel("AuxP", "", LIFTED), "AuxP↑"),
        (MarkedLabel("AuxK", "", COVERED_ROOT), "AuxK↥"),
        (MarkedLabel("a↑b\\", "↓", LIFTED), "a\\↑b\\\\↑\\↓"),
    ],
)
def test_labels_are_written_as_in_table_1(marked: MarkedLabel, text: str) -> None:
    assert SIGNS["arrows"].write(marked) == text
    assert SIGNS["arrows"].read(text) == marked


@given(labels, labels, st.integers(0, 7), st.sampled_from(sorted(SIGNS)))
def test_reading_is_the_inverse_of_writing(label: str, head_label: str, marks: int, signs: str) -> None:
    marked = MarkedLabel(label, head_label if marks & LIFTED else "", marks)
    text = SIGNS[signs].write(marked)
    assert SIGNS[signs].read(text) == marked
    assert not any(character.isspace() for character in text)


@given(st.text(st.sampled_from("ab↑↓↥\\"), max_size=9))
def test_any_text_can_be_read(text: str) -> None:
    marked = SIGNS["arrows"].read(text)
    assert SIGNS["arrows"].read(SIGNS["arrows"].write(marked)) == marked


def test_ascii_signs_are_ascii() -> None:
    assert SIGNS["ascii"].write(MarkedLabel("nsubj", "ccomp", LIFTED | ON_PATH)) == "nsubj^ccomp!"


@pytest.mark.parametrize("scheme", ["baseline", "head", "path", "head+path"])
def test_lifted_labels_are_those_whose_arcs_move(scheme: str) -> None:
    sample = xa.sample(200, seed=1)
    lifting = xa.PseudoProjective(scheme).fit(sample)
    lifted = dict(zip(lifting.encoded_labels, lifting.lifted_labels.tolist(), strict=True))
    assert lifted == {label: "↑" in label for label in lifted}
    assert any(lifted.values()) == (scheme != "baseline")
    undirected = xa.Undirected("label").fit(sample)
    assert not undirected.lifted_labels.any() and len(undirected.lifted_labels) == len(undirected.encoded_labels)
    both = xa.Undirected("label").after(xa.PseudoProjective(scheme)).fit(sample)
    assert both.lifted_labels.tolist() == ["↑" in label for label in both.encoded_labels]
