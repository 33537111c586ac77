"""Lets the rig and its guest go before other programs: a guest that stands still loses sound, and a disk that is served
late is a slow disk. Where that is not allowed, they are as others."""

import contextlib
import os
import pathlib
import re

AUTOGROUP = pathlib.Path("/proc/self/autogroup")
NICE = -15


@contextlib.contextmanager
def first():
    """For as long as it holds. Linux weighs sessions before processes (sched(7), autogroup), so that the session's
    weight is set as well, and set back."""
    before = None
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
        found = re.search(r"nice (-?\d+)", AUTOGROUP.read_text())
        if found:
            AUTOGROUP.write_text(str(NICE))
            before = found[1]
    try:
        yield
    finally:
        if before is not None:
            with contextlib.suppress(OSError):
                AUTOGROUP.write_text(before)
