"""`afere ping`: one call to each endpoint."""

import os
import time
from pathlib import Path

import click

from afere.app.cli.options import Shared, run_async, shared_options, show, show_json
from afere.app.gate import Exit
from afere.domain import UsageError, to_plain

__all__ = ["command"]


@click.command(
    "ping",
    short_help="One call to each endpoint: what works, what it supports.",
    epilog="\b\nExamples:\n"
    "  afere ping                                  every model of models.yaml\n"
    "  afere ping -m MODEL --base-url http://127.0.0.1:8080/v1",
)
@click.option("-m", "--model", "models", multiple=True, metavar="MODEL", help="Repeatable.")
@click.option("--base-url", metavar="URL", help="Address of an OpenAI-compatible endpoint.")
@click.option("--key-env", metavar="NAME", help="Variable that holds the key. [AFERE_API_KEY]")
@click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Repeatable.")
@click.option("--models", "models_file", type=click.Path(path_type=Path), help="[models.yaml]")
@shared_options
def command(
    *,
    models: tuple[str, ...],
    base_url: str | None,
    key_env: str | None,
    headers: tuple[str, ...],
    models_file: Path | None,
    shared: Shared,
) -> int:
    """Call each model once and say what works, what it supports, and the mend where it does not.

    Without -m: every model of models.yaml. Exit code 3 where an endpoint fails.
    """
    from afere import report
    from afere.app import api
    from afere.app.models import Model, ModelOptions, parse_headers
    from afere.app.ping import ping_all

    options = ModelOptions(
        base_url=base_url,
        key_env=key_env,
        headers=parse_headers(headers),
        models_file=models_file,
    )
    names = models or api.declared_names(options, os.environ)
    if not names:
        raise UsageError("No model is named.\nType: -m MODEL, or write a models.yaml: afere init")

    def find(name: str) -> Model:
        return api.find_models([name], options, os.environ)[0]

    pings = run_async(ping_all(names, find, shared.cache, time.time))
    if shared.as_json:
        show_json({"endpoints": [to_plain(ping) for ping in pings]})
    else:
        show(
            report.ping_report(
                [
                    (ping.model, ping.latency, ping.supports, ping.error, ping.mend)
                    for ping in pings
                ],
                words=shared.words,
            ),
        )
    return Exit.DONE if all(ping.ok for ping in pings) else Exit.INCOMPLETE
