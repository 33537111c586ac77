"""What a start of the image costs in instructions: a processor that waits executes none. A slow host moves them little, a
starved one by its timer's ticks (deploy/README.md has both). A plug-in of QEMU's counts them (instructions.c)."""

import pathlib
import struct
import subprocess

from .card import CardError

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "instructions.c"
PROCESSORS = 64


class Instructions:
    """The count of one run of QEMU: give it `arguments`, and ask for the `total` at any time."""

    def __init__(self, folder: pathlib.Path):
        self._counts = folder / "instructions.counts"
        self._counts.write_bytes(bytes(8 * PROCESSORS))
        library = folder / "instructions.so"
        said = subprocess.run(["qemu-system-aarch64", "--version"], capture_output=True, text=True, check=True).stdout
        # QEMU from 9 on takes no plug-in of the interface that 7 has.
        version = 1 if int(said.split("version ")[1].split(".")[0]) < 9 else 2
        made = subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", f"-DVERSION={version}", f"-DPROCESSORS={PROCESSORS}",
            "-shared", "-fPIC", "-o", library, SOURCE], capture_output=True, text=True)
        if made.returncode:
            raise CardError(f"gcc cannot make QEMU's plug-in: {made.stderr[-500:]}")
        self.arguments = ["-plugin", f"{library},counts={self._counts}"]

    def total(self) -> int:
        """Of all processors since power on."""
        return sum(struct.unpack(f"={PROCESSORS}Q", self._counts.read_bytes()))


def start(bench) -> None:
    """A start of a card that has been started before, in instructions, stage by stage."""
    if bench.card.sector(17).startswith(b"mynah-data new"):
        bench.power_on().armed()
    bench.power_off()
    count = Instructions(bench.folder)
    machine = bench.power_on(plugin=count.arguments)
    stages = (
        ("U-Boot, to its choice of the root", lambda: machine.wait("U-Boot chooses", machine.starts, 240)),
        ("kernel and system, to the recorder's console", lambda: machine.console(900)),
        ("from there to armed", lambda: machine.armed(900)),
    )
    before = 0
    for name, stage in stages:
        stage()
        total = count.total()
        bench.measures[f"instructions of a start: {name}"] = f"{(total - before) / 1e9:.2f} thousand million"
        before = total
    bench.measures["instructions of a start: power on to armed"] = f"{before / 1e9:.2f} thousand million"
    bench.power_off()
