"""The same questions asked by other tools, each found in a folder of programs or left out."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from measuring import Cost, measured

__all__ = ["PEERS", "Peer"]

Peer = Callable[[Path, Path, str, int, int], Cost]
"""Measures one tool: program, an empty folder, base URL, items, concurrency."""

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
INSPECT = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

@task
def bench(items: int):
    samples = [Sample(input=f"Item {n}?", target="42") for n in range(items)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match())
"""
LM_EVAL = """
task: bench
dataset_path: json
dataset_kwargs: {data_files: {test: items.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["###"], max_gen_toks: 16, temperature: 0}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
"""
QUIET: Mapping[str, str] = {
    "OPENAI_API_KEY": "none",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
}


def openai_sdk(python: Path, folder: Path, url: str, items: int, concurrency: int) -> Cost:
    return measured([python, "-c", OPENAI, url, items, concurrency], folder)


def inspect_ai(program: Path, folder: Path, url: str, items: int, concurrency: int) -> Cost:
    (folder / "bench.py").write_text(INSPECT, "utf-8")
    command = [program, "eval", "bench.py", "-T", f"items={items}", "--model", "openai/m"]
    command += [
        "-M",
        "responses_api=false",
        "--model-base-url",
        url,
        "--max-connections",
        concurrency,
    ]
    command += ["--max-samples", concurrency, "--max-tokens", 16, "--temperature", 0]
    return measured([*command, "--display", "none"], folder, _own(folder))


def lm_eval(program: Path, folder: Path, url: str, items: int, concurrency: int) -> Cost:
    (folder / "bench.yaml").write_text(LM_EVAL, "utf-8")
    rows = (json.dumps({"question": f"Item {n}?", "answer": "42"}) for n in range(items))
    (folder / "items.jsonl").write_text("\n".join(rows), "utf-8")
    model = f"model=m,base_url={url}/chat/completions,num_concurrent={concurrency}"
    command = [program, "--model", "local-chat-completions", "--model_args", model]
    command += ["--tasks", "bench", "--include_path", ".", "--apply_chat_template"]
    return measured([*command, "--log_samples", "--output_path", "out"], folder, _own(folder))


def promptfoo(program: Path, folder: Path, url: str, items: int, concurrency: int) -> Cost:
    settings = {
        "prompts": ["{{question}}"],
        "providers": [
            {
                "id": "openai:chat:m",
                "config": {"apiBaseUrl": url, "temperature": 0, "max_tokens": 16},
            },
        ],
        "tests": [
            {
                "vars": {"question": f"Item {n}?"},
                "assert": [{"type": "equals", "value": "42"}],
            }
            for n in range(items)
        ],
    }
    (folder / "config.json").write_text(json.dumps(settings), "utf-8")
    command = [program, "eval", "-c", "config.json", "--max-concurrency", concurrency]
    command += ["--no-cache", "--no-table", "--no-progress-bar"]
    return measured(command, folder, _own(folder))


def _own(folder: Path) -> dict[str, str]:
    """Keep what a tool stores in the folder of its run."""
    return {**QUIET, "HF_HOME": str(folder / "hf"), "PROMPTFOO_CONFIG_DIR": str(folder / "own")}


PEERS: Mapping[str, tuple[str, str, Peer]] = {
    "openai SDK": ("python", "import openai; print(openai.__version__)", openai_sdk),
    "lm-eval": ("lm_eval", "import lm_eval; print(lm_eval.__version__)", lm_eval),
    "promptfoo": ("promptfoo", "", promptfoo),
    "inspect_ai": ("inspect", "import inspect_ai; print(inspect_ai.__version__)", inspect_ai),
}
