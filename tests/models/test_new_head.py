"""A head of somebody else, as CONTRIBUTING.md adds it: one file in the kernel, one in Python and one in torch.

The kernel that `make kernel-check` builds has it (tests/kernel/heads/number.cpp); `make torch-check` has torch.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from crossarc import _kernel
from crossarc.features.vocabularies import NO_FORMS
from crossarc.models.neural.encoders import LstmEncoder
from tests.support.number_head import NumberHead

pytestmark = pytest.mark.kernel

REPOSITORY = Path(__file__).parents[2]
HEAD = NumberHead(largest=20)
ENCODER = LstmEncoder(
    columns=(9,),
    group_sizes=(1,),
    embedding_sizes=(4,),
    unit_embeddings=True,
    characters=0,
    character_embedding_size=0,
    filters=0,
    character_size=0,
    layers=1,
    hidden_size=4,
)
needs_kernel = pytest.mark.skipif(
    "number" not in _kernel.head_kinds(), reason="the kernel of make kernel-check has this head"
)


@needs_kernel
def test_a_network_is_made_with_it_and_learns() -> None:
    network = _kernel.Network(ENCODER.described, [HEAD.described], seed=3)
    own = {name: values.shape for name, values in network.parameters().items() if name.startswith("number.")}
    assert own == {"number.weights": (8, 1), "number.bias": (1, 1)}
    dropout = _kernel.EncoderDropout(inputs=0, layers=0, groups=0)
    learner = _kernel.TaggerLearner(network, dropout=dropout, word_dropout=0, lexical_columns=0, rows=1000, seed=1)
    values = np.array([[3], [5], [4], [8], [7], [6], [3]], np.uint32)
    offsets, order = np.array([0, 4, 7]), np.array([0, 1], np.int32)
    targets = values[:, 0].astype(np.int32)
    learn = [learner.learn(order, values, offsets, NO_FORMS, targets, rate=0.02, threads=1) for _ in range(400)]
    assert learn[0] > 0 and learn[-1] == 0
    numbers = _kernel.TaggerModel(network).probabilities(values, offsets, NO_FORMS, threads=1)
    assert np.abs(numbers - targets).max() < 0.5


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: pip install 'crossarc[torch]'")
def test_torch_has_the_same_parameters_and_numbers() -> None:
    import torch

    from crossarc.models.neural.torch.encoder import Dropout
    from crossarc.models.neural.torch.learner import TorchNetwork
    from tests.support import number_head_torch

    network = TorchNetwork(ENCODER, [HEAD], Dropout())
    shapes = {name: tuple(values.shape) for name, values in network.state_dict().items() if name.startswith("number.")}
    assert shapes == {"number.weights": (8, 1), "number.bias": (1, 1)}
    module = network.get_submodule("number")
    assert isinstance(module, number_head_torch.TorchNumberHead)
    random = np.random.default_rng(1)
    arrays = {name: random.normal(size=values.shape).astype(np.float32) for name, values in network.arrays().items()}
    network.load_arrays(arrays)
    words = random.normal(size=(5, 8)).astype(np.float32)
    expected = words @ arrays["number.weights"] + arrays["number.bias"]
    np.testing.assert_allclose(module(torch.from_numpy(words)).detach().numpy(), expected, atol=1e-6)


def test_what_contributing_shows_is_what_is_built() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text()
    section = text[text.index("## Adding a head") : text.index("## How we write")]
    blocks = re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL)
    assert [language for language, _ in blocks] == ["cpp", "python", "python"]
    files = ("kernel/heads/number.cpp", "support/number_head.py", "support/number_head_torch.py")
    for (_, code), name in zip(blocks, files, strict=True):
        built = (REPOSITORY / "tests" / name).read_text()
        for part in re.split(r"^.*…\n", code, flags=re.MULTILINE):
            assert part.strip() and part.strip() in built, part
