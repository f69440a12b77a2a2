"""Graph parsers of other toolkits, of the shape of ours: biaffine scores over LSTMs, in SuPar and in Stanza.

Their pretrained models are of other shapes, so that parsers are built here: the vocabularies of the whole training
part, LSTM layers and cells as asked for, words, tags and characters as input, no pretrained vectors. They learn from a
few sentences only. What their networks cost does not depend on that, but what it costs to find trees does: a peer is
measured twice, with its own search for trees and without, and the second is the time that ours is held against. Where a
toolkit has parts that ours has not, they are left out: Stanza's scores of order and distance, and its repair of labels.
Both take batches of about 5,000 words, sorted by length, which is their default.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import crossarc as xa

#: Sentences that peers learn from, and how often.
_LEARNT, _EPOCHS = 100, 1
Task = Callable[[], object]


def supar_tasks(train: xa.Treebank, test: xa.Treebank, layers: int, cells: int, arc: int) -> dict[str, Task]:
    """SuPar's biaffine parser with tags and characters; sentences are lists of words with their tags."""
    import torch
    from supar import BiaffineDependencyParser

    torch.set_num_threads(1)
    os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"  # SuPar's own files are of an older kind
    with tempfile.TemporaryDirectory() as folder:
        whole, few = (str(Path(folder) / name) for name in ("whole.conllu", "few.conllu"))
        xa.write(train, whole)
        xa.write(train[:_LEARNT], few)
        shape = {"n_lstm_layers": layers, "n_lstm_hidden": cells, "n_arc_mlp": arc, "n_embed": 125, "n_pretrained": 125}
        options = {"train": whole, "embed": None, "encoder": "lstm", "feat": ["tag", "char"], "build": True, **shape}
        parser: Any = BiaffineDependencyParser.build(str(Path(folder) / "model"), **options)
        rates = {"lr": 2e-3, "mu": 0.9, "nu": 0.9, "eps": 1e-12, "weight_decay": 0, "decay": 0.75, "decay_steps": 5000}
        once = {"epochs": _EPOCHS, "batch_size": 1000, "checkpoint": False, "verbose": False}
        parser.train(few, few, few, **rates, **once)
    words = [[(token.form, token.upos) for token in sentence] for sentence in test]
    return {
        "SuPar": partial(parser.predict, words, verbose=False),
        "SuPar, without trees": partial(parser.predict, words, tree=False, verbose=False),
    }


def stanza_tasks(train: xa.Treebank, test: xa.Treebank, layers: int, cells: int, arc: int) -> dict[str, Task]:
    """Stanza's graph parser with lemmas, tags, features and characters; sentences are a document of Stanza."""
    import torch
    from stanza.models import parser as command
    from stanza.models.depparse.data import DataLoader
    from stanza.models.depparse.trainer import GraphTrainer
    from stanza.utils.conll import CoNLL

    torch.set_num_threads(1)
    shape = ["--num_layers", str(layers), "--hidden_dim", str(cells), "--deep_biaff_hidden_dim", str(arc)]
    characters = ["--char_hidden_dim", "125", "--char_emb_dim", "32"]
    options: dict[str, Any] = command.parse_args(
        ["--no_pretrain", "--no_linearization", "--no_distance", "--lang", "en", "--cpu", *shape, *characters]
    )
    options["word_cutoff"] = 2
    whole, few, document = (CoNLL.conll2doc(input_str=one.to_text()) for one in (train, train[:_LEARNT], test))
    words = DataLoader(whole, 5000, options, None, evaluation=False).vocab
    parser = GraphTrainer(args=options, vocab=words, device="cpu")
    for _ in range(_EPOCHS):
        for batch in DataLoader(few, 1000, options, None, vocab=words, evaluation=False):
            parser.update(batch)
    parser.model.eval()

    def predict(trees: bool) -> None:
        with torch.no_grad():
            for batch in DataLoader(document, 5000, options, None, vocab=words, evaluation=True, sort_during_eval=True):
                if trees:
                    parser.predict(batch)
                else:
                    parser.model(*batch[:11], *batch[12:])

    return {"Stanza": partial(predict, True), "Stanza, without trees": partial(predict, False)}


#: What makes the tasks of each peer: with trees, and without.
PEERS: dict[str, Callable[[xa.Treebank, xa.Treebank, int, int, int], dict[str, Task]]] = {
    "SuPar": supar_tasks,
    "Stanza": stanza_tasks,
}
