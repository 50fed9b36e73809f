"""Reads PDFs in a process of its own, with an end to its time and memory.

A PDF is a program for a page: small files can ask for more than a machine has. The child gives
back plain JSON, never objects; when it is killed or runs out, the user is told so in words.
"""

import contextlib
import gc
import multiprocessing
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from afere.domain import decode, encode, from_plain
from afere.exams.booklet import Booklet, read_booklet
from afere.exams.crops import crops
from afere.exams.errors import ExamError
from afere.exams.key import Key, read_key
from afere.exams.page import Box
from afere.exams.profile import Profile

__all__ = ["Bounds", "booklet_of", "draw", "key_of"]

MOST_BYTES = 200 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What reading one PDF may cost: seconds of computing, seconds in all, bytes of memory."""

    cpu: int = 60
    wall: int = 180
    memory: int = 1536 * 1024 * 1024


def booklet_of(data: bytes, profiles: Sequence[Profile], bounds: Bounds) -> Booklet:
    """Read a booklet in a child process; raises ExamError, also for what costs too much."""
    return from_plain(Booklet, _asked("booklet", (data, encode(list(profiles))), bounds))


def key_of(data: bytes, profile: Profile, bounds: Bounds) -> Key:
    """Read a key in a child process; raises ExamError, also for what costs too much."""
    return from_plain(Key, _asked("key", (data, encode(profile)), bounds))


def draw(
    data: bytes, places: Mapping[str, tuple[tuple[int, Box], ...]], folder: Path, bounds: Bounds
) -> dict[str, str]:
    """Draw crops into a folder as NAME.png; gives each one's SHA-256."""
    plain = _asked("crops", (data, encode(places), str(folder)), bounds)
    return {str(name): str(sha) for name, sha in plain.items()}


def _asked(task: str, arguments: tuple[bytes | str, ...], bounds: Bounds) -> Any:  # noqa: ANN401
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(theirs, task, arguments, bounds), daemon=True)
    child.start()
    theirs.close()
    try:
        answer = ours.recv_bytes() if ours.poll(bounds.wall) else b""
    except EOFError:
        answer = b""
    finally:
        ours.close()
        child.join(1)
        if child.is_alive():
            child.kill()
            child.join()
        child.close()
    if not answer:
        raise ExamError(
            "this PDF takes more time or memory than any booklet does; reading it was stopped\n"
            "Is it the booklet as it was published?"
        )
    found = decode(answer)
    if "fault" in found:
        raise ExamError(found["fault"])
    return found["result"]


def _work(pipe: Connection, task: str, arguments: tuple[Any, ...], bounds: Bounds) -> None:
    """Do one task in the child."""
    _bind(bounds)
    sys.setrecursionlimit(2000)
    gc.disable()  # a short life of many small values, and its memory is bounded
    answer: dict[str, object]
    try:
        answer = {"result": TASKS[task](*arguments)}
    except ExamError as error:
        answer = {"fault": str(error)}
    except (MemoryError, RecursionError):
        return  # the parent says what an empty answer means
    except Exception as error:  # noqa: BLE001 - whatever a hostile file brings about, in a line
        kind = type(error).__name__
        answer = {"fault": f"this PDF cannot be read ({kind})\nDownload it again."}
    pipe.send_bytes(encode(answer).encode("ascii"))
    pipe.close()


def _bind(bounds: Bounds) -> None:
    """Set the limits of this process, where the system has them."""
    try:
        import resource
    except ImportError:  # no such limits on this system: the parent's clock remains
        return
    for kind, limit in (
        (resource.RLIMIT_CPU, bounds.cpu),
        (resource.RLIMIT_AS, bounds.memory),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # a lower limit holds already
            resource.setrlimit(kind, (limit, limit))


def _booklet(data: bytes, profiles: str) -> Booklet:
    return read_booklet(data, [from_plain(Profile, each) for each in decode(profiles)])


def _key(data: bytes, profile: str) -> Key:
    return read_key(data, from_plain(Profile, decode(profile)))


def _crops(data: bytes, places: str, folder: str) -> dict[str, str]:
    import hashlib

    wanted = [
        (name, [(int(number), from_plain(Box, box)) for number, box in boxes])
        for name, boxes in decode(places).items()
    ]
    drawn = {}
    for name, picture in crops(data, wanted):
        (Path(folder) / f"{name}.png").write_bytes(picture)
        drawn[name] = hashlib.sha256(picture).hexdigest()
    return drawn


TASKS: Mapping[str, Callable[..., object]] = {"booklet": _booklet, "key": _key, "crops": _crops}
