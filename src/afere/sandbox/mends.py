"""Why a level cannot work on this machine, as far as it can be told without trying; the mend."""

import shutil
import sys
from pathlib import Path

from afere.sandbox.inside import landlock
from afere.sandbox.wasi import has_wasi

__all__ = ["bubblewrap", "mend_for", "missing_for"]

_WSL = "Use WSL2 (wsl --install), or: pip install 'afere[wasm]'"


def missing_for(level: str) -> str:
    """Give why a level needs not be tried here, an empty text where it may work."""
    if level in {"namespaces", "bubblewrap", "landlock"} and sys.platform != "linux":
        return "it needs Linux"
    if level == "bubblewrap" and bubblewrap() is None:
        return "the program bwrap is not installed"
    if level == "landlock" and landlock.version() < landlock.OLDEST:
        found = landlock.version()
        return f"the kernel offers Landlock {found or 'not at all'}, {landlock.OLDEST} is needed"
    if level == "seatbelt" and sys.platform != "darwin":
        return "it needs macOS"
    if level == "wasi" and not has_wasi():
        return "the extra wasm is not installed"
    return ""


def mend_for(level: str) -> str:
    """Give what a person can do to make a level work, an empty text where nothing helps."""
    if sys.platform == "win32":
        return _WSL
    mends = {
        "namespaces": _namespaces(),
        "bubblewrap": "Install bubblewrap: sudo apt install bubblewrap (or dnf, pacman, apk)",
        "landlock": "Use Linux 6.2 or later with landlock among the kernel's lsm= modules",
        "wasi": "pip install 'afere[wasm]'",
    }
    return mends.get(level, "") if sys.platform == "linux" else mends["wasi"]


def bubblewrap() -> str | None:
    """Give the path of bubblewrap, looked for in the system's own folders only."""
    return shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin")


def _namespaces() -> str:
    if _reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"):
        return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    if _reads("/proc/sys/kernel/unprivileged_userns_clone", "0"):
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _reads("/proc/sys/user/max_user_namespaces", "0"):
        return "sudo sysctl -w user.max_user_namespaces=15000"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "Start the container with: --security-opt seccomp=unconfined "
            "--security-opt systempaths=unconfined"
        )
    return "Allow user namespaces, on Linux 5.12 or later"


def _reads(path: str, value: str) -> bool:
    try:
        return Path(path).read_text("ascii").strip() == value
    except OSError:
        return False
