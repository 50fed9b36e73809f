"""The GitHub Actions example: a whole workflow whose every command runs as printed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import Afere
from jsonschema import Draft7Validator
from servers import ChatServer
from twenty import SUITE, models_yaml

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "github-actions" / "afere.yml"
TEXTS = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
STEP = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "id": {"type": "string"},
        "if": {"type": "string"},
        "uses": {"type": "string", "pattern": r"^[\w-]+/[\w-]+@v\d+$"},
        "run": {"type": "string", "minLength": 1},
        "with": TEXTS,
        "env": TEXTS,
        "shell": {"enum": ["bash", "sh"]},
    },
    "oneOf": [{"required": ["uses"]}, {"required": ["run"]}],
}
WORKFLOW = {
    "type": "object",
    "required": ["name", "on", "permissions", "jobs"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "on": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"pull_request": {"type": "object"}, "workflow_dispatch": {}},
        },
        "permissions": {"type": "object", "additionalProperties": {"enum": ["read", "write"]}},
        "concurrency": {"type": "object", "required": ["group"]},
        "jobs": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {
                "type": "object",
                "required": ["runs-on", "timeout-minutes", "steps"],
                "properties": {
                    "env": TEXTS,
                    "steps": {"type": "array", "minItems": 1, "items": STEP},
                },
            },
        },
    },
}


def workflow() -> Mapping[str, Any]:
    found = yaml.load(EXAMPLE.read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - texts alone
    found["jobs"]["gate"]["timeout-minutes"] = int(found["jobs"]["gate"]["timeout-minutes"])
    return dict(found)


def commands() -> list[str]:
    return [step["run"] for step in workflow()["jobs"]["gate"]["steps"] if "run" in step]


class Job:
    """Runs the steps' commands as the runner does, in a folder laid out as the workflow's."""

    def __init__(self, project: Afere) -> None:
        self.folder = project.folder
        self.summary = project.folder / "summary.md"
        target = project.folder / "installed"
        own = {
            "PATH": os.pathsep.join(
                [str(target / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
            ),
            "PYTHONPATH": str(target),
            "PIP_TARGET": str(target),
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }
        named = workflow()["jobs"]["gate"]["env"]
        env = {name: value for name, value in named.items() if "${{" not in value}
        self.environment = {**project.environment(), **env, **own}

    def run(self, script: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )


@pytest.fixture
def job(project: Afere, server: ChatServer) -> Job:
    (project.folder / "evals").mkdir()
    project.write("evals/suite.yaml", SUITE)
    both = "  big: {provider: here, model: good}\n  small: {provider: here, model: fair}\n"
    project.write("models.yaml", models_yaml(server.base_url) + both)
    return Job(project)


def test_the_example_is_a_whole_workflow() -> None:
    Draft7Validator(WORKFLOW).validate(workflow())


def test_no_expression_is_pasted_into_a_command() -> None:
    assert len(commands()) == 3
    assert not [command for command in commands() if "${{" in command]


def test_every_command_of_the_example_runs_and_the_gate_fails_the_job(job: Job) -> None:
    for missing in ("pip", "hatchling"):
        pytest.importorskip(missing, reason="installing from a checkout needs it")
    install, ask, judge = commands()
    for name in ("src", "README.md", "LICENSE", "pyproject.toml"):
        source, target = ROOT / name, job.folder / ".afere-source" / name
        target.parent.mkdir(exist_ok=True)
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, target)
    installed = job.run(install)
    assert installed.returncode == 0, installed.stderr
    assert (job.folder / "installed" / "afere" / "report" / "locale" / "pt-BR.po").is_file()
    asked = job.run(ask)
    assert asked.returncode == 0, asked.stderr
    judged = job.run(judge)
    assert judged.returncode == 1, judged.stderr
    assert "gate not-worse failed: worse: small" in judged.stdout
    comment = (job.folder / "comment.md").read_text("utf-8")
    assert comment.startswith("### 🔴 worse: small")
    assert job.summary.read_text("utf-8") == comment
    assert (job.folder / "afere.xml").read_text("utf-8").startswith("<?xml")
