"""The child process that serves a GGUF file: a program, never imported.

It stands alone (nothing of `afere` is imported), so that it starts by its path wherever the
package lies. It writes `ready URL` to its standard output and ends when its standard input does,
that is also when its parent is killed.
"""

import argparse
import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path

_DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG


def main() -> None:
    """Serve until the parent closes our standard input."""
    parent = os.getppid()
    chosen = _arguments()
    _leave_with_parent(parent)
    threads = _calm_threads(chosen.threads)
    told = os.dup(1)
    os.dup2(2, 1)  # what the engine writes to its standard output is its log

    import xllamacpp  # after the variables above, which it reads once

    params = xllamacpp.CommonParams()
    params.model.path = chosen.gguf
    params.model_alias = {chosen.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # the system gives a free one
    params.n_parallel = chosen.slots
    params.n_ctx = chosen.slots * chosen.context  # the total, shared over the slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = 0
    params.cache_prompt = False  # a reused prefix would make an answer depend on the one before
    params.verbosity = 2
    params.ui = False
    params.offline = True
    try:
        server = xllamacpp.Server(params)  # returns when it listens
        os.write(told, f"ready {server.listening_address}\n".encode())
        os.close(told)
        threading.Event().wait()  # until a signal or the end of our input
    except Exception as error:  # noqa: BLE001 - whatever the engine says goes to the log
        os.write(2, f"{error}\n".encode())
        os._exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--alias", required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, default=None)
    return parser.parse_args()


def _cores() -> int:
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _leave_with_parent(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the line above
            os._exit(0)
    threading.Thread(target=_watch_input, daemon=True).start()


def _watch_input() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)  # the engine's threads do not end by themselves


def _calm_threads(wanted: int | None) -> int:
    """Give the number of threads, and keep idle ones from spinning at the cost of those that work.

    Alone on the machine, threads on all cores spin a little between two steps, which is fastest.
    Beside others that starves everything, so fewer threads are taken, and idle ones sleep at once.
    (GOMP_SPINCOUNT must be unset for that: it goes before OMP_WAIT_POLICY.)
    """
    cores = _cores()
    others = _running_beside_us()
    if others == 0:
        os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    elif "GOMP_SPINCOUNT" not in os.environ:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return wanted or max(1, cores - others)


def _running_beside_us() -> int:
    """Count what else runs just now, in the middle of some looks; 0 where that cannot be seen."""
    looks = []
    for _ in range(9):
        try:
            running = Path("/proc/loadavg").read_text("ascii").split()[3].split("/")[0]
        except (OSError, IndexError):
            return 0
        looks.append(int(running) - 1)  # one of them is us
        time.sleep(0.02)
    return max(0, sorted(looks)[len(looks) // 2])


if __name__ == "__main__":
    main()
