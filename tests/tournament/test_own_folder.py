"""Folders with names that anybody can guess are taken only when they are this user's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.errors import ArenaError, ConfigError
from arena.tournament.cores import claim, lock_folder
from arena.tournament.own_folder import own_folder

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make folders of another user")


def test_it_is_made_once_and_stays(tmp_path: Path) -> None:
    folder = own_folder(tmp_path / "own", mode=0o700)
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "file").write_text("kept")
    assert own_folder(folder, mode=0o700) == folder
    assert (folder / "file").read_text() == "kept"
    folder.chmod(0o500)
    own_folder(folder, mode=0o700)


def test_a_link_a_file_and_a_folder_that_others_can_write_are_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    link, file, open_one = tmp_path / "link", tmp_path / "file", tmp_path / "open"
    link.symlink_to(elsewhere)
    file.write_text("")
    open_one.mkdir()
    open_one.chmod(0o777)
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "nothing")
    for path in (link, file, dangling):
        with pytest.raises(ArenaError, match=f"{path} is no folder"):
            own_folder(path, mode=0o755)
    assert not (tmp_path / "nothing").exists()
    with pytest.raises(ArenaError, match=f"{open_one} has the rights 777.*`chmod 755 {open_one}`"):
        own_folder(open_one, mode=0o755)
    with pytest.raises(ArenaError, match="can't be made: No such file"):
        own_folder(tmp_path / "nothing" / "own", mode=0o755)


@as_root
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir(mode=0o700)
    os.chown(tmp_path / "own", 65534, 65534)
    with pytest.raises(ArenaError, match="own belongs to user 65534, not to us; have that user or root remove it"):
        own_folder(tmp_path / "own", mode=0o700)


def test_locks_of_cores_go_elsewhere_when_somebody_sits_in_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary, runtime = tmp_path / "temporary", tmp_path / "runtime"
    temporary.mkdir()
    runtime.mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    usual = temporary / f"castell-arena-cores-{os.geteuid()}"
    assert lock_folder() == usual
    usual.rmdir()
    usual.symlink_to(tmp_path)
    assert lock_folder() == runtime / "castell-arena-cores"
    runtime.chmod(0o755)
    with pytest.raises(ConfigError, match=f"no safe place.*{usual} is no folder.*remove it; {runtime} has the rights"):
        claim(None)
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    with pytest.raises(ConfigError, match="remove it; or have XDG_RUNTIME_DIR name a folder that only you can use"):
        claim(None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runtime", "temporary"]
