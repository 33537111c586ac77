"""How much processor the host gave the guest: a check that failed on a starved host says so, and one that failed on a
host that is merely slow does not."""

import dataclasses
import os
import pathlib
import time

TICK = 1 / os.sysconf("SC_CLK_TCK")
# A guest that got less than this of what it asked for was starved.
ENOUGH = 0.8


@dataclasses.dataclass
class Share:
    """Of some time, in seconds; of all of QEMU's threads together."""

    seconds: float = 0
    # In which they ran, and in which they could have run and waited for a processor of the host.
    ran: float = 0
    waited: float = 0
    # Which the host itself was refused by what it runs on, of all its processors' time.
    stolen: float = 0
    processors: int = os.cpu_count() or 1

    @property
    def given(self) -> float:
        """Of what the guest asked for, what it got: 1 is all."""
        of_host = self.ran / (self.ran + self.waited) if self.ran + self.waited else 1
        return of_host * (1 - min(1, self.stolen / (self.seconds * self.processors) if self.seconds else 0))

    @property
    def is_starved(self) -> bool:
        return self.given < ENOUGH

    def __str__(self) -> str:
        used = self.ran / self.seconds if self.seconds else 0
        text = f"{used:.2f} processors used, {self.given:.0%} of what was asked for"
        return text + " (starved by the host)" if self.is_starved else text


class Meter:
    """Adds up over the lives of several QEMUs: one ends when its power is cut."""

    def __init__(self):
        self._threads: dict[tuple[int, str], tuple[float, float]] = {}
        self._process: int | None = None

    def watch(self, process: int) -> None:
        """From now on this process; the ones before have ended."""
        self.read()
        self._process = process

    def read(self) -> tuple[float, float, float, float]:
        """Now on the host's monotonic clock, seconds run, waited, stolen from the host; since whenever."""
        if self._process is not None:
            for thread in _tasks(self._process):
                if (spent := _schedule(self._process, thread)) is not None:
                    self._threads[(self._process, thread)] = spent
        ran = sum(spent[0] for spent in self._threads.values())
        waited = sum(spent[1] for spent in self._threads.values())
        return time.monotonic(), ran, waited, _stolen()

    def since(self, before: tuple[float, float, float, float]) -> Share:
        return Share(*(after - past for after, past in zip(self.read(), before)))


def _tasks(process: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{process}/task")
    except OSError:
        return []


def _schedule(process: int, thread: str) -> tuple[float, float] | None:
    """Seconds that a thread ran, and that it waited for a processor (Documentation/scheduler/sched-stats.rst)."""
    try:
        words = pathlib.Path(f"/proc/{process}/task/{thread}/schedstat").read_text().split()
        return int(words[0]) / 1e9, int(words[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return None


def _stolen() -> float:
    """Of all processors, since the host's boot: what another machine on the same hardware had instead (proc(5))."""
    try:
        words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
        return int(words[8]) * TICK
    except (OSError, IndexError, ValueError):
        return 0
