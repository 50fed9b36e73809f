"""`afere suites`: the suites that come with `afere`."""

import click

from afere.app.cli.options import Shared, shared_options, show_json

__all__ = ["command"]


@click.command("suites", short_help="The suites that come with afere.")
@shared_options
def command(*, shared: Shared) -> None:
    """List the built-in suites; any YAML file or folder of your own stands in their place."""
    from afere import suites

    known = dict(suites.names())
    if shared.as_json:
        show_json({"suites": known})
        return
    width = max(map(len, known))
    for name, line in known.items():
        click.echo(f"{name:<{width}}  {line}")
