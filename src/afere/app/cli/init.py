"""`afere init`: a commented `models.yaml` and a suite to begin with."""

from pathlib import Path

import click

from afere.app.cli.options import Shared, shared_options, show_json
from afere.domain import UsageError

__all__ = ["command"]

MODELS = """\
# Which endpoints `afere` asks. Keys are never written here, only the variables that hold them.
providers:
  # An OpenAI-compatible endpoint with a key. Limits are optional: requests a minute (rpm) and a day
  # (rpd), tokens a minute (tpm), calls at a time (concurrency).
  openai:
    base_url: https://api.openai.com/v1
    key: ${OPENAI_API_KEY}
    limits: {rpm: 60, concurrency: 8}
  # A server of your own (Ollama, vLLM, llama.cpp, LM Studio): no key.
  mine:
    base_url: http://127.0.0.1:11434/v1
    # timeouts: {connect: 10, total: 600}
    # retries: 3
  # A model that afere itself runs on this machine: known weights, or the path of a GGUF file.
  local:
    engine: llama
    gguf: smollm2-135m

models:
  # The name on the left is what you type: afere run swap-20 -m gpt-5-mini
  gpt-5-mini:
    provider: openai
    # model: the endpoint's own name, where it differs
    # params: {max_tokens: 2048}
    # price: {input: 0.25, output: 2.00}      # USD per million tokens
    # cutoff: 2025-03-01                      # what the model cannot have seen is later
    # headers: {X-Team: eval}
  qwen3:
    provider: mine
  smollm2:
    provider: local
"""
SUITE = """\
# Questions of your own, each with an answer that a rule can check.
suite: mine
language: en              # decides decimal comma, answer markers, words for yes and no
params: {temperature: 0.7, max_tokens: 500}
items:
  - id: minutes
    category: arithmetic
    input: "How many minutes are three hours and a half? Answer with the number only."
    expect: {number: 210}
  - id: status
    category: facts
    input: "Which HTTP status code means that a resource was not found?"
    expect: {number: 404}
  - id: command
    category: shell
    input: "Which git command shows who changed each line of a file? Only the command."
    expect: {contains: {all: ["git blame"]}}
  - id: intent
    category: support
    input: "Is this message a complaint? 'My parcel arrived broken.' Answer yes or no."
    labels: ["yes", "no"]
    expect: {label: "yes"}
"""
FILES = {"models.yaml": MODELS, "suite.yaml": SUITE}


@click.command("init", short_help="Write a commented models.yaml and an example suite.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@shared_options
def command(*, folder: Path, shared: Shared) -> None:
    """Write models.yaml and suite.yaml into FOLDER (here, unless named); nothing is overwritten."""
    folder.mkdir(parents=True, exist_ok=True)
    present = [name for name in FILES if (folder / name).exists()]
    if present:
        raise UsageError(
            f"{folder / present[0]} is there already; nothing was written.\n"
            "Name another folder: afere init FOLDER",
        )
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    if shared.as_json:
        show_json({"files": [str(folder / name) for name in FILES]})
        return
    for name in FILES:
        click.echo(f"wrote {folder / name}")
    click.echo("Next: afere ping -m smollm2, then: afere run suite.yaml -m smollm2")
