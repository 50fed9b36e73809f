"""An outer guard for hostile cases: namespaces, throw-away folders and limits round the test.

Started with a user (`root` or `user`), a program beside this one, and the program's arguments. It
runs the program where nothing of this machine can be harmed, even at a level that isolates
nothing: every file system is read-only or a copy in memory, there is no network, and all
processes end with the guard. It puts out baits: users, keys, sockets, a secret in pid 1.
"""

import ctypes
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

import afere
from afere.sandbox.inside import kernel

HERE = Path(__file__).parent
SECRET = "hunter2"  # noqa: S105 - a bait
COVERED = ("/tmp", "/var/tmp", "/dev/shm", "/home", "/root", "/srv", "/mnt", "/media", "/opt")  # noqa: S108
PORT = 47999
MEMORY, PROCESSES = 8 << 30, 2000
ORDINARY = 4321


def guarded(user: str, program: str, *arguments: str, timeout: float = 100) -> str:
    """Run a program of this folder under the guard; gives what it printed.

    Raises OSError where the guard cannot be built, with the reason.
    """
    if shutil.which("unshare") is None:
        raise OSError("the program unshare is not here")
    real_root = os.geteuid() == 0
    if user == "root" and not real_root:
        raise OSError("only root can test as root")
    names = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
    names += [] if real_root else ["--user", "--map-root-user"]
    inside = [sys.executable, "-P", str(Path(__file__).resolve()), user, program, *arguments]
    done = subprocess.run(
        ["unshare", *names, "--", *inside],
        capture_output=True,
        check=False,
        timeout=timeout,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{_source()}:{HERE}",
            "SECRET_TOKEN": SECRET,
        },
        stdin=subprocess.DEVNULL,
    )
    if done.returncode == 77:
        raise OSError(done.stderr.decode("utf-8", "replace").strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-3000:]
    return done.stdout.decode("utf-8", "replace")


def main() -> None:
    user, program, *arguments = sys.argv[1:]
    try:
        _build()
    except OSError as error:
        sys.stderr.write(f"the guard cannot be built: {error}\n")
        raise SystemExit(77) from error
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    step_down = ["setpriv", "--reuid", str(ORDINARY), "--regid", str(ORDINARY), "--clear-groups"]
    as_user = step_down if user == "user" and _real_root() else []
    script = str(HERE / program)
    done = subprocess.run(
        [*as_user, sys.executable, "-P", script, *arguments],
        check=False,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{_source()}:{HERE}",
            "SECRET_TOKEN": SECRET,
        },
        cwd="/",
    )
    raise SystemExit(done.returncode)


def _build() -> None:
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    kept = _kept()
    places = [(path, os.open(path, os.O_PATH)) for path in kept]
    _overlay("/usr")
    _overlay("/etc")
    flags = struct.pack("QQQQ", kernel.RDONLY, 0, 0, 0)
    writable = ("/usr", "/etc", "/dev", "/proc")
    for path in _mounts():
        if not path.startswith(writable):
            kernel.system_call("mount_setattr", 442, -100, path.encode(), 0, flags, len(flags))
    for path in COVERED:
        if Path(path).is_dir() and not Path(path).is_symlink():
            kernel.mount("tmpfs", path, "tmpfs", kernel.NOSUID, "size=1g,mode=1777")
    for path, place in places:
        if not Path(path).exists():
            Path(path).mkdir(parents=True)
            kernel.mount(f"/proc/self/fd/{place}", path, None, kernel.BIND | kernel.RECURSIVE)
            kernel.system_call("mount_setattr", 442, -100, path.encode(), 0x8000, flags, len(flags))
        os.close(place)
    kernel.mount("proc", "/proc", "proc", kernel.NOSUID | kernel.NODEV | kernel.NOEXEC)
    _put_baits_out()


def _kept() -> list[str]:
    """Give the folders that the program needs, wherever they lie."""
    paths = [sys.prefix, sys.base_prefix, str(HERE), _source()]
    real = [str(Path(path).resolve()) for path in paths]
    return sorted(dict.fromkeys(real), key=len)


def _mounts() -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text("utf-8").splitlines()
    return list(dict.fromkeys(line.split()[4] for line in lines))


def _overlay(path: str) -> None:
    """Cover a folder with a copy-on-write one whose changes live in memory."""
    kernel.mount("tmpfs", "/mnt", "tmpfs", 0, "size=1g,mode=755")
    for name in ("upper", "work"):
        Path("/mnt", name).mkdir()
    kernel.mount(
        "overlay", path, "overlay", 0, f"lowerdir={path},upperdir=/mnt/upper,workdir=/mnt/work"
    )
    kernel.unmount("/mnt")


def _put_baits_out() -> None:
    key = Path("/home/tester/.ssh/id_bait")
    key.parent.mkdir(parents=True)
    key.write_text("PRIVATE KEY bait", "ascii")
    for path in (key.parent.parent, key.parent, key):
        path.chmod(0o755)
    _loopback_up()


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0x41)  # up and running
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ioctl(any_socket.fileno(), 0x8914, request)


def _real_root() -> bool:
    return Path("/proc/self/uid_map").read_text("ascii").split()[:2] == ["0", "0"]


def _source() -> str:
    return str(Path(afere.__file__).parent.parent.resolve())


if __name__ == "__main__":
    main()
