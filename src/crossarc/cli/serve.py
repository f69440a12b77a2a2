"""`crossarc serve`: the REST service and the page."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import RUNS_CODE, Threads
from .output import is_quiet, note


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(help="Models to serve: paths or names, or NAME=PATH to choose the name.", metavar="[MODEL]…"),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; 0.0.0.0 for all of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", help="Port, 0 for any that is free.", min=0, max=65535)] = 8000,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", "-s", help=f"A transition system mine.py:name to offer on the page. {RUNS_CODE}"),
    ] = None,
    body: Annotated[int, typer.Option("--most-bytes", help="Largest body of a request.", min=1000)] = 4_000_000,
    words: Annotated[
        int, typer.Option("--most-words", help="Most words of a request.", min=1, rich_help_panel="Limits")
    ] = 20_000,
    seconds: Annotated[
        float, typer.Option("--most-seconds", help="Seconds in which a request is answered or refused.", min=0.1)
    ] = 30.0,
    waiting: Annotated[
        float, typer.Option("--most-waiting", help="Seconds that a request may have to wait for its turn.", min=0.01)
    ] = 0.5,
    origin: Annotated[
        str | None,
        typer.Option("--allow-origin", help="Whose web pages may call the service from a browser; * for all."),
    ] = None,
    hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            help="Name by which the service may be called, beside addresses and localhost; * for any.",
            metavar="NAME",
        ),
    ] = None,
    connections: Annotated[
        int, typer.Option("--most-connections", help="Connections that one address may have open.", min=1)
    ] = 256,
    ranked_seconds: Annotated[
        float,
        typer.Option(
            "--most-sentence-seconds", help="Seconds that the n best trees of one sentence may take at worst.", min=0.01
        ),
    ] = 1.5,
    threads: Threads = 0,
) -> None:
    """Serve models over HTTP, with a page that draws trees and steps through parses.

    The addresses /process and /models are those of UDPipe, so that its clients work with another address; further ones
    are /parse, /edit, /reparse, /draw, /derive, /analyze, /evaluate, /health and /metrics, and /docs describes them.
    Without a model those that crossarc models lists are served. Requests are parsed in batches; when there are more
    than can be answered in time, the newest get status 503 and are told when to try again. Ctrl-C
    finishes what was begun.

    No file of the machine can be read or written through the service: models and systems are those of the command line.

    Examples:

        crossarc serve

        crossarc serve english=en.crossarc la.crossarc --port 8080

        curl -F data="She met him." -F tokenizer= -F tagger= -F parser= http://127.0.0.1:8000/process
    """
    from ..errors import CrossarcError
    from ..service.limits import Limits
    from ..service.models import embedded_models, load_models
    from ..transitions import load_system

    try:
        from ..service.application import make_application
        from ..service.logs import log_to_stderr
        from ..service.server import open_socket
        from ..service.server import serve as run
    except ModuleNotFoundError as error:
        raise CrossarcError(f"the service needs {error.name}: pip install 'crossarc[serve]'") from error

    limits = Limits(
        body=body,
        words=words,
        seconds=seconds,
        waiting_seconds=waiting,
        sentence_seconds=ranked_seconds,
        connections=max(1000, connections),
        address_connections=connections,
    )
    listening = open_socket(host, port)
    with listening:
        served = load_models(models or embedded_models(), threads)
        user_systems = [load_system(name) for name in system or ()]
        application = make_application(served, user_systems, limits, origin, [host, *(hosts or ())])
        log_to_stderr(requests=not is_quiet())
        names = (
            ", ".join(model.name for model in served) or "no model: the page shows and steps through trees that it gets"
        )
        address = f"[{host}]" if ":" in host else host
        note(f"serving {names} on http://{address}:{listening.getsockname()[1]}/")
        run(application, listening, limits)
