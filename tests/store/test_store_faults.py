"""What can be wrong with a store's place: said in plain words, and nothing lost."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from store_samples import attempt, plan, request, response, row, started, suite

from afere.domain import Attempt, StoreError
from afere.store import SqlStore, open_store
from afere.store.engine import open_database
from afere.store.location import Place, find_place, share_kind


async def opened(path: Path, lock_wait: float = 0.05) -> SqlStore:
    return await open_store(str(path), clock=lambda: 0.0, lock_wait=lock_wait)


def refused(path: Path | str) -> str:
    async def story() -> str:
        with pytest.raises(StoreError) as raised:
            await open_store(str(path), clock=lambda: 0.0, lock_wait=0.05)
        return str(raised.value)

    text = asyncio.run(story())
    assert len(text.splitlines()) <= 3
    return text


def filled(path: Path, answers: int = 3) -> None:
    """Make a store with a run and its answers."""

    async def story() -> None:
        store = await opened(path)
        items = [f"p{number}" for number in range(answers)]
        kept = plan(suite(*items))
        number = await store.begin(kept, suite(*items), started())
        await asyncio.gather(*(store.keep_attempt(attempt(item)) for item in items))
        await asyncio.gather(*(store.keep_row(kept.id, row(item)) for item in items))
        await store.end(kept.id, number, replace(started(), finished=6.0))
        await store.close()

    asyncio.run(story())


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """Mount a disk in memory: needs the rights of the superuser."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs the rights of the superuser")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def remount(disk: Path, option: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{option}", str(disk)], check=True)


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    filled(tmp_path / "a" / "b" / "afere.db")
    assert (tmp_path / "a" / "b" / "afere.db").is_file()


def test_a_path_and_its_url_are_one_place(tmp_path: Path) -> None:
    file = tmp_path / "what? 50%#.db"
    assert find_place(str(file)).file == file
    filled(file)
    assert file.is_file()
    with chdir(tmp_path):
        assert find_place("sqlite:///rel/ative.db?timeout=3").file == Path("rel/ative.db")
    plain = tmp_path / "afere.db"
    assert find_place(f"sqlite:///{plain}").file == plain


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert refused(tmp_path) == (
        f"{tmp_path} is a folder.\nName a file in it: {tmp_path / 'afere.db'}"
    )


@pytest.mark.parametrize("url", ["", "sqlite://", "sqlite:///", ":memory:", "sqlite:///:memory:"])
def test_a_store_needs_a_file(url: str) -> None:
    assert refused(url) == f"{url!r} names no file.\nName one: --store afere.db"


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 300])
def test_an_impossible_name_is_refused(tmp_path: Path, name: str) -> None:
    text = refused(f"{tmp_path}/{name}/afere.db")
    assert "the store cannot be there (" in text
    assert text.endswith("\nName a file elsewhere with --store.")


def test_a_file_where_a_folder_is_due_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "the store cannot be there (" in refused(tmp_path / "file" / "afere.db")


def test_an_unknown_kind_of_database_is_named() -> None:
    assert refused("mysql://u:secret@h/d").startswith("'mysql' is no database that afere knows.")


def test_a_missing_driver_is_named_and_the_password_is_not() -> None:
    text = refused("postgresql+pg8000://user:hunter2@127.0.0.1:9/afere?password=hunter3")
    assert text == (
        "postgresql+pg8000://user@127.0.0.1:9/afere: the driver 'pg8000' of this database is not "
        'installed.\nInstall it: pip install "afere[postgres]"'
    )


def test_a_text_file_is_no_store_and_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("Notes of mine. " * 100)
    assert refused(file) == (
        f"{file}: the file is no store of afere, and stays as it is.\n"
        "Name another file with --store."
    )
    assert file.read_text() == "Notes of mine. " * 100


def test_another_programs_database_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as other:
        other.execute("create table songs (title text)")
    other.close()
    before = file.read_bytes()
    assert "this is a database of another program" in refused(file)
    assert file.read_bytes() == before


def test_a_damaged_store_is_told_and_what_is_whole_is_read(tmp_path: Path) -> None:
    file = tmp_path / "afere.db"
    filled(file, answers=200)
    content = bytearray(file.read_bytes())
    for start in range(0, len(content), 4096):
        if b'{"choices":[]}' in content[start : start + 4096]:
            content[start : start + 64] = b"\xff" * 64
    file.write_bytes(content)

    async def story() -> str:
        store = await opened(file)
        keys = [request(f"p{number}").key for number in range(200)]
        with pytest.raises(StoreError) as raised:
            await asyncio.gather(*(store.attempts(key) for key in keys))
        await store.close()
        return str(raised.value)

    assert asyncio.run(story()) == (
        f"{file}: the file is damaged.\nPut back a copy, or save what can be read: "
        "sqlite3 FILE .recover | sqlite3 NEW"
    )


