"""Makes the README's pictures out of a folder in which `afere demo` ran.

python docs/pictures.py FOLDER      (Chromium takes the picture of the page)
"""

import asyncio
import io
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from afere import report
from afere.app import api, sides
from afere.domain import Comparison, Policy
from afere.store import open_store

IMAGES = Path(__file__).parent / "images"
CHROMIUM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1100,1150",
)


async def comparison(folder: Path) -> Comparison:
    store = await open_store(str(folder / ".afere" / "afere.db"), clock=time.time)
    try:
        return api.compare_runs(*await sides.last_two(store), Policy())
    finally:
        await store.close()


def terminal(folder: Path) -> None:
    console = Console(record=True, width=108, file=io.StringIO(), force_terminal=True)
    console.print("$ make demo", style="bold")
    console.print(report.comparison_report(asyncio.run(comparison(folder))))
    drawn = console.export_svg(title="afere demo")
    local = re.sub(r"@font-face\s*\{.*?\}", "", drawn, flags=re.DOTALL)  # no font from elsewhere
    (IMAGES / "demo-terminal.svg").write_text(local, "utf-8")


def page(folder: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        sys.exit("No Chromium here: the picture of the page stays as it is.")
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                browser,
                *CHROMIUM,
                f"--user-data-dir={profile}",
                f"--screenshot={IMAGES / 'demo-page.png'}",
                (folder / "demo-report.html").resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    terminal(Path(sys.argv[1]))
    page(Path(sys.argv[1]))
