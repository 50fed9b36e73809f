"""CPU time of one answer: asked of an instant server in another process, graded, durably stored.

Prints milliseconds of CPU (user + system, whole process) an item beyond the same command with one
item, beside bare aiohttp and, where they are installed, the openai SDK.

python bench/throughput.py [--items 2000] [--concurrency 64] [--repeat 3]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
BARE = """
import asyncio, sys, aiohttp
url, items, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
async def main():
    todo = iter(range(items))
    connector = aiohttp.TCPConnector(limit=concurrency, limit_per_host=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:
        async def work():
            for n in todo:
                body = {"model": "m", "messages": [{"role": "user", "content": f"Item {n}?"}],
                        "temperature": 0, "max_tokens": 16}
                async with session.post(url + "/chat/completions", json=body) as reply:
                    await reply.json()
        await asyncio.gather(*[work() for _ in range(concurrency)])
asyncio.run(main())
"""
OPENAI = """
import asyncio, sys
from openai import AsyncOpenAI
url, items, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
async def main():
    todo = iter(range(items))
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        async def work():
            for n in todo:
                await client.chat.completions.create(
                    model="m", messages=[{"role": "user", "content": f"Item {n}?"}],
                    temperature=0, max_tokens=16)
        await asyncio.gather(*[work() for _ in range(concurrency)])
asyncio.run(main())
"""


@contextmanager
def instant(latency: float = 0.0) -> Iterator[str]:
    command = [sys.executable, str(HERE / "instant.py"), "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101 - it is piped
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def cpu_seconds(command: list[str], **options: object) -> float:
    before = os.times()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    )  # type: ignore[call-overload]
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def suite_folder(folder: Path, items: int) -> Path:
    """Write a suite as one of many items is kept: its head apart, one item a line."""
    suite = folder / f"bench-{items}"
    suite.mkdir()
    (suite / "suite.yaml").write_text(
        "suite: bench\nparams: {temperature: 0, max_tokens: 16}\n", "utf-8"
    )
    lines = (
        json.dumps({"id": f"i{n}", "input": f"Item {n}?", "expect": {"number": 42}})
        for n in range(items)
    )
    (suite / "items.jsonl").write_text("\n".join(lines), "utf-8")
    return suite


def afere(url: str, items: int, concurrency: int, *, replay: bool = False) -> float:
    with tempfile.TemporaryDirectory() as folder:
        suite = suite_folder(Path(folder), items)
        command = [sys.executable, "-m", "afere", "run", str(suite), "-m", "m", "--base-url", url]
        command += ["--rounds", "1", "--concurrency", str(concurrency), "--quiet"]
        first = cpu_seconds(command, cwd=folder)
        return cpu_seconds(command, cwd=folder) if replay else first


def program(source: str, url: str, items: int, concurrency: int) -> float:
    return cpu_seconds([sys.executable, "-c", source, url, str(items), str(concurrency)])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    tools: dict[str, Callable[[str, int], float]] = {
        "bare aiohttp": lambda url, n: program(BARE, url, n, asked.concurrency),
        "afere run": lambda url, n: afere(url, n, asked.concurrency),
        "afere run, again": lambda url, n: afere(url, n, asked.concurrency, replay=True),
    }
    if find_spec("openai"):
        tools["openai SDK"] = lambda url, n: program(OPENAI, url, n, asked.concurrency)
    print(f"{'':18} CPU s for 1   for {asked.items}   ms an item (median of {asked.repeat})")
    with instant() as url:
        for name, measure in tools.items():
            one = statistics.median(measure(url, 1) for _ in range(asked.repeat))
            all_ = statistics.median(measure(url, asked.items) for _ in range(asked.repeat))
            print(f"{name:18} {one:11.2f} {all_:11.2f} {1000 * (all_ - one) / asked.items:12.3f}")


if __name__ == "__main__":
    main()
