"""The device, simulated: `mynah simulate` as a child of this program, with a console or with a script."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .client import Client
from .conversation import Event
from .errors import ConnectionLost, SimulatorError
from .lines import open_line

PathLike = Union[str, Path]
_TURN = 0.02
_running: "weakref.WeakSet[Simulator]" = weakref.WeakSet()


def find_program(program: Optional[PathLike] = None) -> str:
    """The program: the one that is named, `$MYNAH`, or `mynah` on the PATH."""
    wanted = str(program or os.environ.get("MYNAH") or "mynah")
    found = shutil.which(wanted)
    if found is None:
        raise SimulatorError(f"there is no program {wanted}: name it, or set MYNAH to its path, or put it on the PATH")
    return found


def _arguments(options: Mapping[str, Any]) -> List[str]:
    """`microphone="tone:440", source=["usb=noise"]` as the command line has it."""
    arguments: List[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(flag)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else [value]
            for item in values:
                arguments += [flag, str(item)]
    return arguments


class Simulator:
    """A simulated device that runs until it is stopped, on the real clock.

    - `data`: its data directory, which stays; without it a temporary one, which goes with the device.
    - `script`: what its script says, or a path to one; it is played while the console is open.
    - `console`: where its console is to be, such as a pseudo-terminal; a socket of its own without it.
    - all else as on the command line of `mynah simulate`: `microphone="tone:440"`, `camera="none"`, `board="rpi"`.
    """

    def __init__(
        self,
        program: Optional[PathLike] = None,
        data: Optional[PathLike] = None,
        script: Union[str, Path, None] = None,
        console: Optional[str] = None,
        **options: Any,
    ):
        self.program = find_program(program)
        # Short: the path of a socket has 107 bytes at most.
        self._folder = Path(tempfile.mkdtemp(prefix="mynah-"))
        self.data = Path(data) if data is not None else self._folder / "data"
        self.console = console or str(self._folder / "console")
        self._log = self._folder / "log"
        command = [self.program, "simulate", "--data", str(self.data), "--console", self.console]
        if script is not None:
            command += ["--script", str(_script(script, self._folder)), "--clock", "real"]
        command += _arguments({"speaker": "none", **options})
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        _running.add(self)

    def __enter__(self) -> "Simulator":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def log(self) -> str:
        """What it has said so far."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def connect(self, timeout: float = 30.0) -> Client:
        """A client of its console, as soon as that is open."""
        end = time.monotonic() + timeout
        while True:
            if not self.is_running:
                raise SimulatorError(f"{self.program} has ended with {self._process.returncode}: {self._last_words()}")
            try:
                line = open_line(self.console, timeout=_TURN)
            except ConnectionLost:
                if time.monotonic() > end:
                    raise SimulatorError(f"no console within {timeout:g} s: {self._last_words()}") from None
                continue
            client = Client(line)
            try:
                client.hello(max(1.0, end - time.monotonic()))
            except BaseException:
                client.close()
                raise
            return client

    def wait(self, timeout: Optional[float] = None) -> int:
        """Waits until it ends by itself, as a script's `quit` has it. Returns the exit code."""
        return self._process.wait(timeout)

    def stop(self, timeout: float = 15.0) -> None:
        """Ends it in order: an open take is saved. What it does not do within `timeout` is done without it."""
        if self.is_running:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        _running.discard(self)
        shutil.rmtree(self._folder, ignore_errors=True)

    def kill(self) -> None:
        """Ends it without a word, as a power cut would. Its data stays until `stop`."""
        self._process.kill()
        self._process.wait()

    def _last_words(self) -> str:
        return self.log.strip()[-500:] or "it said nothing"


@atexit.register
def _stop_all() -> None:
    for simulator in list(_running):
        simulator.kill()


def _script(script: Union[str, Path], folder: Path) -> Path:
    if isinstance(script, Path):
        return script
    path = folder / "script.mynah"
    path.write_text(script)
    return path


@dataclass(frozen=True)
class ScriptRun:
    """What a script came to."""

    status: int
    """0; 65 if a line of it failed."""
    failure: str
    """The line that failed, and what was seen instead; empty if all was as expected."""
    events: Tuple[Event, ...] = field(repr=False)
    log: str = field(repr=False)

    @property
    def passed(self) -> bool:
        return self.status == 0

    def of(self, topic: str) -> List[Dict[str, Any]]:
        """The data of all events of a topic, in their order."""
        return [event.data for event in self.events if event.topic == topic]


def run_script(
    script: Union[str, Path],
    data: PathLike,
    program: Optional[PathLike] = None,
    timeout: float = 300.0,
    **options: Any,
) -> ScriptRun:
    """Plays a script on a simulated device in virtual time: hours pass in seconds, and every run is the same.

    `script` is its text, or a path. Takes and clips are in `data` afterwards; `options` as `Simulator` has them.
    """
    with tempfile.TemporaryDirectory(prefix="mynah-") as folder:
        command = [find_program(program), "simulate", "--data", str(data), "--events"]
        command += ["--script", str(_script(script, Path(folder))), *_arguments(options)]
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, text=True)
    complaints = [line for line in run.stderr.splitlines() if line.startswith("mynah: ")]
    failure = complaints[-1][len("mynah: ") :] if run.returncode and complaints else ""
    return ScriptRun(run.returncode, failure, tuple(_events(run.stdout.splitlines())), run.stderr)


def _events(lines: Sequence[str]) -> List[Event]:
    events = []
    for line in lines:
        try:
            record = json.loads(line)
            events.append(Event(record["topic"], record["data"], record["t"], record["seq"], record.get("lost", 0)))
        except (ValueError, KeyError, TypeError):
            continue
    return events
