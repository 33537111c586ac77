"""Takes and clips as they lie on the device: what is known of them, and their files."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Union

from .client import Client
from .methods import ClipsListClips, LibraryListTakes
from .sound import Samples, read_samples

PathLike = Union[str, Path]


class _Recording:
    def __init__(self, client: Client, id: str):
        self._client = client
        self.id = id
        """Its file name on the device."""

    def data(self) -> bytes:
        """The whole file, checked by its hashes. Of a split take this is the first of its files."""
        return self._client.read_file(self.id)

    def download(self, path: PathLike) -> Path:
        """Fetches the file to `path`, or under its own name into a directory. Returns where it is.

        It stands there under its name only when all of it has come, and its hashes are right.
        """
        return _fetch(self._client, self.id, Path(path))

    def download_all(self, directory: PathLike) -> List[Path]:
        """Fetches all its files: the parts of a split take, and a safety take."""
        target = Path(directory)
        if not target.is_dir():
            raise NotADirectoryError(str(target))
        return [_fetch(self._client, row["id"], target) for row in self._client.files.list(self.id)["files"]]

    def notes(self) -> Dict[str, Any]:
        """The notes that lie beside it: a take's metadata, a clip's receipt."""
        notes = json.loads(self._client.read_file(self.id, notes=True))
        return notes if isinstance(notes, dict) else {}


class Take(_Recording):
    """A take of the dictaphone."""

    def __init__(self, client: Client, summary: LibraryListTakes):
        super().__init__(client, summary["id"])
        self.summary = summary
        """All that `library.list` says of it."""
        self.name = summary["name"]
        """The name that people see."""
        self.seconds = summary["seconds"]
        self.frames = summary["frames"]
        self.rate = summary["sampleRate"]
        self.channels = summary["channels"]
        self.format = summary["format"]
        self.bytes = summary["bytes"]
        self.stop_reason = summary["stopReason"]
        """Why it ended: `user`, `storage-full`, …; None while it is being recorded."""

    def __repr__(self) -> str:
        return f"<Take {self.id}, {self.seconds:g} s {self.format}>"

    def samples(self) -> Samples:
        """Its sound. A WAV needs nothing; for other formats ffmpeg has to be installed on this machine."""
        return read_samples(self.data(), self.id)

    def marks(self) -> List[Dict[str, Any]]:
        """Its marks, as `marks.list` has them."""
        return list(self._client.call("marks.list", {"id": self.id})["marks"])

    def delete(self) -> None:
        """Deletes it on the device; `library.undelete` brings it back until the next one is deleted."""
        self._client.library.delete(self.id)


class Clip(_Recording):
    """A clip: pictures with their sound."""

    def __init__(self, client: Client, summary: ClipsListClips):
        super().__init__(client, summary["id"])
        self.summary = summary
        """All that `clips.list` says of it."""

    def __repr__(self) -> str:
        return f"<Clip {self.id}>"

    def receipt(self) -> Any:
        """What was captured, and when it was safe."""
        return self._client.clips.receipt(self.id)

    def delete(self) -> None:
        """Deletes it on the device."""
        self._client.clips.delete(self.id)


def _fetch(client: Client, id: str, path: Path) -> Path:
    target = path / id if path.is_dir() else path
    # Not of its name, which may be as long as a name can be.
    descriptor, partial = tempfile.mkstemp(prefix=".mynah-", dir=target.parent)
    try:
        with open(descriptor, "wb") as file:
            client.download(id, file)
        # As any other new file is, and not as a temporary one.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(partial, 0o666 & ~mask)
        os.replace(partial, target)
    except BaseException:
        os.unlink(partial)
        raise
    return target
