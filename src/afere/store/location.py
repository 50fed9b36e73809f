"""Where a store is: a file of SQLite, or the URL of a database server."""

import os
from dataclasses import dataclass
from pathlib import Path

from afere.domain import NoStoreError, Sentence, StoreError

__all__ = ["Place", "find_place", "share_kind"]

_SQLITE = ("sqlite", "sqlite+pysqlite")
_KNOWN = ("sqlite", "postgresql")
_SHARES = [
    "9p",
    "afpfs",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "davfs",
    "glusterfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "smb2",
    "smb3",
    "smbfs",
    "vboxsf",
    "fuse.afpfs",
    "fuse.ceph",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.smbnetfs",
    "fuse.sshfs",
]
_NOTHING_YET = (
    "there is no store at {path} yet: nothing was asked from this folder.\n"
    "Type first: afere run SUITE -m MODEL   (a store elsewhere: --store PATH)"
)
_MOUNTS = Path("/proc/self/mountinfo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a store is.

    name: how messages call it; never with a password.
    file: the file of SQLite, None for a server, whose address is `url`.
    share: the kind of network share that the file lies on, None on a disk of this machine.
    writable: whether both the file and its folder can be written.
    """

    name: str
    file: Path | None = None
    url: str = ""
    share: str | None = None
    writable: bool = True

    @property
    def warnings(self) -> tuple[Sentence, ...]:
        """What a user should know of this place."""
        if self.share is None:
            return ()
        return (
            Sentence(
                "{file} lies on a network share ({kind}): slower, and safe only while one machine "
                "uses it. A file on this machine's own disk is better.",
                file=self.name,
                kind=self.share,
            ),
        )


def find_place(url: str, *, make: bool = True) -> Place:
    """Read a path or URL, and make the folder of a file where it is missing.

    make: else nothing is made, and NoStoreError is raised where there is no file.
    Raises StoreError for a folder in the file's place and for a folder that cannot be made.
    """
    scheme, mark, rest = url.partition("://")
    if mark and scheme.partition("+")[0] not in _KNOWN:
        raise StoreError(f"{scheme!r} is no database that afere knows.\nName a file: afere.db")
    if mark and scheme not in _SQLITE:
        return Place(name=_without_password(url), url=url)
    path = rest.partition("?")[0].removeprefix("/") if mark else url
    if not path or path == ":memory:":
        raise StoreError(f"{url!r} names no file.\nName one: --store afere.db")
    file = Path(path)
    try:
        if file.is_dir():
            raise StoreError(f"{file} is a folder.\nName a file in it: {file / 'afere.db'}")
        if not make and not file.exists():
            raise NoStoreError(_NOTHING_YET.format(path=path))
        file.parent.mkdir(parents=True, exist_ok=True)
        writable = not file.exists() or os.access(file, os.W_OK)
        writable = writable and os.access(file.parent, os.W_OK)
        return Place(name=path, file=file, share=_share_of(file), writable=writable)
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{path!r}: the store cannot be there ({_reason(error)}).\n"
            "Name a file elsewhere with --store.",
        ) from error


def share_kind(device: str, mounts: str) -> str | None:
    """Give the kind of network share of a device (`MAJOR:MINOR`), by Linux's `mountinfo`."""
    for line in mounts.splitlines():
        mount, _, filesystem = line.partition(" - ")
        if mount.split(" ")[2:3] == [device]:
            kind = filesystem.split(" ")[0]
            return kind if kind in _SHARES else None
    return None


def _share_of(file: Path) -> str | None:
    try:
        mounts = _MOUNTS.read_text("utf-8", "replace")
        device = (file if file.exists() else file.parent).stat().st_dev
    except OSError:
        return None  # no Linux: the share, if it is one, is not seen
    return share_kind(f"{os.major(device)}:{os.minor(device)}", mounts)


def _reason(error: OSError | ValueError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _without_password(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    login, at, address = rest.rpartition("@")
    return f"{scheme}{mark}{login.partition(':')[0]}{at}{address.partition('?')[0]}"
