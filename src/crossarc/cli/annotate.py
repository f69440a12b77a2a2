"""`crossarc annotate`: correct treebank files on a page in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Threads
from .output import is_quiet, note


def annotate(
    files: Annotated[list[str], typer.Argument(help="Treebank files, or folders of them.", metavar="FILE…")],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model that parses again and says which words are in doubt."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", help="A second annotation of each file, shown beside it.", metavar="FILE"),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Show the files, and save nothing.")] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; 0.0.0.0 for all of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", help="Port, 0 for any that is free.", min=0, max=65535)] = 8000,
    hosts: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="Name by which the page may be called, beside addresses.", metavar="NAME"),
    ] = None,
    threads: Threads = 0,
) -> None:
    """Correct treebank files on a page in the browser.

    Arcs are drawn with the mouse or by keys, and labels, tags and all else are changed where they are shown. Every
    change of a whole tree is saved at once: its sentence alone changes, and all other bytes of the file stay. The file
    as it was is kept beside it as FILE.orig. Nothing else is ever written. With a model, what was not set by hand is
    parsed again around what was, words in doubt are marked, and the sentences in most doubt come first if asked for.

    Whoever can reach the address can change the files: leave --host as it is unless all who can are meant to.

    Examples:

        crossarc annotate trees.conllu -m en

        crossarc annotate ann.conllu --against bo.conllu

        crossarc annotate treebank/ --read-only
    """
    from ..annotation import Workspace
    from ..errors import CrossarcError
    from ..service.limits import Limits
    from ..service.models import load_models

    try:
        from ..service.application import make_application
        from ..service.logs import log_to_stderr
        from ..service.server import open_socket
        from ..service.server import serve as run
    except ModuleNotFoundError as error:
        raise CrossarcError(f"the page needs {error.name}: pip install 'crossarc[serve]'") from error

    workspace = Workspace(files, against=against or (), read_only=read_only)
    limits = Limits()
    with open_socket(host, port) as listening:
        served = load_models(model or (), threads)
        application = make_application(served, limits=limits, hosts=[host, *(hosts or ())], workspace=workspace)
        log_to_stderr(requests=not is_quiet())
        sentences = sum(map(len, workspace.documents.values()))
        address = f"[{host}]" if ":" in host else host
        what = "to look at" if read_only else "to correct"
        note(f"{sentences:,} sentences {what} on http://{address}:{listening.getsockname()[1]}/")
        run(application, listening, limits)
