"""Warnings that tests bring about on the way to something else; all others that no test expects are errors."""

from __future__ import annotations

import pytest

#: Words without tags are given to a parser that was trained with them.
bare_words = pytest.mark.filterwarnings("ignore:.*empty in the sentences, and the model was trained with it")
#: A planar system is trained with an artificial root, with which it builds projective trees only.
with_a_planar_root = pytest.mark.filterwarnings("ignore:.* with an artificial root builds projective trees only")
