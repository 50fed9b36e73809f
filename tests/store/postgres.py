"""A PostgreSQL server of the tests' own, in a folder that is thrown away."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PLACES = "/usr/lib/postgresql/*/bin"


def programs() -> Path:
    """Find the server's programs; skips the test where none is installed."""
    pytest.importorskip("psycopg", reason="PostgreSQL's driver is not installed")
    on_path = shutil.which("initdb")
    found = sorted(Path("/").glob(PLACES.lstrip("/"))) + ([Path(on_path).parent] if on_path else [])
    if not found:
        pytest.skip("no PostgreSQL server is installed here (initdb was looked for)")
    return found[-1]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def running_server() -> Iterator[str]:
    """Start a server and give the beginning of its URLs, up to the database's name."""
    bin_ = programs()
    folder = Path(tempfile.mkdtemp(prefix="afere-pg-"))
    user = _other_user()
    try:
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        data, port = folder / "data", free_port()
        settings = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        _call(user, bin_ / "initdb", "-D", data, "-U", "afere", "-A", "trust", "-E", "UTF8")
        control = bin_ / "pg_ctl", "-D", data, "-w", "-t", "60"
        _call(user, *control, "-l", folder / "log", "-o", settings, "start")
        try:
            yield f"postgresql+psycopg://afere@127.0.0.1:{port}/"
        finally:
            _call(user, *control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _other_user() -> pwd.struct_passwd | None:
    """Give whom the server runs as where we are the superuser, whom it refuses."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("PostgreSQL does not run as the superuser, and there is no other user")


def _call(user: pwd.struct_passwd | None, *words: object) -> None:
    done = subprocess.run(
        [str(word) for word in words],
        user=None if user is None else user.pw_uid,
        group=None if user is None else user.pw_gid,
        extra_groups=None if user is None else [],
        cwd="/",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=120,
    )
    if done.returncode:
        pytest.skip(f"PostgreSQL could not be run: {Path(str(words[0])).name} failed")
