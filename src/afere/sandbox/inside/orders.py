"""What the runner tells a zygote: once how to isolate, then for each task its limits."""

from dataclasses import dataclass, fields
from typing import Any

from .codec import decode, encode

__all__ = ["Order", "Setting"]


@dataclass(frozen=True)
class Setting:
    """How a zygote isolates its tasks.

    namespaces: a root of our own, and process, mount and network namespaces.
    landlock, seccomp: whether Linux's rules for files and the filter of calls are put on.
    seatbelt: whether the sandbox of macOS is put on.
    private: the files in reach are the sandbox's own, so changing their modes is harmless.
    folder: where no mount namespace is, the folder in which each task gets one.
    visible: files and folders of the host to be read: the interpreter, packages.
    packages: of those, what is to be importable.
    preload: modules to be loaded before the first task.
    """

    namespaces: bool
    landlock: bool
    seccomp: bool
    seatbelt: bool
    private: bool
    folder: str
    visible: tuple[str, ...]
    packages: tuple[str, ...]
    preload: tuple[str, ...]

    @classmethod
    def of(cls, plain: dict[str, Any]) -> "Setting":
        """Read the form that `plain` gave."""
        lists = {name: tuple(plain[name]) for name in ("visible", "packages", "preload")}
        return cls(**{**plain, **lists})

    def plain(self) -> dict[str, Any]:
        """Give a form that crosses as JSON."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True)
class Order:
    """The limits of one task, in seconds, bytes and counts, known before its content is read.

    kind: `python`, `shell`, `sql` or `regex`; only a shell may start programs.
    """

    kind: str
    cpu: float
    wall: float
    memory: int
    processes: int
    files: int
    output: int
    file_size: int

    @classmethod
    def of(cls, plain: dict[str, Any]) -> "Order":
        """Read the form that `plain` gave."""
        return cls(**{name: decode(value) for name, value in plain.items()})

    def plain(self) -> dict[str, Any]:
        """Give a form that crosses as JSON."""
        return {each.name: encode(getattr(self, each.name)) for each in fields(self)}

    @property
    def fork(self) -> bool:
        """Whether the task may have processes of its own."""
        return self.kind == "shell" or self.processes > 1

    @property
    def execute(self) -> bool:
        """Whether the task may start other programs."""
        return self.kind == "shell"
