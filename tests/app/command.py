"""Starts the program as a user would, in a folder of its own and with a bare environment."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

KEPT = ("PATH", "HOME", "SYSTEMROOT", "PYTHONPATH", "TMPDIR")


class Afere:
    """The command `afere` in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        if "PYTHONPATH" in kept:  # the program starts in another folder
            kept["PYTHONPATH"] = str(Path(kept["PYTHONPATH"]).absolute())
        own = {"LC_ALL": "C.UTF-8", "AFERE_CACHE": str(self.folder / "cache")}
        return {**kept, **own, **more}

    def __call__(self, *arguments: str, **environment: str) -> "Ended":
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(**environment),
            capture_output=True,
            timeout=100,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        out, err = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
        return Ended(done.returncode, out, err)

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )

    @staticmethod
    def command(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "afere", *arguments]

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, "utf-8")
        return path


class Ended:
    """How a command ended; a traceback is never shown to a user."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err
        assert "Traceback" not in out + err, err
        assert "A fault of afere itself" not in err, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"exit {self.code}\n{self.out}\n--- stderr\n{self.err}"
