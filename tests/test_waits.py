"""Whoever waits for another process has a deadline; waits without one are listed here, each with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: Methods that wait for ever unless they are given a number or `timeout=`.
WAITS = {"wait", "join", "communicate", "poll", "acquire", "result", "get", "select", "accept", "recv", "readline"}
#: Functions that take a deadline by `timeout=` alone.
RUNS = {"run", "call", "check_call", "check_output", "communicate"}
#: Whoever leaves these waits for their end.
WAITED_FOR_WHEN_LEFT = ("Popen", "PoolExecutor")
#: Waits of trio, which have a deadline inside one of these.
AWAITS = {"receive_some", "send_all", "receive", "wait", "acquire"}
SCOPES = {"move_on_after", "fail_after"}
BOTS_THAT_HANG = ROOT / "arena/testing/badbots/programs"

#: By `file function`: why nothing needs to end this wait, or what does.
WITHOUT = {
    "arena/child.py child": "the child has been killed by then",
    "arena/discovery.py _discover": "for threads of ours, each of which has a deadline; Ctrl-C ends their children",
    "arena/referee/guardian.py guard": "as long as the bot lives and its referee does; the end of either ends it",
    "arena/referee/__main__.py _play_on": "a referee without a match waits for its scheduler, and sees its end as well",
    "arena/referee/__main__.py drain": "the same; signals end it too",
    "arena/referee/__main__.py flush": "the descriptor does not block",
    "arena/referee/__main__.py read": "for its set-up, then when there is something; the scheduler's end is something",
    "arena/referee/bot.py write": "the descriptors of a bot do not block",
    "arena/referee/bot.py flush": "the same",
    "arena/referee/bot.py read_stdout": "the same",
    "arena/referee/bot.py read_stderr": "the same",
    "arena/referee/process.py _resolve": "the descriptor does not block",
    "arena/referee/procfs.py read_proc": "the kernel answers",
    "arena/referee/sandbox/seccomp.py as_file": "into memory",
    "arena/referee/sandbox/probe.py _first_line": "the descriptors of a bot do not block",
    "arena/referee/sandbox/probe.py _why": "the same",
    "arena/tournament/build.py _wait": "the same",
    "arena/referee/guardian.py become_bot": "its last words before it ends; who does not read them ends it, as any bot",
    "arena/referee/guardian.py main": "a line into an empty pipe",
    "arena/referee/sandbox/probe_script.py fork_many": "for a child that was killed; the whole probe has a deadline",
    "arena/tournament/pool.py _read": "its only caller, `receive`, has a deadline",
    "arena/tournament/pool.py _wait_for_fixture": "for other slots of this process, all of whose waits have a deadline",
    "arena/tournament/run.py played": "for the writer in this process",
    "arena/tournament/run.py _write": "for results, of which every slot brings some or ends",
    "arena/tournament/run.py _publish": "for the writer in this process",
    "arena/hosts/stands.py take": "for other threads, all of whose waits have a deadline",
    "arena/hosts/worker.py _first": "a worker serves until it is told to stop, which is what it waits for",
}


@pytest.mark.lesson(9)
def test_every_wait_has_a_deadline_or_a_reason() -> None:
    found = {}
    for path in sorted((ROOT / "arena").rglob("*.py")):
        if BOTS_THAT_HANG not in path.parents:
            name = str(path.relative_to(ROOT))
            found.update({f"{name} {where}": line for where, line in endless(ast.parse(path.read_text()))})
    unexplained = {place: f"line {line}" for place, line in found.items() if place not in WITHOUT}
    assert unexplained == {}, "give it a deadline, or a reason in WITHOUT"
    assert set(WITHOUT) - set(found) == set(), "these waits are gone"


def endless(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the innermost function and the line of each wait without a deadline."""
    yield from _endless(tree, "", bounded=False)


def _endless(node: ast.AST, function: str, *, bounded: bool) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        function, bounded = getattr(node, "name", function), False
    for left in _left_at_the_end(node):
        if isinstance(left, ast.Call) and ast.unparse(left.func).endswith(WAITED_FOR_WHEN_LEFT):
            yield function, left.lineno
    if isinstance(node, ast.With):
        bounded = bounded or any(_name(item.context_expr) in SCOPES for item in node.items)
    if isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
        if _name(node.value) in AWAITS and not bounded and not _is_given_time(node.value):
            yield function, node.lineno
        children: list[ast.AST] = [*node.value.args, *node.value.keywords]
    else:
        if isinstance(node, ast.Call) and _waits_for_ever(node):
            yield function, node.lineno
        children = list(ast.iter_child_nodes(node))
    for child in children:
        yield from _endless(child, function, bounded=bounded)


def _left_at_the_end(node: ast.AST) -> list[ast.expr]:
    """Return what is left at the end of a `with`, or of an exit stack."""
    if isinstance(node, ast.With):
        return [item.context_expr for item in node.items]
    return list(node.args) if isinstance(node, ast.Call) and _name(node) == "enter_context" else []


def _name(node: ast.expr) -> str:
    call = node.func if isinstance(node, ast.Call) else node
    return call.attr if isinstance(call, ast.Attribute) else ""


def _is_given_time(call: ast.Call) -> bool:
    return any(word.arg in ("timeout", "within_s", "blocking") for word in call.keywords)


def _waits_for_ever(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    name, owner = call.func.attr, ast.unparse(call.func.value)
    if owner == "os" and name in ("wait", "waitpid", "waitid"):
        return "WNOHANG" not in ast.unparse(call)
    if owner == "os" and name in ("read", "write"):
        return True
    if _is_given_time(call) or (name == "get" and owner.endswith("snapshots")):
        return False
    if (owner == "subprocess" and name in RUNS) or name == "communicate":
        return True
    if owner == "select":
        return name == "select" and len(call.args) < 4
    if name == "poll" and owner.endswith(("popen", "process")):
        return False  # looks, and does not wait
    return name in WAITS and not call.args


@pytest.mark.parametrize(
    "code",
    [
        "process.wait()", "thread.join()", "process.communicate()", "process.communicate(data)", "epoll.poll()",
        "lock.acquire()", "future.result()", "queue.get()", "event.wait()", "select.select([a], [], [])",
        "os.waitpid(pid, 0)", "os.wait()", "os.read(pipe, 9)", "os.write(pipe, data)",
        "subprocess.run(argv)", "subprocess.check_output(argv)",
        "with subprocess.Popen(argv): pass", "held.enter_context(Popen(argv))", "with ThreadPoolExecutor(): pass",
        "async def f():\n    await event.wait()", "async def f():\n    await stream.receive_some(9)",
        "async def f():\n    with trio.move_on_after(1):\n        pass\n    await stream.send_all(data)",
        "async def f():\n    with trio.move_on_after(1):\n        async def g(): await event.wait()",
    ],
)  # fmt: skip
def test_a_wait_without_a_deadline_is_found(code: str) -> None:
    assert len(list(endless(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "process.wait(timeout=1)", "thread.join(1)", "', '.join(words)", "table.get(key)", "process.poll()",
        "epoll.poll(5)", "os.waitpid(-1, os.WNOHANG)", "subprocess.run(argv, timeout=9)",
        "process.communicate(data, timeout=9)", "select.select([a], [], [], 9)",
        "async def f():\n    with trio.move_on_after(1):\n        await event.wait()",
        "async def f():\n    await referee.receive(within_s=5)",
    ],
)  # fmt: skip
def test_a_wait_with_a_deadline_is_not(code: str) -> None:
    assert list(endless(ast.parse(code))) == []
