"""Why the two main empirical claims do not show in our parsers: one factor at a time, over seeds and sentences.

Gómez-Rodríguez & Fernández-González 2012 gain with label-based undirected parsing over directed parsing (Danish: planar
+0.56, 2-planar -0.06, Covington +0.64 LAS), Gómez-Rodríguez & Nivre 2010 with 2-planar over projective parsing (Danish:
+0.50). Here both differences are measured for our own way of training and with one thing changed at a time: the static
oracle in place of exploration, joint labels, both, the papers' features, an artificial root everywhere, the papers'
learner. Perceptrons take hours; runs are kept, and `--kept` shows the seeds that are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .common import DANISH, Experiment, NotKeptError, experiment, table
from .runs import Comparison, Outcome, Run, compare, outcome

#: Danish, and two others where arcs cross more often.
USUAL = (DANISH, "la_circse", "pl_mpdt")
SYSTEMS = ("planar", "2-planar", "covington")
PUBLISHED = {"planar": 0.56, "2-planar": -0.06, "covington": 0.64}
PUBLISHED_2_PLANAR = 0.50
_EPOCHS = 6


@dataclass(frozen=True)
class Factor:
    """What is changed of our own way of training."""

    name: str
    about: str
    options: tuple[tuple[str, Any], ...] = ()
    #: The name of a feature model, in which the system's stands for {}.
    features: str | None = None
    artificial_root: str | None = None
    scorer: str = "perceptron"


FACTORS = (
    Factor("ours", "as we train: exploration 0.9, our features, separate labels"),
    Factor("static", "static oracle (exploration 0)", (("exploration", 0),)),
    Factor("dynamic", "dynamic oracle without exploration", (("exploration", 0), ("oracle", "dynamic"))),
    Factor("joint", "joint labels", (("labels", "joint"),)),
    Factor("static-joint", "static oracle and joint labels", (("exploration", 0), ("labels", "joint"))),
    Factor("features", "MaltParser's features", features="malt-{}-linear"),
    Factor(
        "papers",
        "static oracle, joint labels, MaltParser's features",
        (("exploration", 0), ("labels", "joint")),
        "malt-{}-linear",
    ),
    Factor("root", "an artificial root first, everywhere", artificial_root="first"),
    Factor("linear-svm", "linear SVM, MaltParser's features", features="malt-{}-linear", scorer="linear-svm"),
    Factor("svm", "SVM, the features of CoNLL-X", features="conllx-{}", scorer="svm"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, compare, print and write the tables."""
    asked = experiment("why", __doc__, arguments, seeds=5)
    wanted = asked.only or tuple(factor.name for factor in FACTORS)
    factors = [factor for factor in FACTORS if factor.name in wanted]
    sections = [_section(asked, name, factors) for name in asked.names(USUAL)]
    asked.publish("why", "\n\n".join(sections))


def _section(asked: Experiment, treebank: str, factors: Sequence[Factor]) -> str:
    rows: list[list[str]] = []
    for factor in factors:
        runs = _runs(asked, treebank, factor)
        if not runs["arc-eager"]:
            continue
        undirected = [compare(runs[f"undirected-{system}"], runs[system]) for system in SYSTEMS]
        planar = compare(runs["2-planar"], runs["arc-eager"])
        scores = " / ".join(f"{_mean(runs[system]):.2f}" for system in ("arc-eager", *SYSTEMS))
        shown = [one.shown for one in (*undirected, planar)]
        rows.append([factor.about, str(len(runs["arc-eager"])), scores, *shown, _chances(undirected, planar)])
    gains = [f"{PUBLISHED[one]:+.2f}" for one in SYSTEMS]
    published = ["published (Danish)", "", "83.31 / 83.31 / 83.81 / 83.63", *gains]
    columns = ["", "seeds", "LAS: arc-eager / planar / 2-planar / Covington", "planar", "2-planar", "Covington"]
    return "\n\n".join(
        [
            f"`{treebank}`: label-based minus directed, and 2-planar minus arc-eager, in points of LAS: mean ± "
            "deviation over seeds; * p < 0.05 over sentences.",
            table(
                [*columns, "2-planar − arc-eager", "p over seeds"],
                [*([[*published, f"{PUBLISHED_2_PLANAR:+.2f}", "–"]] if treebank == DANISH else []), *rows],
            ),
        ]
    )


def _runs(asked: Experiment, treebank: str, factor: Factor) -> dict[str, list[Outcome]]:
    """Return the outcomes by system and seed, trained seed by seed; a seed counts if it is there for all systems.

    Support vector machines have no seed: one run is enough.
    """
    data = asked.data(treebank)
    names = ("arc-eager", *SYSTEMS, *(f"undirected-{system}" for system in SYSTEMS))
    found: dict[str, list[Outcome]] = {name: [] for name in names}
    for seed in range(1, asked.seeds + 1) if factor.scorer == "perceptron" else [1]:
        try:
            own = {name: outcome(asked, replace(_run(name, factor), seed=seed), data) for name in names}
        except NotKeptError:
            break
        for name, one in own.items():
            found[name].append(one)
    return found


def _run(system: str, factor: Factor) -> Run:
    return Run(
        system,
        encoding="label" if system.startswith("undirected-") else None,
        features=None if factor.features is None else factor.features.format(system),
        scorer=factor.scorer,
        options=factor.options,
        artificial_root=factor.artificial_root,
        epochs=_EPOCHS if factor.scorer == "perceptron" else None,
    )


def _mean(outcomes: Sequence[Outcome]) -> float:
    return 100 * sum(one.las for one in outcomes) / len(outcomes)


def _chances(undirected: Sequence[Comparison], planar: Comparison) -> str:
    return ", ".join(f"{one.by_seeds:.2f}" for one in (*undirected, planar))


if __name__ == "__main__":
    main()
