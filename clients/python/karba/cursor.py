"""Keeps the position in the feed of events in a file."""

from __future__ import annotations

import os
import tempfile
from typing import Optional, Union


class CursorFile:
    """
    `karba.events(after=cursor.read(), keep=cursor.write)` goes on after the last handled event. A
    write replaces the file at once, so that a crash leaves the old position or the new one. One
    process at a time.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = os.path.abspath(path)

    def read(self) -> Optional[int]:
        """None before the first event."""
        try:
            with open(self._path, encoding="ascii") as file:
                return int(file.read())
        except FileNotFoundError:
            return None

    def write(self, after: int) -> None:
        folder, name = os.path.split(self._path)
        handle, path = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(f"{after}\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(path, self._path)
        except BaseException:
            os.unlink(path)
            raise
