"""Sentences as sequences of pieces for torch: long ones in several windows, as the kernel cuts them.

All sequences are laid out once; a batch takes those of its sentences. O(pieces).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from .... import _kernel
from ...._arrays import Ids, items_of, offsets_of, rows_of
from ...base import SentenceInputs
from ..pretrained import TransformerShape


class PieceSequences:
    """The sequences of pieces of sentences."""

    def __init__(self, shape: TransformerShape, inputs: SentenceInputs, device: str, *, with_root: bool) -> None:
        """Cut sentences into sequences; `with_root`: the first special piece of each is its artificial root."""
        forms, self.device = inputs.forms, device
        # Of a word with more pieces than a window has, the first ones are read.
        counts = np.minimum(np.diff(forms.piece_offsets), shape.window - 2)[forms.of_word]
        windows = _kernel.piece_windows(inputs.word_offsets, counts, window=shape.window, overlap=shape.overlap)
        self._of_sentence = offsets_of(np.bincount(windows[0], minlength=len(inputs.word_offsets) - 1))
        # Of each window its words, and of each word its pieces.
        sentences, begins, ends, first_taken, last_taken = windows
        first_words, word_offsets = inputs.word_offsets[sentences], offsets_of(ends - begins)
        window_of = items_of(word_offsets)
        words = (begins - word_offsets[:-1])[window_of] + np.arange(len(window_of))
        rows = words + first_words[window_of]
        of_word = counts[rows]
        offsets = offsets_of(of_word)
        pieces = np.repeat(forms.piece_offsets[forms.of_word[rows]] - offsets[:-1], of_word) + np.arange(offsets[-1])
        # One special piece before those of each window and one behind; the last place is that of no piece.
        self._starts = offsets_of(np.diff(offsets[word_offsets]) + 2)
        piece_rows = np.arange(offsets[-1]) + np.repeat(2 * window_of + 1, of_word)
        ids, targets = np.full(self._starts[-1] + 1, shape.end), np.full(self._starts[-1] + 1, -1)
        ids[piece_rows], ids[self._starts[:-1]] = forms.pieces[pieces], shape.begin
        taken = (first_taken[window_of] <= words) & (words < last_taken[window_of])
        target = np.where(taken, words + with_root, -1)
        if shape.words == "first":
            targets[piece_rows[offsets[:-1]]] = target
        else:
            targets[piece_rows] = np.repeat(target, of_word)
        if with_root:
            targets[self._starts[:-1][begins == 0]] = 0
        self._lengths = torch.from_numpy(np.diff(self._starts))
        self._ids = torch.from_numpy(ids.astype(np.int64)).to(device)
        self._words = torch.from_numpy(targets.astype(np.int64)).to(device)

    def gather(self, sentences: Ids, words: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return the pieces of some sentences, which of them are there, and the rows of their words.

        `words`: how many rows a sentence has in the batch; behind those of all is one for pieces of no word.
        """
        rows, offsets = rows_of(self._of_sentence, sentences)
        of_sequence = torch.from_numpy(items_of(offsets)).to(self.device)
        lengths = self._lengths[rows]
        position = torch.arange(int(lengths.max()), device=self.device)
        present = position[None, :] < lengths.to(self.device)[:, None]
        starts = torch.from_numpy(self._starts[rows]).to(self.device)
        piece_rows = torch.where(present, starts[:, None] + position[None, :], len(self._ids) - 1)
        word = self._words[piece_rows]
        none = len(sentences) * words
        return self._ids[piece_rows], present, torch.where(word >= 0, of_sequence[:, None] * words + word, none)
