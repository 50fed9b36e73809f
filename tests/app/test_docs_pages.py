"""The pages of the documentation: every file in them is read, every command in them runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import Afere
from docs_pages import Knowing, blocks, on_loopback
from servers import ChatServer

import afere as library

sys.path.append(str(Path(__file__).parents[1] / "exams"))

from papers import booklet, key, usual_key

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "calibration"
PAGES = sorted([*ROOT.glob("docs/tutorial*.md"), *ROOT.glob("docs/how-to/*.md")])
ALL = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])


@pytest.fixture
def folder(tmp_path: Path) -> Afere:
    """A folder in which `afere` is a command, as after `. .venv/bin/activate`."""
    commands = tmp_path / "commands"
    commands.mkdir()
    program = commands / "afere"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m afere "$@"\n', "utf-8")
    program.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    return Afere(work)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_command_of_a_page_runs_as_printed(folder: Afere, page: Path) -> None:
    knowing = Knowing()
    _lay_out(folder.folder, page)
    with ChatServer(knowing, models=("small", "large", "big-model", "smollm2-135m")) as server:
        for block in blocks(page):
            text = on_loopback(block.text, server.base_url)
            if block.file:
                path = folder.folder / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
                _learn(knowing, path)
            elif block.language == "sh":
                _type(folder, re.sub(r"^pip install .*\n", "", text, flags=re.MULTILINE))
                for built in folder.folder.glob("*/exam.json"):
                    knowing.learn(library.load_suite(built.parent).items)


def _lay_out(folder: Path, page: Path) -> None:
    """Put into the folder what a page takes for granted: an exam's files, the examples."""
    text = page.read_text("utf-8")
    if "examples/calibration" in text:
        shutil.copytree(EXAMPLE, folder / "examples" / "calibration")
    for name in re.findall(r"\w+_PV_\w+\.pdf", text):
        blue = "CD7" in name
        turned = None if blue else [*range(100, 181), *range(91, 100)]
        paper = booklet(colour="AZUL" if blue else "AMARELO", number=7 if blue else 5, order=turned)
        (folder / name).write_bytes(paper.data())
    for name in re.findall(r"\w+_GB_\w+\.pdf", text):
        (folder / name).write_bytes(key(usual_key()).data())


def _learn(knowing: Knowing, path: Path) -> None:
    if path.name == "items.jsonl":
        knowing.learn(library.load_suite(path.parent).items)
    elif "\nitems:" in path.read_text("utf-8") and path.suffix == ".yaml":
        knowing.learn(library.load_suite(path).items)


def _type(folder: Afere, commands: str) -> None:
    environment = folder.environment(AFERE_API_KEY="a-key-of-the-tests")
    environment["PATH"] = f"{folder.folder.parent / 'commands'}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    told = f"$ {commands}\n{done.stdout}\n--- stderr\n{done.stderr}"
    assert done.returncode == 0, told
    assert "Traceback" not in told, told


@pytest.mark.parametrize("page", ALL, ids=[str(page.relative_to(ROOT)) for page in ALL])
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), target
