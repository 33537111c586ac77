#!/usr/bin/env python3
"""Fetches the takes and clips that a folder does not have yet: fetch_takes.py ADDRESS FOLDER

ADDRESS is a socket (/run/mynah/console), a serial line (/dev/ttyUSB0) or tcp:HOST:PORT.
"""

import sys
from pathlib import Path

from mynah_client import Device, MynahError


def main(address: str, folder: str) -> int:
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    try:
        with Device.attach(address) as device:
            finished = [take for take in device.takes() if take.stop_reason]
            for recording in [*finished, *device.clips()]:
                for row in device.client.files.list(recording.id)["files"]:
                    if not (target / row["id"]).exists():
                        print(row["id"], row["bytes"], "bytes")
                        with open(target / (row["id"] + ".part"), "wb") as file:
                            device.client.download(row["id"], file)
                        (target / (row["id"] + ".part")).rename(target / row["id"])
    except MynahError as error:
        print(f"fetch_takes: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
