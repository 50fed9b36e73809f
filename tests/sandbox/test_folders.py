"""What a hostile program leaves in its folder is read within bounds, and always removed."""

import os
from pathlib import Path

from afere.sandbox.inside.folders import empty, outgrown, read_folder
from afere.sandbox.inside.programs import FOLDER


def test_folders_nested_hundreds_deep_are_removed(tmp_path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    os.chdir(tmp_path)
    try:
        for _ in range(700):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.fchdir(here)
        os.close(here)
    empty(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_closed_folders_and_links_are_removed_and_nothing_behind_a_link(tmp_path: Path) -> None:
    box, outside = tmp_path / "box", tmp_path / "outside"
    (box / "closed" / "inner").mkdir(parents=True)
    outside.mkdir()
    (outside / "kept").write_bytes(b"kept")
    (box / "link").symlink_to(outside)
    (box / "closed" / "link").symlink_to(outside)
    (box / "closed" / "inner").chmod(0)
    (box / "closed").chmod(0)
    empty(str(box))
    assert list(box.iterdir()) == []
    assert (outside / "kept").read_bytes() == b"kept"


def test_a_folder_is_outgrown_by_too_many_files_or_bytes(tmp_path: Path) -> None:
    assert not outgrown(str(tmp_path))
    (tmp_path / "large").write_bytes(bytes(65 << 20))
    assert outgrown(str(tmp_path))
    (tmp_path / "large").unlink()
    for number in range(4100):
        (tmp_path / str(number)).touch()
    assert outgrown(str(tmp_path))


def test_files_are_read_but_no_links_pipes_or_folders_too_deep(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "b").write_bytes(b"\xff")
    (folder / "link").symlink_to("/etc/hostname")
    (folder / "folder").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    assert read_folder(str(tmp_path)) == ({"a/b": b"\xff"}, "")
    deep = folder.joinpath(*["d"] * 40)
    deep.mkdir(parents=True)
    assert read_folder(str(tmp_path)) == ({}, "folders are nested too deep")
