"""Files that are never seen half-written."""

from __future__ import annotations

import os
from pathlib import Path

from arena.errors import ArchiveError


def write_atomically(path: Path, data: bytes | str) -> None:
    """Replace the file at `path`: a reader, and a machine that loses power, sees the old content or the new.

    Raises:
        ArchiveError: it can't be written; the old content stands.
    """
    content = data.encode() if isinstance(data, str) else data
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ArchiveError(str(path), f"can't be written: {error.strerror or error}") from None
