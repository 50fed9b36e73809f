"""The program in the store's document runs as printed."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

from store_samples import attempt, plan, row, started, suite

import afere
from afere.store import open_store

DOCUMENT = Path(__file__).parents[2] / "docs" / "store.md"


def test_the_program_in_the_document_lists_the_answers(tmp_path: Path) -> None:
    async def story() -> None:
        store = await open_store(str(tmp_path / ".afere" / "afere.db"), clock=lambda: 0.0)
        await store.begin(plan(), suite(), started())
        await store.keep_attempt(attempt())
        await store.keep_row(plan().id, row())
        await store.close()

    asyncio.run(story())
    (program,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(afere.__file__).parents[1])},
        capture_output=True,
        check=True,
        text=True,
    )
    assert ended.stdout == "m p01 1 right 3882\n"
