"""Pretrains the encoders that models of crossarc are made with; it needs no more than torch, tokenizers, numpy and
safetensors, so that it runs on any machine with a GPU: PYTHONPATH=src where crossarc is not installed.

    python pretrained/texts.py … -o texts/grc          # on any machine
    python pretrained/encoder.py texts/grc -o grc.encoder --minutes 8 --compile --licence "CC BY-SA 4.0"

Texts may be packed, so that they travel: *.txt.xz. Options are those of `crossarc pretrain`.
"""

from __future__ import annotations

import argparse
from dataclasses import fields

import crossarc as xa
from crossarc.training.pretraining import Pretraining, PretrainingProgress
from crossarc.training.texts import TextWords


def tell_of_texts(words: TextWords) -> None:
    print(f"{words.count:,} words, {words.documents:,} documents, {words.duplicates:,} left out", flush=True)


def tell(so_far: PretrainingProgress) -> None:
    held_out = "" if so_far.held_out_loss is None else f", held out {so_far.held_out_loss:.3f}"
    print(
        f"step {so_far.step:,} of {so_far.steps}, epoch {so_far.epoch}: loss {so_far.loss:.3f}{held_out}, "
        f"{so_far.pieces_per_second:,.0f} pieces/s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--output", "-o", required=True)
    parser.add_argument("--seed", type=int, default=1)
    for name in ("device", "licence", "note", "tokenizer", "checkpoint"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--resume", action="store_true")
    for each in fields(Pretraining):
        if each.name == "compile":
            parser.add_argument("--compile", action="store_true")
        else:
            kind = float if each.name in ("learning_rate", "mask", "minutes") else int
            parser.add_argument(f"--{each.name.replace('_', '-')}", type=kind, default=each.default)
    given = vars(parser.parse_args())
    xa.pretrain(given.pop("texts"), given.pop("output"), on_text=tell_of_texts, on_progress=tell, **given)


if __name__ == "__main__":
    main()
