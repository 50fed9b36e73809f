"""`afere view`: the store in the browser."""

import contextlib

import click

from afere.app.cli.options import Shared, say, shared_options, show_json
from afere.domain import UsageError

__all__ = ["command"]

PORT = 8420


@click.command(
    "view",
    short_help="The store in the browser: runs, comparisons, progress.",
    epilog="\b\nExamples:\n"
    "  afere view                          on this machine alone\n"
    "  afere view --port 0                 any free port\n"
    "  afere view --host 0.0.0.0           for others too, who need the address with its token",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="H",
    help="The address to listen at; one that others can reach gets a token.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True)
@click.option("--open/--no-open", "browser", default=False, help="Open a browser. [no]")
@shared_options
def command(*, host: str, port: int, browser: bool, shared: Shared) -> None:
    """Serve the store's pages until Ctrl-C: runs, comparisons, and how running ones get on.

    It only reads. Nobody else can reach it unless --host says so.
    """
    from afere.app.view import View

    try:
        view = View(host, port, shared.store, shared.words)
    except OSError as error:
        raise UsageError(
            f"{host}:{port} cannot be listened at: {error.strerror or error}.\n"
            "Type another: --port 0",
        ) from error
    if shared.as_json:
        show_json({"url": view.address})
    else:
        say(shared.words.say("Serving {url}   (Ctrl-C ends it)", url=view.address))
    if browser:
        import webbrowser

        webbrowser.open(view.address)
    with contextlib.suppress(KeyboardInterrupt):
        view.serve()