def test_a_record_of_an_unknown_shape_is_told(tmp_path: Path) -> None:
    file = tmp_path / "afere.db"
    filled(file)
    with sqlite3.connect(file) as hand:
        (run_id,) = hand.execute("select run from plans").fetchone()
        hand.execute("update rows set outcome = 'excellent'")
    hand.close()

    async def story() -> str:
        store = await opened(file)
        with pytest.raises(StoreError) as raised:
            await store.run(run_id)
        await store.close()
        return str(raised.value)

    assert "holds a record that this version cannot read ('excellent' is not" in asyncio.run(
        story()
    )


def test_a_store_that_another_program_holds_is_told_and_goes_on_after(tmp_path: Path) -> None:
    file = tmp_path / "afere.db"
    filled(file)

    async def story() -> None:
        store = await opened(file)
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("begin immediate")
        with pytest.raises(StoreError) as raised:
            await store.keep_attempt(attempt("p9"))
        assert str(raised.value) == (
            f"{file}: another program holds the store locked.\nClose it. What was kept before is "
            "safe: run the same command again and it goes on from there."
        )
        assert await store.response(request("p0").key) == response()  # reading waits for nobody
        other.execute("rollback")
        other.close()
        await store.keep_attempt(attempt("p9"))
        assert await store.response(request("p9").key) == response()
        await store.close()

    asyncio.run(story())


def test_a_store_that_is_at_its_largest_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        store = await opened(tmp_path / "afere.db")
        driver = store._writer._connection.connection.cursor()
        driver.execute("pragma max_page_count = 60")
        await fill_up(store)
        driver.close()
        await store.close()

    asyncio.run(story())


async def fill_up(store: SqlStore) -> None:
    """Keep answers until the disk is full; all that was kept before is there."""
    kept = []
    with pytest.raises(StoreError) as raised:  # noqa: PT012 - which call fails is not known
        for number in range(100_000):
            big = Attempt(request=request(f"p{number}"), result=response(body="x" * 5000))
            await store.keep_attempt(big)
            kept.append(number)
    assert "the disk is full.\nMake room on it. What was kept before is safe" in str(raised.value)
    assert len(kept) > 2
    for number in kept:
        assert await store.response(request(f"p{number}").key) is not None


def test_a_full_disk_is_told_and_nothing_kept_is_lost(tmp_path: Path) -> None:
    disk = tmp_path / "disk"

    async def story() -> None:
        store = await opened(disk / "afere.db")
        await fill_up(store)
        await asyncio.to_thread(remount, disk, "size=8m")
        await store.keep_attempt(attempt("after"))  # there is room again
        assert await store.response(request("after").key) == response()
        await store.close()

    with small_disk(disk, "600k"):
        asyncio.run(story())


def test_a_disk_that_is_full_from_the_start_is_told(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "16k"):
        assert "the disk is full." in refused(disk / "afere.db")


def test_a_read_only_store_can_be_read_and_says_why_it_keeps_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"

    async def story() -> None:
        store = await opened(disk / "afere.db")
        assert await store.response(request("p0").key) == response()
        assert len(await store.plans()) == 1
        with pytest.raises(StoreError) as raised:
            await store.begin(plan(), suite(), started())
        assert str(raised.value) == (
            f"{disk / 'afere.db'}: the file or its folder is read-only.\n"
            "Allow writing to both, or copy the store. Name another file with --store."
        )
        await store.close()

    with small_disk(disk, "8m"):
        filled(disk / "afere.db")
        remount(disk, "ro")
        asyncio.run(story())
        assert "the file or its folder is read-only." in refused(disk / "new.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_without_the_right_to_write_is_told(tmp_path: Path) -> None:
    filled(tmp_path / "afere.db")
    tmp_path.chmod(0o555)
    try:
        assert "the file or its folder is read-only." in refused(tmp_path / "new.db")
    finally:
        tmp_path.chmod(0o755)


MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:45 / /home/ana/share rw,relatime shared:2 - nfs4 server:/export rw,vers=4.2
41 22 0:46 / /mnt/dados\\040novos rw master:7 - cifs //server/dados rw
42 22 0:47 / /mnt/remoto rw - fuse.sshfs ana@host: rw
43 22 0:48 / /tmp rw - tmpfs tmpfs rw
broken line
"""


@pytest.mark.parametrize(
    ("device", "kind"),
    [
        ("254:0", None),
        ("0:45", "nfs4"),
        ("0:46", "cifs"),
        ("0:47", "fuse.sshfs"),
        ("0:48", None),
        ("9:9", None),
    ],
)
def test_a_network_share_is_known_by_its_mount(device: str, kind: str | None) -> None:
    assert share_kind(device, MOUNTS) == kind


def test_a_store_on_a_network_share_warns_and_shares_no_memory(tmp_path: Path) -> None:
    """BR-050: write-ahead journals need shared memory, which no share has."""
    file = tmp_path / "afere.db"
    filled(file)
    place = Place(name=str(file), file=file, share="nfs4")
    (warning,) = place.warnings
    assert warning.startswith(f"{file} lies on a network share (nfs4): ")
    open_database(place, clock=lambda: 0.0, lock_wait=1.0).close()
    with sqlite3.connect(file) as hand:
        assert hand.execute("pragma journal_mode").fetchone() == ("delete",)
    hand.close()
    assert find_place(str(file)).warnings == ()
