"""CPU time of one answer: asked of an instant server in another process, graded, durably stored.

Prints milliseconds of CPU (user + system, whole process) an item beyond the same command with one
item, least of several runs, beside bare aiohttp and the tools that are found; then replay, memory,
a slow server and the cold start, all in one run.

python bench/throughput.py [--items 2000] [--many 50000] [--concurrency 64] [--repeat 3]
                           [--peers FOLDER[:FOLDER…]]   (programs of others; or AFERE_BENCH_PEERS)
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path

from measuring import Cost, cpu_seconds, instant, measured
from peers import PEERS

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
COLD = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import afere": [sys.executable, "-c", "import afere"],
    "afere --help": [sys.executable, "-m", "afere", "--help"],
    "afere run --help": [sys.executable, "-m", "afere", "run", "--help"],
}
LATENCY, SLOW_ITEMS, SLOW_CONCURRENCY = 0.2, 1000, 100

Tool = Callable[[Path, str, int, int], Cost]
"""Measures one tool: an empty folder, base URL, items, concurrency."""


def suite_folder(folder: Path, items: int) -> Path:
    """Write a suite as one of many items is kept: its head apart, one item a line."""
    suite = folder / f"bench-{items}"
    suite.mkdir()
    head = "suite: bench\nparams: {temperature: 0, max_tokens: 16}\n"
    (suite / "suite.yaml").write_text(head, "utf-8")
    lines = (
        json.dumps({"id": f"i{n}", "input": f"Item {n}?", "expect": {"number": 42}})
        for n in range(items)
    )
    (suite / "items.jsonl").write_text("\n".join(lines), "utf-8")
    return suite


def bare(folder: Path, url: str, items: int, concurrency: int) -> Cost:
    return measured([sys.executable, "-c", BARE, url, items, concurrency], folder)


def afere(folder: Path, url: str, items: int, concurrency: int, *, replay: bool = False) -> Cost:
    command = [sys.executable, "-m", "afere", "run", suite_folder(folder, items), "-m", "m"]
    command += ["--base-url", url, "--rounds", 1, "--concurrency", concurrency, "--quiet"]
    first = measured(command, folder)
    return measured(command, folder) if replay else first


def peers(folders: str) -> dict[str, tuple[str, Tool | None]]:
    """Give each peer with its version, None where its program is in none of the folders."""
    found: dict[str, tuple[str, Tool | None]] = {}
    for name, (program, version, measure) in PEERS.items():
        places = [shutil.which(program, path=folder) for folder in folders.split(":") if folder]
        for place in filter(None, places):
            command = [place, "--version"]
            if version:
                command = [str(Path(place).with_name("python")), "-c", version]
            told = subprocess.run(command, capture_output=True, text=True, check=False)
            if told.returncode == 0:
                words = told.stdout.split() or ["?"]
                found[name] = words[-1], partial(measure, Path(place))
                break
        else:
            found[name] = "not installed", None
    return found


def answered(url: str) -> int:
    """Give how many questions the instant server has answered."""
    with urllib.request.urlopen(url) as reply:  # noqa: S310 - our own server on loopback
        return int(reply.read())


def least(tool: Tool, url: str, items: int, concurrency: int, repeat: int) -> Cost:
    costs = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as folder:
            before = answered(url)
            costs.append(tool(Path(folder), url, items, concurrency))
            if answered(url) - before < items:
                raise subprocess.CalledProcessError(0, "", stderr="it asked too few questions")
    return min(costs, key=lambda cost: cost.cpu)


def throughput(url: str, asked: argparse.Namespace) -> None:
    again = partial(afere, replay=True)
    rows: list[tuple[str, Tool | None, int, int]] = [
        ("bare aiohttp", bare, asked.items, asked.repeat),
        ("afere run", afere, asked.items, asked.repeat),
        ("afere run, again", again, asked.items, asked.repeat),
    ]
    if asked.many:
        rows += [
            ("bare aiohttp", bare, asked.many, 1),
            ("afere run", afere, asked.many, 1),
            ("afere run, again", again, asked.many, 1),
        ]
    rows += [
        (f"{name} {version}", tool, asked.items, 1)
        for name, (version, tool) in peers(asked.peers).items()
    ]
    print(
        f"{'':26} {'items':>7} {'CPU s for 1':>12} {'for all':>8} {'ms an item':>11} {'peak MB':>8}"
    )
    for name, tool, items, repeat in rows:
        if tool is None:
            print(name)
            continue
        try:
            one = least(tool, url, 1, asked.concurrency, repeat)
            all_ = least(tool, url, items, asked.concurrency, repeat)
        except subprocess.CalledProcessError as error:
            print(f"{name:26} failed with exit code {error.returncode}: {error.stderr[-300:]}")
            continue
        each = 1000 * (all_.cpu - one.cpu) / items
        print(
            f"{name:26} {items:7} {one.cpu:12.2f} {all_.cpu:8.2f} {each:11.3f} {all_.peak:8.0f}",
            flush=True,
        )


def slow_server(repeat: int) -> None:
    with instant(LATENCY) as url:
        one = min(least(afere, url, 1, SLOW_CONCURRENCY, 1).wall for _ in range(repeat))
        all_ = min(least(afere, url, SLOW_ITEMS, SLOW_CONCURRENCY, 1).wall for _ in range(repeat))
    ideal = LATENCY * SLOW_ITEMS / SLOW_CONCURRENCY
    spent = all_ - (one - LATENCY)
    print(
        f"\n{1000 * LATENCY:.0f} ms a reply, {SLOW_CONCURRENCY} at a time, {SLOW_ITEMS} items: "
        f"{spent:.2f} s beyond start-up, {spent / ideal:.2f} of the ideal {ideal:.1f} s",
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--many", type=int, default=50_000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peers", default=os.environ.get("AFERE_BENCH_PEERS", ""))
    asked = parser.parse_args()
    cpu_seconds(COLD["afere run --help"])  # bytecode is written once
    with instant() as url:
        throughput(url, asked)
    slow_server(asked.repeat)
    print()
    for name, command in COLD.items():
        seconds = min(cpu_seconds(command) for _ in range(7))
        print(f"{name:18} {seconds:.3f} s CPU")


if __name__ == "__main__":
    main()
