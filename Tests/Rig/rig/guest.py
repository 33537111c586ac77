"""What every machine in QEMU has: a shell by its agent, and the firmware as a service."""

import pathlib
import shutil
import subprocess

from . import boardfile, image
from .console import Console
from .machine import Machine, MachineError, Result
from .qemu import ADDRESS, GuestError, Qemu

MOUNT = 'mount -t ext4 -o noatime,errors=remount-ro "$(disk data)" /data && mkdir -p /data/mynah'


class Guest(Machine):
    data = "/data/mynah"
    program = "/program/mynah"
    # Of a console beside the board file's, and of the sound behind it.
    socket = "/run/console"
    qemu: Qemu
    _console: Console | None = None

    # Life.

    @property
    def death(self) -> str | None:
        return self.qemu.death

    def store_boards(self) -> None:
        self.check("mkdir -p /rig/board")
        for path in sorted((boardfile.BOARDS / "rig").glob("*.toml")):
            self.store(f"/rig/board/{path.name}", path.read_bytes())

    def mount(self) -> None:
        self.check(MOUNT)

    def stalls(self) -> list[tuple[float, float]]:
        rows = self.run("cat /run/stalls").text.split("\n")
        return [(float(time_), int(late) / 1000) for time_, late in (row.split()[:2] for row in rows if row)]

    def evidence(self) -> dict[str, bytes]:
        scripts = {
            "kernel.log": "dmesg | tail -n 200", "firmware.log": "tail -n 300 /run/service/log",
            "stalls.txt": "cat /run/stalls; uptime; top -bn1 | head -n 20",
            "feeders.txt": "tail -n 50 /run/aplay.log /run/feeder.log",
            "network.txt": f"ip address; ip route; cat /proc/net/tcp; wget -T 3 -qO- http://{ADDRESS}/master.m3u8",
            "data.txt": "ls -lR /data; df /data",
        }
        found = {name: self.attempt(script) for name, script in scripts.items()}
        return found | {"guest.log": self.qemu.log().encode()}

    def attempt(self, script: str) -> bytes:
        """The output of a script, or why there is none."""
        try:
            return self.run(script, timeout=10).output
        except (GuestError, OSError) as error:
            return str(error).encode()

    # Shell.

    def run(self, script: str, content: bytes = b"", timeout: float = 60) -> Result:
        return Result(*self.qemu.run(script, content, timeout))

    # Firmware.

    def board_file(self, board: str = "rig") -> str:
        return f"/rig/board/{board}.toml"

    def start(self, board: str = "rig") -> None:
        self.check(
            "cd /run; mkdir -p service; rm -f service/pid service/started service/ended;"
            f" service /run/service {self.program} run --board {self.board_file(board)} --data {self.data}"
            f" --console {self.socket} </dev/null >/dev/null 2>&1 & while ! [ -e /run/service/started ]; do sleep 0.02; done")

    def stop(self, signal: str = "TERM", timeout: float = 30) -> int | None:
        result = self.run(
            f"""[ -e /run/service/pid ] && ! [ -e /run/service/ended ] || exit 99
            kill -{signal} $(cat /run/service/pid)
            n=0
            while ! [ -e /run/service/ended ]; do
              n=$((n + 1))
              [ $n -gt {int(timeout * 20)} ] && exit 98
              sleep 0.05
            done
            cat /run/service/ended; rm -f /run/service/started""", timeout=timeout + 10)
        if result.status == 99:
            return None
        if result.status != 0:
            raise MachineError(f"the firmware did not end within {timeout:.0f} s of SIG{signal}")
        return int(result.text.split()[1])

    def process(self) -> int | None:
        result = self.run("[ -e /run/service/pid ] && ! [ -e /run/service/ended ] && cat /run/service/pid")
        return int(result.text) if result.status == 0 else None

    def log(self) -> str:
        return self.run("cat /run/service/log").text

    def console(self) -> Console:
        if self._console is None or self._console_of is not self.qemu:
            self._console = Console.of_socket(str(self.qemu.folder / "serial.sock"))
            self._console_of = self.qemu
        return self._console


def program_disk(program: pathlib.Path, target: pathlib.Path, name: str, *folders: pathlib.Path) -> None:
    """A disk with the program and, if it is not static, the shared libraries of this machine that it needs; and with
    folders of this machine, in their places."""
    root = target.parent / f"{name}-root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    shutil.copy(program, root / name)
    (root / name).chmod(0o755)
    found = subprocess.run(["ldd", program], capture_output=True, text=True)
    for word in found.stdout.split() if found.returncode == 0 else []:
        if word.startswith("/"):
            place = root / word.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(word, place)
    for folder in folders:
        shutil.copytree(folder, root / str(folder).lstrip("/"))
    for mount in ("dev", "proc", "sys", "run"):
        (root / mount).mkdir(exist_ok=True)
    bytes_ = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    image.disk(target, bytes_ // (1 << 20) * 5 // 4 + 16, source=root)
    shutil.rmtree(root)
