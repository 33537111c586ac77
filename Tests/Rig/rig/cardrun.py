"""`make rig-image`: the image of a card, as it is flashed, on QEMU's board `virt`; through U-Boot to armed, with power cuts."""

import pathlib
import random
import shutil
import subprocess
import tempfile
import time

from . import cardcount, cardinside, cardmtp, cardpeople, cardpi3, cardresults, cardupdates, host, report
from .bench import Failure, expect
from .card import Card, CardError, CardMachine, missing_tools
from .console import RemoteError, Silence


class CardBench:
    """One card, from check to check, as it would be carried around."""

    def __init__(self, options, u_boot: pathlib.Path, folder: pathlib.Path, log):
        self.image, self.u_boot, self.folder, self.log = options.image, u_boot, folder, log
        self.update = update_of(options.image)
        self.isFull = options.full
        self.cuts = options.cuts or (10 if self.isFull else 2)
        self.chance = random.Random(options.seed)
        self.card = Card(self.image, folder / "flashed")
        self.machine: CardMachine | None = None
        self.measures: dict[str, str] = {}
        self.meter = host.Meter()
        self._runs = 0

    def power_on(self, card: Card | None = None, sshPort: int = 0, seesHost: bool = False, plugin: list[str] | None = None) -> CardMachine:
        return self.start(lambda folder: CardMachine(card or self.card, self.u_boot, folder, sshPort, seesHost, plugin))

    def start(self, make) -> CardMachine:
        """Another machine, which `make` makes in a folder of its own."""
        self.power_off()
        self._runs += 1
        self.machine = make(self.folder / f"run{self._runs}")
        self.meter.watch(self.machine.process.pid)
        return self.machine

    def power_off(self) -> None:
        if self.machine:
            # What it used is counted while it is there.
            self.meter.read()
            self.machine.power_cut(self.chance.randrange(1 << 30))
            self.machine = None

    def close(self) -> None:
        if self.machine:
            self.machine.close()


