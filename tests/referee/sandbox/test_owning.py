"""What a bot that runs as our own user does to others without opening anything: refused under Landlock."""

from __future__ import annotations

import os
import platform
import stat
from pathlib import Path

import pytest

from arena.referee.process import spawn
from arena.referee.sandbox import forced
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import Limits
from tests.referee.sandbox.starting import entrant, line_of, running

ATTEMPTS = """
import os
path, referee = {path!r}, {referee}
for attempt in (
    lambda: os.chmod(path, 0o4755),
    lambda: os.fchmod(os.open("/usr/bin", os.O_RDONLY), 0o755),
    lambda: os.chown(path, os.getuid(), os.getgid()),
    lambda: os.utime(path, (1, 1)),
    lambda: os.setxattr(path, "user.mark", b"x"),
    lambda: os.sched_setscheduler(referee, os.SCHED_OTHER, os.sched_param(0)),
    lambda: os.sched_setparam(referee, os.sched_param(0)),
):
    try:
        attempt()
        print("reached", end=" ")
    except OSError as error:
        print(error.errno, end=" ")
print(flush=True)
"""


def test_an_owner_without_rights_to_a_file_changes_nothing_of_it(tmp_path: Path) -> None:
    file = tmp_path / "precious"
    file.write_text("of the host")
    file.chmod(0o600)
    before = file.stat()
    with running(entrant(ATTEMPTS.format(path=str(file), referee=os.getpid())), "landlock") as process:
        assert line_of(process).split() == ["1"] * 7
    assert file.stat() == before
    assert os.listxattr(file) == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of the calls are those of x86-64")
def test_what_others_of_the_same_user_made_is_not_touched() -> None:
    calls = [30, 31, 69, 70, 71, 65, 66, 220, 241, 254, 300, 314]
    code = f"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def errno(*call): return libc.syscall(*call) < 0 and ctypes.get_errno()
print(*(errno(call, os.getppid(), 0, 0, 0) for call in {calls}), flush=True)
"""
    with running(entrant(code), "landlock") as process:
        assert line_of(process).split() == ["1"] * len(calls)


def test_a_build_can_make_its_program_executable() -> None:
    code = "import os; os.chdir(os.environ['HOME']); open('a.out', 'w'); os.chmod('a.out', 0o755); print(flush=True)"
    with scratch_root() as root:
        process = spawn(entrant(code), forced("landlock"), Limits(), root / "build", builds=True)
        try:
            line_of(process)
            assert stat.S_IMODE((root / "build" / "a.out").stat().st_mode) == 0o755
        finally:
            process.kill()
            process.close()
