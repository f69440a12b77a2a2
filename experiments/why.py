"""On what the two main empirical claims of the papers depend: one factor at a time, over seeds and sentences.

Gómez-Rodríguez & Fernández-González 2012 gain with label-based undirected parsing over directed parsing (Danish: planar
+0.56, 2-planar -0.06, Covington +0.64 LAS), Gómez-Rodríguez & Nivre 2010 with 2-planar over projective parsing (Danish:
+0.50). Here both differences are measured for our own way of training and with one thing changed at a time: the static
oracle in place of exploration, joint labels, both, the papers' features, an artificial root everywhere, the papers'
learner. Perceptrons take hours; runs are kept, and `--kept` shows the seeds that are there.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .common import DANISH, Experiment, NotKeptError, chance, experiment, table
from .runs import Comparison, Outcome, Run, compare, outcome
from .two_planar import paper_run

#: Danish, and two others where arcs cross more often, with the seeds of each: Danish takes four times as long.
USUAL = {DANISH: 2, "la_circse": 3, "pl_mpdt": 3}
SYSTEMS = ("planar", "2-planar", "covington")
#: What is compared, and the difference in LAS that the papers have for Danish.
DIFFERENCES = {
    ("undirected-planar", "planar"): 0.56,
    ("undirected-2-planar", "2-planar"): -0.06,
    ("undirected-covington", "covington"): 0.64,
    ("2-planar", "arc-eager"): 0.50,
}
EPOCHS = 6
#: Differences in LAS by factor, treebank and what is compared.
Gains = dict[tuple[str, str, tuple[str, str]], float]


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
    Factor("svm", "SVM, all as in the papers (Sections 4 and 5)", scorer="svm"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, compare, print and write the tables."""
    asked = experiment("why", __doc__, arguments, seeds=0)
    wanted = asked.only or tuple(factor.name for factor in FACTORS)
    factors = [factor for factor in FACTORS if factor.name in wanted]
    gains: Gains = {}
    sections = [_section(asked, name, factors, gains) for name in asked.names(tuple(USUAL))]
    about = (
        "Of all these comparisons, in how many label-based parsing gains, in how many it gains more or loses less than "
        "in the same system as we train, and in how many 2-planar parsing gains over arc-eager:"
    )
    columns = ["", "label-based gains", "more than as we train", "2-planar gains"]
    asked.publish("why", "\n\n".join([*sections, about, table(columns, counted(factors, gains))]))


def counted(factors: Sequence[Factor], gains: Gains) -> list[list[str]]:
    """Return for each factor in how many comparisons of all treebanks there is a gain."""
    rows: list[list[str]] = []
    for factor in factors:
        own = {key[1:]: gain for key, gain in gains.items() if key[0] == factor.name}
        undirected = {key: gain for key, gain in own.items() if key[1][0].startswith("undirected-")}
        others = [gain for key, gain in own.items() if key not in undirected]
        usual = {key[1:]: gain for key, gain in gains.items() if key[0] == "ours" and factor.name != "ours"}
        more = [gain > usual[key] for key, gain in undirected.items() if key in usual]
        counts = [[gain > 0 for gain in undirected.values()], more, [gain > 0 for gain in others]]
        rows += [[factor.about, *(f"{sum(one)} of {len(one)}" if one else "" for one in counts)]] if own else []
    return rows


def _section(asked: Experiment, treebank: str, factors: Sequence[Factor], gains: Gains) -> str:
    rows: list[list[str]] = []
    for factor in factors:
        runs = _runs(asked, treebank, factor)
        compared = {one: _compared(runs[one[0]], runs[one[1]]) for one in DIFFERENCES}
        if not any(compared.values()):
            continue
        gains |= {(factor.name, treebank, one): gain[1].difference for one, gain in compared.items() if gain}
        scores = " / ".join(_mean(runs[system]) for system in ("arc-eager", *SYSTEMS))
        rows.append([factor.about, scores, *map(_shown, compared.values())])
    if treebank == DANISH:
        published = [f"{gain:+.2f}" for gain in DIFFERENCES.values()]
        rows.insert(0, ["published (Danish)", "83.31 / 83.31 / 83.81 / 83.63", *published])
    about = (
        f"`{treebank}`: label-based minus directed, and 2-planar minus arc-eager, in points of LAS: mean ± deviation "
        "over seeds (how many; from three on p by Student's t over seeds); * p < 0.05 over sentences, not corrected "
        "for the number of comparisons."
    )
    columns = ["", "LAS: arc-eager / planar / 2-planar / Covington", *SYSTEMS, "2-planar − arc-eager"]
    return f"{about}\n\n{table(columns, rows)}"


def _runs(asked: Experiment, treebank: str, factor: Factor) -> dict[str, dict[int, Outcome]]:
    """Return the outcomes by system and seed, trained seed by seed.

    Support vector machines have no seed: one run is enough.
    """
    data = asked.data(treebank)
    names = ("arc-eager", *SYSTEMS, *(f"undirected-{system}" for system in SYSTEMS))
    found: dict[str, dict[int, Outcome]] = {name: {} for name in names}
    seeds = asked.seeds or USUAL.get(treebank, 1)
    for seed in range(1, seeds + 1) if factor.scorer == "perceptron" else [1]:
        for name in names:
            with contextlib.suppress(NotKeptError):
                found[name][seed] = outcome(asked, replace(_run(asked, name, factor), seed=seed), data)
    return found


def _compared(ones: Mapping[int, Outcome], others: Mapping[int, Outcome]) -> tuple[int, Comparison] | None:
    """Compare two systems over the seeds that both have; None if there are none."""
    seeds = sorted(ones.keys() & others.keys())
    return (len(seeds), compare([ones[seed] for seed in seeds], [others[seed] for seed in seeds])) if seeds else None


def _shown(compared: tuple[int, Comparison] | None) -> str:
    if compared is None:
        return "–"
    number, one = compared
    by_seeds = "" if math.isnan(one.by_seeds) else f"; p {chance(one.by_seeds, 2)}"
    return f"{one.shown} ({number}{by_seeds})"


def _run(asked: Experiment, system: str, factor: Factor) -> Run:
    encoding = "label" if system.startswith("undirected-") else None
    if factor.scorer == "svm":
        return paper_run(replace(asked, scorer="svm"), system, encoding)
    return Run(
        system,
        encoding,
        features=None if factor.features is None else factor.features.format(system),
        scorer=factor.scorer,
        options=factor.options,
        artificial_root=factor.artificial_root,
        epochs=EPOCHS if factor.scorer == "perceptron" else None,
    )


def _mean(outcomes: Mapping[int, Outcome]) -> str:
    return f"{100 * sum(one.las for one in outcomes.values()) / len(outcomes):.2f}" if outcomes else "–"


if __name__ == "__main__":
    main()