def first_start(bench: CardBench) -> None:
    card = bench.card
    boot, root = card.digest(1), card.digest(2)
    expect(card.sector(17).startswith(b"mynah-data new"), "the card is not a fresh one")
    machine = bench.power_on()
    seconds = machine.armed()
    bench.measures["power on to armed, first start (emulated)"] = f"{seconds:.0f} s"
    # mynah-good.service comes after the firmware, and flushes.
    machine.wait("the root's tries are given back", lambda: card.state().get("BOOT_A_LEFT") == "3", 120)
    time.sleep(10)
    bench.power_off()
    expect(card.state() == {"BOOT_ORDER": "A", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "3"}, f"sector 16: {card.state()}")
    expect(card.sector(17).startswith(b"mynah-data made"), "sector 17 does not say that the data partition was made")
    number = card.sector(18).strip(b"\0\n")
    expect(len(number) == 32, f"the machine has no number: {number!r}")
    start, size = card.partitions()[3]
    expect(start + size == card.path.stat().st_size // 512, f"the data partition ends at {start + size}")
    problems = card.check_data()
    expect(problems is None, f"the data partition is not sound: {problems}")
    expect(card.digest(1) == boot and card.digest(2) == root, "the device wrote to the boot partition or to the root")


def second_start(bench: CardBench) -> None:
    number = bench.card.sector(18)
    machine = bench.power_on()
    bench.measures["power on to armed (emulated)"] = f"{machine.armed():.0f} s"
    expect(len(machine.starts()) == 1, f"it started {len(machine.starts())} times: {machine.starts()}")
    expect(bench.card.sector(18) == number, "the machine has another number")


def idle(bench: CardBench) -> None:
    """Nothing is written to the card while nobody does anything."""
    machine = bench.machine or bench.power_on()
    machine.armed()
    # What was done before is on the card when the kernel has brought it there, half a minute later: of a take its list, and
    # its shape, which is made while nobody does anything, 75 s after it, here later. Seen: the last of it 151 s after the
    # take. What the log has of the start goes there ten minutes after it.
    disk, start = machine.disk, time.monotonic()
    end = start + (max(0, 660 - machine.seconds()) if bench.isFull else 200)
    while time.monotonic() < end:
        before = len(disk.places)
        time.sleep(5)
        for owner in sorted({where(machine.card, one).partition(" at ")[2] for one in disk.places[before:]}):
            bench.log(f"      {time.monotonic() - start:.0f} s after it a write to {owner}")
    seconds = 600 if bench.isFull else 60
    before, flushes = len(disk.places), disk.flushes
    time.sleep(seconds)
    places = disk.places[before:]
    bench.measures[f"written to the card in {seconds} s without anybody"] = (
        f"{sum(length for _, length in places)} bytes, {disk.flushes - flushes} flushes")
    expect(not places, f"{len(places)} writes in {seconds} s without anybody: {[where(machine.card, one) for one in places[:16]]}")


def where(card: Card, place: tuple[int, int]) -> str:
    """In which partition and block of it this is."""
    offset, length = place
    for number, (start, size) in enumerate(card.partitions(), 1):
        if start * 512 <= offset < (start + size) * 512:
            block = (offset - start * 512) // 4096
            return f"{length} bytes at block {block} of partition {number}{card.owner(block) if number == 4 else ''}"
    return f"{length} bytes at sector {offset // 512}"


def reboot(bench: CardBench) -> None:
    """The recorder is asked to start the board anew: the system does it."""
    machine = bench.machine or bench.power_on()
    machine.armed()
    machine.console().call("system.reboot")
    machine.wait("U-Boot starts again", lambda: len(machine.starts()) > 1, 120)
    bench.power_off()


def power_cut(bench: CardBench) -> None:
    """The power goes in a take; the card starts again, and all that was saved is there."""
    machine = bench.machine or bench.power_on()
    machine.armed()
    console = machine.console()
    console.call("panel.press", button="REC")
    time.sleep(4)
    bench.log(f"cut: {machine.power_cut(bench.chance.randrange(1 << 30))}")
    bench.machine = None
    machine = bench.power_on()
    machine.armed()
    console = machine.console()
    machine.wait("every take is listed", lambda: console.call("library.list")["pending"] == 0, 120)
    takes = console.call("library.list", limit=60)["takes"]
    expect(len(takes) >= 2, f"after the cut the library has {takes}")


def first_start_cuts(bench: CardBench) -> None:
    """The power goes at any write or flush of the first start. One that has ended before it came to that request is no cut:
    it is made anew, with an earlier one."""
    most = 44
    number = 0
    while number < bench.cuts:
        card = Card(bench.image, bench.folder / "cut")
        machine = bench.power_on(card)
        disk = machine.disk
        requests = bench.chance.randrange(1, most + 1)
        disk.arm(bench.chance.randrange(1 << 30), requests)
        machine.wait("the first start is cut, or has ended", lambda: disk.cutAt or b"made" in card.sector(17), 480)
        bench.power_off()
        if disk.cutAt:
            number += 1
            bench.log(f"cut {number}: before request {requests} of the first start, {disk.cutSaid}")
            machine = bench.power_on(card)
            machine.wait("the data partition is made", lambda: b"made" in card.sector(17), 400)
            machine.armed()
            bench.power_off()
            problems = card.check_data()
            expect(problems is None, f"after cut {number} the data partition is not sound: {problems}")
        else:
            most = min(requests - 1, disk.writes + disk.flushes)
            expect(most > 0, "a first start ends without a request to cut it at")
            bench.log(f"a first start ended before request {requests}; from now on at most {most}")
        shutil.rmtree(bench.folder / "cut")


# Name, what passes, the check, and whether it is of the smaller set.
CHECKS = (
    ("first-start", "through U-Boot to armed; the data partition is grown and made; root and boot partition stay as they were",
        first_start, True),
    ("second-start", "armed again, with the same number, at the first try", second_start, True),
    ("start-count", "what a start costs in instructions", cardcount.start, False),
    ("record", "a take by the console", cardpeople.records, True),
    ("idle", "no write reaches the card in a minute (whole set: ten)", idle, True),
    ("reboot", "asked by the console, the board starts anew", reboot, True),
    ("power-cut", "the power goes in a take; after the next start it is there, and the one before", power_cut, True),
    ("readme", "README's section: flash, edit three lines, power on, REC, STOP, CENTRE", cardpeople.readme, True),
    ("mistake", "a mistake in mynah.toml is told with its line, and costs nothing else; the device is up", cardpeople.mistake, True),
    ("presets", "[settings] and [operator] of mynah.toml hold; without the password nobody sets anything up", cardpeople.presets, True),
    ("first-start-cuts", "the power goes in the first start", first_start_cuts, False),
    ("inside", "by ssh with a key on the boot partition, and by nothing else: what runs, listens, and how long it took to start",
        cardinside.inside, True),
    ("drive", "plugged into a PC: the takes, read-only, under their names; unplugged at any time", cardinside.drive, False),
    ("mtp", "the same by MTP, to libmtp's tools, beside a take; nothing can be written, and it is unplugged in the middle",
        cardmtp.mtp, False),
    ("update-refused", "unsigned, a stranger's, another board's, older, damaged: refused with the reason, nothing is written",
        cardupdates.refused, True),
    ("update-console", "the file of an update comes over the console", cardupdates.by_console, False),
    ("update-address", "it comes by https, from a server that hangs up in the middle, beside a take", cardupdates.by_address,
        False),
    ("update-no-kernel", "U-Boot finds nothing to start: the root from before", cardupdates.bad("no-kernel", 60), False),
    ("update-hangs", "nothing happens after the kernel: the watchdog, then the root from before",
        cardupdates.bad("hangs", 300), False),
    ("update-unfit", "armed, but it fails its self-test: the root from before", cardupdates.bad("unfit", 700), False),
    ("update-deaf", "the system comes up, and the recorder does not: the root from before", cardupdates.bad("deaf", 900), False),
    ("update-cuts", "the power goes in each phase of an update", cardupdates.cuts, False),
    ("update-good", "from a stick to armed for a minute, its self-test, and kept", cardupdates.good, True),
    ("raspi3b", "on QEMU's Raspberry Pi 3, whose watchdog it must leave alone: by U-Boot to the kernel, by that to the console",
        cardpi3.raspi3b, False),
    ("update-back", "what STOP held at power-on asks for: the root from before, once", cardupdates.back, False),
)


def update_of(image: pathlib.Path) -> pathlib.Path:
    """The update of the same root, which is made beside the image."""
    return image.parent / f"{image.name.removesuffix('.xz').removesuffix('.img')}.raucb"


# What ends a check without ending the run.
FAILURES = (Failure, CardError, RemoteError, Silence, OSError, subprocess.SubprocessError)
ATTEMPTS = 3


def attempts(bench: CardBench, name: str, what: str, check, keep: pathlib.Path) -> report.Outcome:
    """A check, made again if it failed while the host starved the machine."""
    start = time.monotonic()
    for attempt in range(1, ATTEMPTS + 1):
        before = bench.meter.read()
        verdict, message = "passed", ""
        try:
            check(bench)
        except FAILURES as error:
            verdict, message = "failed", str(error)
            (keep / name).mkdir(parents=True, exist_ok=True)
            if bench.machine:
                (keep / name / "serial.log").write_text(bench.machine.serial())
        share = bench.meter.since(before)
        if verdict == "passed":
            break
        # The next one begins with a start.
        bench.power_off()
        if not share.is_starved or attempt == ATTEMPTS:
            break
        bench.log(f"{name}: again, as the host gave it {share.given:.0%} of the processor that it asked for: {message}")
    return report.Outcome(name, what, time.monotonic() - start, verdict, message, share)


def main(options, log) -> int:
    if missing := missing_tools():
        print(f"rig: {', '.join(missing)} missing: Scripts/setup rig deploy")
        return 69
    u_boot = options.u_boot or options.image.parent / "u-boot-virt.bin"
    for path in (options.image, u_boot, update_of(options.image)):
        if not path.exists():
            print(f"rig: {path} is not there: make image")
            return 69
    if options.list:
        for name, what, _, isSmall in CHECKS:
            print(f"{name:20} {'smoke' if isSmall else 'full':5}  {what}")
        return 0
    table = [check for check in CHECKS if (check[0] in options.only if options.only else options.full or check[3])]
    outcomes: list[report.Outcome] = []
    shutil.rmtree(options.keep, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="mynah-card-") as scratch:
        bench = CardBench(options, u_boot, pathlib.Path(scratch), log)
        try:
            for name, what, check, _ in table:
                one = attempts(bench, name, what, check, options.keep)
                outcomes.append(one)
                why = f": {one.message}" if one.message else ""
                log(f"{name}: {one.verdict} in {one.seconds:.0f} s; {one.share}{why}")
                if options.results:
                    # What was seen is not lost with a run that does not come to its end.
                    cardresults.write(options.results, [name for name, *_ in CHECKS], outcomes, bench.measures)
        finally:
            bench.close()
    report.junit(outcomes, options.keep / "junit.xml")
    print(f"\n{report.table(bench.measures)}\n")
    print(report.summary(outcomes))
    return 1 if any(one.verdict == "failed" for one in outcomes) else 0
