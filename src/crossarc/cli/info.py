"""`crossarc info`: what a model is, what it was trained on, how good and how large it is."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json
from .output import print_json


def info(
    model: Annotated[str, typer.Argument(help="A model that crossarc train wrote.", metavar="MODEL")],
    json: Json = False,
) -> None:
    """Say what a model is, what it was trained on, how good and how large it is.

    Example:

        crossarc info my.crossarc
    """
    from ..models import read_model_file

    file = read_model_file(model)
    described = summary(file.description)
    status = Path(model).stat()
    described["written"] = datetime.fromtimestamp(status.st_mtime, timezone.utc).isoformat(" ", "seconds")
    described["bytes"] = status.st_size
    described["weights"] = sum(
        array.size for name, array in file.arrays.items() if name.endswith("_weights") or name.startswith("network_")
    )
    if json:
        print_json(described)
        return
    width = max(len(name) for name in described)
    for name, value in described.items():
        shown = ", ".join(value) if isinstance(value, list) else f"{value:,}" if isinstance(value, int) else value
        print(f"{name.replace('_', ' '):<{width}}  {'–' if shown is None else shown}")


def summary(description: dict[str, Any]) -> dict[str, Any]:
    """Return what people ask of a model, in order."""
    training = description["training"]
    encoding = description["encoding"]
    best = training["epochs"][training["best"] - 1]
    labelled, unlabelled = ("las", "uas") if training.get("measure", "LAS") == "LAS" else ("f1", "unlabelled_f1")
    return {
        "type": description["type"],
        "system": description["system"]["name"],
        "encoding": None if encoding is None else encoding["type"],
        "root_policy": description["root_policy"]["kind"],
        "artificial_root": description["artificial_root"],
        "beam": description["beam"],
        "labels": len(description["labels"]),
        "scorer": description["scorer"],
        "looks_at": len(description["views"])
        if description["scorer"] == "network"
        else len(description["templates"]) + len(description["label_templates"]),
        "trained_on": training["sources"],
        "fingerprint": training["fingerprint"],
        "sentences": training["sentences"],
        "words": training["words"],
        "lost_arcs": training["lost_arcs"],
        "epochs": len(training["epochs"]),
        "best_epoch": training["best"],
        f"dev_{labelled}": None if best["las"] is None else round(best["las"], 2),
        f"dev_{unlabelled}": None if best["uas"] is None else round(best["uas"], 2),
        "seed": training["seed"],
    }
