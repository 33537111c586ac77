"""A real board on a bench: a shell over ssh, the console over a serial adapter, and whatever the bench has to press
keys, read lamps, unplug devices and cut the power. What the bench cannot do, a human is asked to do; without a
terminal to ask on, the checks that need it are left out.

The bench's file (board/rig/bench-example.toml) names a command of this machine for each thing that it can do.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import termios
import time
import tomllib
import tty

from .console import Console
from .machine import Machine, MachineError, Need, Result, Unavailable
from .sound import RATE

# What a human can stand in for. Nothing that is measured, or compared sample by sample.
BY_HAND = {
    "press": {Need.KEYS}, "lamp": {Need.LAMPS}, "power": set(), "microphone": {Need.UNPLUG_MICROPHONE},
}


class RealBoard(Machine):
    def __init__(self, file: pathlib.Path, scratch: pathlib.Path, ask=None):
        self._bench = tomllib.loads(file.read_text())
        self._boot = ""
        self._ask = ask or (ask_human if sys.stdin.isatty() else None)
        self._scratch = scratch
        self._console: Console | None = None
        self._players: list[subprocess.Popen] = []
        firmware = self._bench.get("firmware", {})
        self.name = self._bench.get("name", file.stem)
        self.program = firmware.get("program", "/usr/bin/mynah")
        self.data = firmware.get("data", "/var/lib/mynah")
        self._unit = firmware.get("unit", "mynah")
        self._board = firmware.get("board", "/etc/mynah/board.toml")
        self._shell = shlex.split(self._bench["shell"])
        if self._shell[0] == "ssh":
            # One connection for the whole run: a press is not to wait for a key exchange.
            self._shell[1:1] = [
                "-o", "BatchMode=yes", "-o", "ControlMaster=auto", "-o", f"ControlPath={scratch}/ssh-%C",
                "-o", "ControlPersist=60",
            ]
        self.abilities = frozenset(self._able())
        self.about = self.run("uname -srm; cat /proc/device-tree/model 2>/dev/null").text.replace("\0", "").strip()

    def _able(self) -> set[Need]:
        able: set[Need] = set()
        commands = self._bench.get("commands", {})
        for name, needs in BY_HAND.items():
            if name in commands or self._ask:
                able |= needs
        if "play" in commands:
            able.add(Need.SOUND_IN)
        if "listen" in commands:
            able.add(Need.SOUND_OUT)
        if "edge" in commands:
            able.add(Need.EDGES)
        if "set-clock" in commands:
            able.add(Need.SET_CLOCK)
        if self._bench.get("watchdog"):
            able.add(Need.WATCHDOG)
        return able

    # Shell.

    def run(self, script: str, content: bytes = b"", timeout: float = 60) -> Result:
        try:
            done = subprocess.run(
                [*self._shell, script], input=content, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=timeout)
        except subprocess.TimeoutExpired:
            raise MachineError(f"{self.name}: no answer within {timeout:.0f} s to: {script[:200]}")
        if done.returncode == 255:
            raise MachineError(f"{self.name} cannot be reached: {done.stdout.decode(errors='replace').strip()}")
        return Result(done.returncode, done.stdout)

    # Firmware: systemd's service. Of the board files of the virtual board only the board's own exists here.

    def board_file(self, board: str = "rig") -> str:
        if board not in ("rig", "watchdog"):
            raise Unavailable(f"this board has no board file {board}")
        return self._board

    def start(self, board: str = "rig") -> None:
        self.board_file(board)
        self._boot = self.check("cat /proc/sys/kernel/random/boot_id").strip()
        # A socket that was forwarded ends with the firmware; a serial line stays.
        if "socket" in self._bench["console"]:
            self._console = None
        self.check(f"systemctl start {self._unit}")

    def stop(self, signal: str = "TERM", timeout: float = 30) -> int | None:
        if self.process() is None:
            return None
        if signal == "TERM":
            self.check(f"systemctl stop {self._unit}", timeout=timeout + 30)
        else:
            self.check(f"systemctl kill --signal={signal} {self._unit}; sleep 1; systemctl stop {self._unit}")
        return int(self.check(f"systemctl show --property=ExecMainStatus --value {self._unit}").strip() or 0)

    def process(self) -> int | None:
        number = int(self.run(f"systemctl show --property=MainPID --value {self._unit}").text.strip() or 0)
        return number or None

    def log(self) -> str:
        return self.run(f"journalctl --unit={self._unit} --boot --output=cat --no-pager").text

    def console(self) -> Console:
        if self._console is None:
            line = self._bench["console"]
            if "socket" in line:
                self._console = Console.of_socket(line["socket"])
                return self._console
            descriptor = os.open(line["tty"], os.O_RDWR | os.O_NOCTTY)
            tty.setraw(descriptor)
            settings = termios.tcgetattr(descriptor)
            settings[4] = settings[5] = getattr(termios, f"B{line.get('baud', 115200)}")
            termios.tcsetattr(descriptor, termios.TCSANOW, settings)
            self._console = Console(descriptor)
        return self._console

    # Panel.

    def press(self, key: str, seconds: float = 0.1) -> None:
        request = f"hold {key} for {seconds:.1f} s" if seconds > 0.5 else f"press {key}"
        self._do("press", request, key=key, seconds=seconds)

    def lamp(self, name: str) -> bool:
        if "lamp" in self._bench.get("commands", {}):
            return self._command("lamp", name=name).strip() in ("1", "on")
        if self._ask is None:
            raise Unavailable
        return self._ask(f"is {name} lit? [y/n]").lower().startswith("y")

    def edge(self, key: str, lamp: str, value: bool, timeout: float) -> float | None:
        text = self._command("edge", key=key, lamp=lamp, value=int(value), timeout=timeout).strip()
        return float(text) if text else None

    # Sound.

    def play(self, content: bytes, rate: int = RATE) -> None:
        if rate != RATE:
            raise Unavailable
        self.hush()
        path = self._scratch / "sound.raw"
        # Ten minutes of it: a player has no "round and round".
        path.write_bytes(content * (600 * 192_000 // len(content) + 1))
        self._players.append(subprocess.Popen(self._words("play", file=path), start_new_session=True))

    def hush(self) -> None:
        while self._players:
            player = self._players.pop()
            player.terminate()
            player.wait()

    def listen(self, seconds: float):
        path = self._scratch / "heard.raw"
        ear = subprocess.Popen(self._words("listen", file=path, seconds=seconds))

        def heard() -> bytes:
            ear.wait(seconds + 30)
            return path.read_bytes()

        return heard

    # Faults.

    def unplug(self, device: str) -> None:
        self._do("unplug", f"unplug the {device}", device=device)

    def replug(self, device: str, rate: int = RATE) -> None:
        self._do("replug", f"plug the {device} in again", device=device)

    def set_clock(self, seconds: float) -> None:
        self._command("set-clock", seconds=int(seconds))

    def wait_reset(self, timeout: float) -> float | None:
        start = time.monotonic()
        while time.monotonic() - start < timeout:
            try:
                if self.run("cat /proc/sys/kernel/random/boot_id", timeout=5).text.strip() != self._boot:
                    return time.monotonic() - start
            except MachineError:
                pass
            time.sleep(1)
        return None

    # Life.

    def evidence(self) -> dict[str, bytes]:
        found = {}
        for name, script in {
            "firmware.log": f"journalctl --unit={self._unit} --boot --no-pager | tail -n 300",
            "kernel.log": "dmesg | tail -n 200", "data.txt": f"ls -lR {self.data}; df {self.data}",
        }.items():
            try:
                found[name] = self.run(script, timeout=20).output
            except MachineError as error:
                found[name] = str(error).encode()
        return found

    def close(self) -> None:
        self.hush()

    # The bench.

    def _words(self, name: str, /, **values) -> list[str]:
        """A command of the bench's file; {key} and the like are filled in word by word."""
        text = self._bench.get("commands", {}).get(name)
        if text is None:
            raise Unavailable(f"the bench's file has no command {name}")
        return [word.format(**values) for word in shlex.split(text)]

    def _command(self, name: str, /, **values) -> str:
        done = subprocess.run(self._words(name, **values), capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise MachineError(f"the bench's command {name} failed: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def _do(self, name: str, request: str, /, **values) -> None:
        """By the bench's command, else by hand."""
        if name in self._bench.get("commands", {}):
            self._command(name, **values)
        elif self._ask:
            self._ask(f"please {request}, then press Enter")
        else:
            raise Unavailable(f"nothing and nobody can {request}")


def ask_human(question: str) -> str:
    print(f"\a>>> {question} ", end="", flush=True)
    return sys.stdin.readline().strip()
