"""Seconds and memory of a comparison of large result files, read by the real program.

1,000,000 items, 3 rounds, 2 models in one Parquet file, and the same rows as CSV and JSON lines.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ITEMS, ROUNDS = 1_000_000, 3
MODELS = {"base": 0.72, "cand": 0.70}
CATEGORIES = 40


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, items)
        print(f"{items:,} items, {ROUNDS} rounds, {len(MODELS)} models")
        for ending in ("parquet", "csv", "jsonl"):
            size = (folder / f"scores.{ending}").stat().st_size / 1e6
            seconds, cpu, megabytes, verdict = compared(folder, ending)
            print(
                f"{ending:8} {size:7.1f} MB  {seconds:6.2f} s ({cpu:.2f} s CPU)  "
                f"{megabytes:6.0f} MB peak  {verdict}"
            )


def write(folder: Path, items: int) -> None:
    """Write the same rows three times."""
    texts = {ending: (folder / f"scores.{ending}").open("w") for ending in ("csv", "jsonl")}
    schema = pa.schema(
        [
            ("item", pa.string()),
            ("model", pa.string()),
            ("round", pa.int64()),
            ("score", pa.float64()),
            ("category", pa.string()),
        ],
    )
    texts["csv"].write(",".join(schema.names) + "\n")
    with pq.ParquetWriter(folder / "scores.parquet", schema) as parquet:
        for batch in batches(items):
            columns = [list(column) for column in zip(*batch, strict=True)]
            parquet.write_batch(pa.record_batch(columns, schema=schema))
            texts["csv"].writelines(f"{','.join(map(str, row))}\n" for row in batch)
            texts["jsonl"].writelines(
                f"{json.dumps(dict(zip(schema.names, row, strict=True)))}\n" for row in batch
            )
    for file in texts.values():
        file.close()


def batches(items: int) -> Iterator[list[tuple[str, str, int, float, str]]]:
    chance = random.Random(7)  # noqa: S311 - no secret
    ids = [f"item-{n:07}" for n in range(items)]
    ease = [chance.betavariate(2, 1) for _ in ids]
    for model, mean in MODELS.items():
        for number in range(1, ROUNDS + 1):
            for start in range(0, items, 100_000):
                yield [
                    (
                        ids[n],
                        model,
                        number,
                        float(chance.random() < min(1.0, ease[n] * mean / 0.667)),
                        f"c{n % CATEGORIES}",
                    )
                    for n in range(start, min(start + 100_000, items))
                ]


def compared(folder: Path, ending: str) -> tuple[float, float, float, str]:
    """Compare the two models of a file in a process of its own.

    Gives wall seconds, CPU seconds, megabytes at the peak, and what came out.
    """
    sides = [f"scores.{ending}::{model}" for model in MODELS]
    command = [sys.executable, "-m", "afere", "compare", *sides, "--json", "--quiet"]
    out = folder / "verdict.json"
    start = time.perf_counter()
    with out.open("wb") as file:
        process = subprocess.Popen(command, cwd=folder, stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"{ending}: the comparison ended with {process.returncode}")
    found = json.loads(out.read_text("utf-8"))
    cpu = usage.ru_utime + usage.ru_stime
    return seconds, cpu, usage.ru_maxrss / 1024, f"{found['verdict']} {found['interval']}"


if __name__ == "__main__":
    main()
