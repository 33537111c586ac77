"""The image, unchanged, on QEMU's Raspberry Pi 3: its own device tree, card and serial console, which `virt` does not have.

In two parts, for QEMU's model of this board ends when its watchdog is armed: U-Boot until it starts the kernel; and the same
kernel, told by its command line to leave the watchdog alone, to the recorder's console. It has no microphone there, as this
board of QEMU's can have none: what is missing is to be said.
"""

import pathlib
import re
import shutil

from .bench import expect
from .card import SECTOR, Card, CardMachine

TREE = "bcm2837-rpi-3-b.dtb"


class Pi3(CardMachine):
    """The board, started by U-Boot."""

    def __init__(self, card: Card, u_boot: pathlib.Path, folder: pathlib.Path):
        folder.mkdir(parents=True, exist_ok=True)
        card.get(TREE, folder / "tree.dtb")
        super().__init__(card, u_boot, folder)

    def _board(self, u_boot: pathlib.Path, card: str) -> list[str]:
        # What this model of a card confirms is on it: it knows no flush.
        return ["-M", "raspi3b", "-drive", f"{card},cache=writethrough,if=sd", "-dtb", str(self.folder / "tree.dtb"),
            "-serial", "null", *self._start(u_boot)]

    def _start(self, u_boot: pathlib.Path) -> list[str]:
        return ["-kernel", str(u_boot), "-serial", f"file:{self.folder}/serial.log"]


class Pi3Kernel(Pi3):
    """The same from the kernel on."""

    def _start(self, u_boot: pathlib.Path) -> list[str]:
        kernel, initrd, script = (self.folder / name for name in ("vmlinuz", "initrd.img", "boot.scr"))
        self.card.get_of_root(kernel.name, kernel)
        self.card.get_of_root(initrd.name, initrd)
        self.card.get(script.name, script)
        # What U-Boot tells the kernel of root A, and a word more.
        words = re.search(r'setenv bootargs "(.*?)"', script.read_bytes().decode(errors="replace"))[1]
        words = words.replace("${part}", "2").replace("${slot}", "A") + " module_blacklist=bcm2835_wdt"
        return ["-kernel", str(kernel), "-initrd", str(initrd), "-append", words, "-serial", "chardev:line"]


def raspi3b(bench) -> None:
    bench.power_off()
    card = Card(bench.image, bench.folder / "pi3", None)
    boot, root = card.digest(1), card.digest(2)
    u_boot = bench.folder / "pi3/u-boot.bin"
    card.get("u-boot.bin", u_boot)
    machine = bench.start(lambda folder: Pi3(card, u_boot, folder))
    machine.wait("U-Boot chooses a root", machine.starts, 120)
    machine.wait("U-Boot starts the kernel", lambda: "Starting kernel" in machine.serial(), 300)
    expect(machine.running() == "A", f"U-Boot starts root {machine.running()}: {machine.starts()}")
    bench.power_off()
    expect(card.state()["BOOT_A_LEFT"] == "2", f"U-Boot did not count its start on the card: {card.state()}")

    machine = bench.start(lambda folder: Pi3Kernel(card, u_boot, folder))
    console = machine.console(1200)
    bench.measures["raspi3b: power on to the recorder's console (emulated)"] = f"{machine.seconds():.0f} s"
    told = console.call("system.info", 120)
    missing = str(console.call("system.doctor", 300))
    expect("Raspberry Pi 3" in f"{told}{missing}", f"it takes itself for {str(told)[:400]}")
    expect(not console.call("recorder.status")["armed"] and "microphone" in missing, f"no microphone is missing: {missing[:400]}")
    machine.wait("the card says so", lambda: card.sector(17).startswith(b"mynah-data made"), 120)
    bench.power_off()
    start, size = card.partitions()[3]
    expect(start + size == card.path.stat().st_size // SECTOR, f"the data partition ends at {start + size}")
    problems = card.check_data()
    expect(problems is None, f"the data partition is not sound: {problems}")
    expect(card.digest(1) == boot and card.digest(2) == root, "the device wrote to the boot partition or to the root")
    shutil.rmtree(bench.folder / "pi3")
