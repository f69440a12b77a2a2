"""Two questions beside the tables: what the artificial root does to perceptrons, and why Latin scores are low.

The root first or none, with planar and label-based undirected planar parsing, as we train, one seed; and planar
parsing of Latin by two linear learners with MaltParser's features, with UPOS in place of XPOS, and with our own
templates, which have morphology. LAS without punctuation. Perceptrons take some minutes each; many are runs of `why`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .common import DANISH, experiment, table
from .runs import Outcome, Run, missing_of, not_run, outcomes
from .why import EPOCHS

ROOT_TREEBANKS = (DANISH, "af_afribooms", "pl_mpdt")
LATIN = "la_circse"
_STATIC: tuple[tuple[str, Any], ...] = (("exploration", 0), ("labels", "joint"))
_MALT = "malt-planar-linear"
#: By system and root.
ROOTS = {
    f"{system}, {about}": Run(system, encoding, artificial_root=root, epochs=EPOCHS)
    for system, encoding in (("planar", None), ("undirected-planar", "label"))
    for about, root in (("root first", "first"), ("none", None))
}
#: By learner and features.
FEATURES = {
    f"{learner}, {about}": Run(
        "planar",
        features=features,
        tags=tags,
        scorer=learner,
        options=_STATIC if learner == "perceptron" else (),
        epochs=EPOCHS if learner == "perceptron" else None,
    )
    for learner in ("linear-svm", "perceptron")
    for about, features, tags in (
        ("MaltParser's features", _MALT, None),
        ("with UPOS for XPOS", _MALT, "upos"),
        ("our templates", None, None),
    )
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, parse, print and write both tables."""
    asked = experiment("root_and_features", __doc__, arguments)
    rows, missing = [], []
    for name in asked.names(ROOT_TREEBANKS):
        found = outcomes(asked, ROOTS, asked.data(name))
        missing += missing_of(name, ROOTS, found)
        rows.append([f"`{name}`", *(_las(found, run) for run in ROOTS)])
    found = outcomes(asked, FEATURES, asked.data(LATIN))
    missing += missing_of(LATIN, FEATURES, found)
    text = [
        "Perceptrons as we train, one seed: LAS with the artificial root first and with none:",
        table(["", *ROOTS], rows),
        f"Planar parsing of `{LATIN}` by linear learners (perceptrons: static oracle, joint labels, one seed):",
        table(["", "LAS"], [[run, _las(found, run)] for run in FEATURES]),
        *not_run(missing),
    ]
    asked.publish("root_and_features", "\n\n".join(text))


def _las(found: Mapping[str, Outcome], run: str) -> str:
    return f"{100 * found[run].las:.2f}" if run in found else "–"


if __name__ == "__main__":
    main()
